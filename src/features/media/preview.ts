import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { isId } from '../../../db/id.ts'
import { hasVideoWorker, requestRendition } from '../../../db/queries/rendition-jobs.ts'
import {
  findRendition,
  forgetRendition,
  noteNoRendition,
  type RenditionSource,
} from '../../../db/queries/renditions.ts'
import { type MediaKind, PREVIEW_WIDTHS } from '../../../schemas/media.ts'
import type { FrameTarget } from '../../../schemas/video-target.ts'
import { fail } from '../../base/errors.ts'
import { etagOfText, isKnown, readIfMatch } from '../../base/http/preconditions.ts'
import { CACHE_CONTROL, disposition, NotStoredError, type Served, throwFileError } from '../../base/storage/storage.ts'
import { findPixelsMax } from '../../platforms/rules/rendition.ts'
import { mediaNotFound } from './access.ts'
import type { Library } from './library.ts'
import { type Drawn, decodings, makeRendition, type NotDrawn } from './make-rendition.ts'
import { openPicture, problemOf } from './open-picture.ts'

const DECODING_MAX_SECONDS = 10
/** A strip of a picture is no higher than this many times its width. */
const HEIGHT_PER_WIDTH_MAX = 4

const MIME_TYPE = 'image/webp' as const

/** Previews that are being made in this process, by user, file and target. */
const making = new Map<string, Promise<RenditionSource | undefined>>()

interface PreviewedFile {
  userId: string
  id: string
}

/** The response to a GET or HEAD for a preview of the user's file. Throws 404 if the file or its bytes are missing. */
export async function servePreview(
  library: Library,
  file: PreviewedFile,
  width: number,
  request: IncomingMessage,
): Promise<Served> {
  const preview = await readyPreview(library, file, width)
  if ('svg' in preview) {
    const headers = { ...headersOf(preview), 'Cache-Control': preview.isWaiting ? 'no-store' : CACHE_CONTROL }
    return { statusCode: 200, headers, body: Readable.from([preview.svg]) }
  }
  const { storageKey, fileName, onMissing } = preview
  const served = await library.storage.serve(storageKey, request, { mimeType: MIME_TYPE, fileName }).catch(onMissing)
  if (served.statusCode !== 307) return served
  // The script of a page cannot read the address of a redirect, and the bucket may not allow its origin.
  const etag = `"${storageKey}"`
  const headers = { ETag: etag, 'Cache-Control': CACHE_CONTROL }
  if (readIfMatch(request)?.(etag) === false) return { statusCode: 412, headers, body: undefined }
  if (isKnown(request, etag)) return { statusCode: 304, headers, body: undefined }
  return {
    statusCode: 200,
    headers: { ...headers, 'Content-Type': MIME_TYPE, 'Content-Disposition': disposition(fileName) },
    body: request.method === 'HEAD' ? undefined : await library.storage.read(storageKey).catch(onMissing),
  }
}

/** The bytes of a preview, with headers that describe them, an ETag, and whether a worker makes another one. */
export async function openPreview(library: Library, file: PreviewedFile, width: number) {
  const preview = await readyPreview(library, file, width)
  if ('svg' in preview) {
    return {
      etag: etagOfText(preview.svg),
      headers: headersOf(preview),
      isWaiting: preview.isWaiting,
      open: async () => Readable.from([preview.svg]),
    }
  }
  const { storageKey, fileName, onMissing } = preview
  const bytes = await library.storage.size(storageKey).catch(onMissing)
  const headers = {
    'Content-Type': MIME_TYPE,
    'Content-Length': String(bytes),
    'Content-Disposition': disposition(fileName),
  }
  return { etag: `"${storageKey}"`, headers, isWaiting: false, open: () => library.storage.read(storageKey) }
}

const headersOf = ({ svg }: Placeholder) => ({
  'Content-Type': 'image/svg+xml',
  'Content-Length': String(svg.length),
  'Content-Disposition': disposition('preview.svg'),
})

interface Placeholder {
  svg: Buffer
  /** A worker makes a picture in its place. */
  isWaiting: boolean
}

interface StoredPreview {
  storageKey: string
  fileName: string
  /** Lets a preview without bytes be made again at the next request, and throws the error. */
  onMissing: (error: unknown) => Promise<never>
}

/**
 * A WebP as wide as the next of `PREVIEW_WIDTHS`, which is made once and stored. A worker with ffmpeg makes that of a
 * video: until then, for documents, and for images that are not decoded, it is an SVG. Throws 404 if the file or its
 * bytes are missing.
 */
