import { randomBytes, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isId } from '../../db/id.ts'
import {
  findRendition,
  forgetRendition,
  noteNoRendition,
  promoteRendition,
  type RenditionSource,
} from '../../db/queries/renditions.ts'
import { stageFile } from '../../db/queries/staged-files.ts'
import { PREVIEW_WIDTHS } from '../../schemas/media.ts'
import { fail } from '../errors.ts'
import { createSlots } from '../slots.ts'
import { CACHE_CONTROL, disposition, NotStoredError, type Served, throwFileError } from '../storage/storage.ts'
import { mediaNotFound } from './access.ts'
import { discardUnused, incomingPath, type Put } from './discard-file.ts'
import type { Library } from './library.ts'

/** Decoding takes up to four bytes for each pixel: 200 MB. Phones take pictures of up to 50 million. */
const PIXELS_MAX = 51_000_000
const DECODING_MAX_SECONDS = 10
/** A strip of a picture is no higher than this many times its width. */
const HEIGHT_PER_WIDTH_MAX = 4

const MIME_TYPE = 'image/webp'

/** One picture is decoded at a time, so that its memory is that of the process. Users take turns. */
const slots = createSlots({ max: 1, inTurns: true })
/** Previews that are being made in this process, by user, file and target. */
const making = new Map<string, Promise<RenditionSource | undefined>>()

/**
 * The response to a GET or HEAD for a preview of the user's file: a WebP as wide as the next of `PREVIEW_WIDTHS`, which
 * is made once and stored. Videos, and images that are not decoded, have an SVG in its place. Throws 404 if the file or
 * its bytes are missing.
 */
export async function servePreview(
  library: Library,
  { userId, id }: { userId: string; id: string },
  width: number,
  request: IncomingMessage,
): Promise<Served> {
  const widest = PREVIEW_WIDTHS.find((each) => each >= width)!
  const key = { userId, id, target: `preview-${widest}` }
  const [found] = isId(id) ? await findRendition(library.db, key) : []
  if (!found) throw mediaNotFound()
  if (found.storageKey === null) throw fail('media_without_content')
  const { kind, isMade } = found
  const file = kind === 'video' || isMade ? found : await makeOnce(library, key, found, widest)
  if (!file) throw mediaNotFound()
  const { renditionKey } = file
  if (renditionKey === null) return placeholder(file, widest)
  const fileName = `${id}-${widest}.webp`
  return library.storage.serve(renditionKey, request, { mimeType: MIME_TYPE, fileName }).catch(async (error) => {
    // It is made again at the next request.
    if (error instanceof NotStoredError) await forgetRendition(library.db, { userId, storageKey: renditionKey })
    throw error
  })
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

/** Makes and stores a preview, or records that it cannot be made. Another process may be first. */
async function make(library: Library, key: Key, { storageKey, width, height }: RenditionSource, widest: number) {
  const { db, storage, incomingDir } = library
  if (!isDecodable({ width, height })) return noteNoRendition(db, key)
  const giveBack = await slots.take(key.userId)
  const file = { userId: key.userId, storageKey: randomBytes(16).toString('hex') }
  const [source, path] = [join(incomingDir, `preview-${randomUUID()}`), incomingPath(library, file)]
  let put: Put = 'not started'
  let isPromoted = false
  await stageFile(db, file)
  try {
    await pipeline(await storage.read(storageKey!), createWriteStream(source, { flags: 'wx', mode: 0o600 })).catch(
      throwFileError,
    )
    if (!(await resize(source, path, widest))) return await noteNoRendition(db, key)
    put = 'started'
    await storage.put(file.storageKey, path, MIME_TYPE)
    put = 'done'
    isPromoted = (await promoteRendition(db, { ...key, ...file })).length > 0
  } finally {
    giveBack()
    for (const left of [source, path]) await rm(left, { force: true }).catch(() => {})
    // Fails if the database or the storage is unavailable. A sweep deletes the file then.
    if (!isPromoted) await discardUnused(library, file, put).catch(() => {})
  }
}

type Size = Pick<RenditionSource, 'width' | 'height'>

export const isDecodable = ({ width, height }: Size): boolean => (width ?? 0) * (height ?? 0) <= PIXELS_MAX

/** Makes a small copy of a picture of the user. Returns undefined if it cannot be decoded. */
export async function shrink(source: string, userId: string, width: number): Promise<Buffer | undefined> {
  const giveBack = await slots.take(userId)
  return (await small(source, width))
    .toBuffer()
    .catch(() => undefined)
    .finally(giveBack)
}

/** Returns false if the picture cannot be decoded. */
const resize = async (source: string, path: string, width: number): Promise<boolean> =>
  (await small(source, width)).toFile(path).then(
    () => true,
    () => false,
  )

async function small(source: string, width: number) {
  // Imported on first use, because it takes memory.
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp(source, { limitInputPixels: PIXELS_MAX })
    .autoOrient()
    .resize({ width, height: width * HEIGHT_PER_WIDTH_MAX, fit: 'inside', withoutEnlargement: true })
    .webp()
    .timeout({ seconds: DECODING_MAX_SECONDS })
}

/** A grey picture of the shape of the file, with a triangle for a video. */
function placeholder({ kind, width, height }: RenditionSource, widest: number): Served {
  const ratio = Math.min(HEIGHT_PER_WIDTH_MAX, (height || 1) / (width || 1))
  const high = Math.max(1, Math.round(widest * ratio))
  const [x, y, size] = [widest / 2, high / 2, Math.min(widest, high) / 6]
  const sign =
    kind === 'video'
      ? `<path fill="#6b7280" d="M${x - size} ${y - size}L${x + size} ${y}L${x - size} ${y + size}Z"/>`
      : ''
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${widest}" height="${high}"><rect width="100%" height="100%" fill="#e5e7eb"/>${sign}</svg>`
  return {
    statusCode: 200,
    headers: {
      'Content-Type': 'image/svg+xml',
      'Content-Length': String(svg.length),
      'Content-Disposition': disposition('preview.svg'),
      'Cache-Control': CACHE_CONTROL,
    },
    body: Readable.from([Buffer.from(svg)]),
  }
}