async function readyPreview(
  library: Library,
  { userId, id }: PreviewedFile,
  width: number,
): Promise<Placeholder | StoredPreview> {
  const widest = PREVIEW_WIDTHS.find((each) => each >= width)!
  const key = { userId, id, target: `preview-${widest}` }
  const [found] = isId(id) ? await findRendition(library.db, key) : []
  if (!found) throw mediaNotFound()
  if (found.storageKey === null) throw fail('media_without_content')
  const { kind, isMade } = found
  const isWaiting = kind === 'video' && !isMade && (await requestFrame(library, key, widest))
  const isPicture = kind === 'image' || kind === 'gif'
  const file = isMade || !isPicture ? found : await makeOnce(library, key, found, widest)
  if (!file) throw mediaNotFound()
  const { renditionKey: storageKey } = file
  if (storageKey === null) return { svg: placeholder(file, widest), isWaiting }
  const onMissing = async (error: unknown) => {
    if (error instanceof NotStoredError) await forgetRendition(library.db, { userId, storageKey })
    throw error
  }
  return { storageKey, fileName: `${id}-${widest}.webp`, onMissing }
}

/** Has a worker make a picture of a video. Returns false if no worker can. */
async function requestFrame({ db }: Library, key: Key, frameWidth: number): Promise<boolean> {
  const [known] = await hasVideoWorker(db, {})
  if (!known!.hasWorker) return false
  await requestRendition(db, { ...key, spec: JSON.stringify({ frameWidth } satisfies FrameTarget) })
  return true
}

type Key = Parameters<typeof findRendition>[1]

function makeOnce(library: Library, key: Key, source: RenditionSource, width: number) {
  const name = Object.values(key).join(' ')
  const made =
    making.get(name) ??
    make(library, key, source, width)
      .then(async () => (await findRendition(library.db, key))[0])
      .finally(() => making.delete(name))
  making.set(name, made)
  return made
}

/** Makes and stores a preview, or records that it cannot be made. */
async function make(library: Library, key: Key, source: RenditionSource, widest: number) {
  if (!isDecodable(source)) return noteNoRendition(library.db, key)
  await makeRendition(library, key, source.storageKey!, (source, path) => resize(source, path, widest))
}

type Size = Pick<RenditionSource, 'mimeType' | 'width' | 'height'>

export const isDecodable = ({ mimeType, width, height }: Size): boolean =>
  (width ?? 0) * (height ?? 0) <= findPixelsMax(mimeType)

/** Makes a small copy of a picture of the user. Returns undefined if it cannot be decoded. */
export async function shrink(source: string, userId: string, width: number): Promise<Buffer | undefined> {
  const giveBack = await decodings.take(userId)
  return small(source, width)
    .catch(() => undefined)
    .finally(giveBack)
}

/** Writes a preview of the picture at `source` to `path`. */
export async function resize(source: string, path: string, width: number): Promise<Drawn | NotDrawn> {
  const picture = await small(source, width).catch(problemOf)
  if ('problem' in picture) return picture
  await writeFile(path, picture, { flag: 'wx', mode: 0o600 }).catch(throwFileError)
  return { mimeType: MIME_TYPE }
}

async function small(source: string, width: number): Promise<Buffer> {
  const { open } = await openPicture(source)
  return open()
    .autoOrient()
    .resize({ width, height: width * HEIGHT_PER_WIDTH_MAX, fit: 'inside', withoutEnlargement: true })
    .webp()
    .timeout({ seconds: DECODING_MAX_SECONDS })
    .toBuffer()
}

/** A grey picture of the shape of the file, with a triangle for a video, and a page for a document. */
function placeholder({ kind, width, height }: RenditionSource, widest: number): Buffer {
  const ratio = Math.min(HEIGHT_PER_WIDTH_MAX, (height || 1) / (width || 1))
  const high = Math.max(1, Math.round(widest * ratio))
  const x = widest / 2
  const y = high / 2
  const size = Math.min(widest, high) / 6
  const signs: Partial<Record<MediaKind, string>> = {
    video: `M${x - size} ${y - size}L${x + size} ${y}L${x - size} ${y + size}Z`,
    document: `M${x - size} ${y - 1.4 * size}h${1.4 * size}l${0.6 * size} ${0.6 * size}v${2.2 * size}h${-2 * size}Z`,
  }
  const sign = signs[kind] ? `<path fill="#6b7280" d="${signs[kind]}"/>` : ''
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${widest}" height="${high}"><rect width="100%" height="100%" fill="#e5e7eb"/>${sign}</svg>`
  return Buffer.from(svg)
}
