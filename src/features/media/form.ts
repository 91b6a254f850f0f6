import { isUtf8 } from 'node:buffer'
import { Transform, type TransformCallback } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ALT_TEXT_MAX } from '../../../schemas/alt-text.ts'
import type { Issue } from '../../../schemas/error.ts'
import type { Focus } from '../../../schemas/media.ts'
import { MISSING_FILE } from '../../../schemas/messages.ts'
import { METADATA, REFERENCE_MAX } from '../../../schemas/references.ts'
import { invalidRequest } from '../../base/errors.ts'
import { unsupportedContentType } from '../../base/http/errors.ts'
import { findTextProblem, truncate } from '../../base/http/json.ts'
import { readMetadata } from '../../base/http/metadata.ts'
import { tooLong } from '../../base/http/validation.ts'
import { type FileDescription, tidyFileName } from './file-name.ts'

const UNREADABLE: Issue = {
  code: 'custom',
  path: [],
  message: 'Request body is not a complete multipart/form-data body',
}

/** The most that one UTF-16 unit takes. */
const UTF8_BYTES_MAX = 3

/** The maximum lengths of texts. Metadata are JSON, in which each character may take six. */
const TEXTS = {
  altText: ALT_TEXT_MAX,
  focus: 50,
  externalReference: REFERENCE_MAX,
  metadata: 6 * METADATA.pairsMax * (METADATA.nameMax + METADATA.valueMax),
} as const

type TextPart = keyof typeof TEXTS
const isTextPart = (name: string): name is TextPart => Object.hasOwn(TEXTS, name)

/**
 * Reads a form with one `file` and optional texts, in any order. Streams the file to `save`, and returns what describes
 * it. Throws a 400 with details for every other form.
 */
export async function readForm(
  request: FastifyRequest,
  save: (file: AsyncIterable<Buffer>) => Promise<void>,
): Promise<FileDescription> {
  if (!request.isMultipart()) throw unsupportedContentType(request)
  const seen = new Set<string>()
  const unknown: string[] = []
  const texts: Partial<Record<TextPart, string>> = {}
  let fileName: string | null = null
  try {
    for await (const { fieldname, file, filename } of partsOf(request)) {
      if (fieldname !== 'file' && !isTextPart(fieldname)) {
        unknown.push(truncate(fieldname))
        if (seen.has('file') || !(await isSkipped(whole(file)))) throw invalidRequest([unknownParts(unknown)])
        continue
      }
      // The file is there, so that nothing is missing.
      if (fieldname === 'file' && unknown.length > 0) throw invalidRequest([unknownParts(unknown)])
      if (seen.has(fieldname)) {
        throw invalidRequest([
          { code: 'custom', path: [fieldname], message: 'Only one part with this name is allowed' },
        ])
      }
      seen.add(fieldname)
      if (isTextPart(fieldname)) texts[fieldname] = await readText(whole(file), fieldname)
      else {
        fileName = tidyFileName(filename)
        await save(whole(file))
      }
    }
  } catch (error) {
    // Discard the rest of the body.
    request.raw.unpipe().resume()
    throw error
  }
  if (!seen.has('file')) throw invalidRequest([...(unknown.length > 0 ? [unknownParts(unknown)] : []), MISSING_FILE])
  const { altText, focus, externalReference, metadata } = texts
  return {
    altText: altText || null,
    focus: focus ? readFocus(focus) : null,
    fileName,
    externalReference: externalReference || null,
    metadata: metadata ? readMetadata(Buffer.from(metadata)) : null,
  }
}

/** Two numbers, as Mastodon takes them: https://docs.joinmastodon.org/methods/media/#v2. */
function readFocus(text: string): Focus {
  const numbers = text.split(',').map((each) => (each.trim() === '' ? Number.NaN : Number(each)))
  const [x, y] = numbers
  if (numbers.length !== 2 || !numbers.every((each) => Math.abs(each) <= 1)) {
    const message = 'Must be two numbers from -1 to 1, such as 0.2,0.65'
    throw invalidRequest([{ code: 'custom', path: ['focus'], message }])
  }
  return { x: x!, y: y! }
}

function unknownParts(keys: string[]): Issue {
  const message = `Unrecognized key(s) in object: ${keys.map((key) => `'${key}'`).join(', ')}`
  return { code: 'unrecognized_keys', keys, path: [], message }
}

/** The most that is read of an unknown part to find out whether the form has a `file` as well. */
const SKIPPED_BYTES_MAX = 64 * 2 ** 20

/** Reads a part to its end, unless it is too long. */
async function isSkipped(part: AsyncIterable<Buffer>): Promise<boolean> {
  let bytes = 0
  for await (const chunk of part) {
    bytes += chunk.length
    if (bytes > SKIPPED_BYTES_MAX) return false
  }
  return true
}

const PARTS_MAX = 10

/** The parts in order, all as streams: the parser's own decoding of text replaces invalid bytes silently. */
async function* partsOf(request: FastifyRequest) {
  const { raw } = request
  const bytes = new Slices()
  try {
    // The parser would wait forever for a client that has disconnected.
    if (raw.destroyed) throw new Error('The connection is closed')
    raw.once('close', () => raw.readableEnded || bytes.destroy(new Error('The connection was closed')))
    const sliced = Object.create(request, {
      raw: { value: Object.assign(raw.pipe(bytes), { headers: raw.headers }) },
    }) as FastifyRequest
    const limits = { fileSize: Infinity, parts: PARTS_MAX }
    for await (const part of sliced.parts({ isPartAFile: () => true, limits })) {
      if (part.type === 'file') yield part
    }
  } catch {
    throw invalidRequest([UNREADABLE])
  } finally {
    bytes.destroy()
  }
}

const SLICE_BYTES = 8_192

/**
 * Passes bytes on in slices, one in a turn of the event loop. The parser makes a stream for each of the thousands of
 * parts that a chunk may have, before anybody hears that there are too many.
 */
class Slices extends Transform {
  override _transform(chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    this.push(chunk.subarray(0, SLICE_BYTES))
    if (chunk.length <= SLICE_BYTES) done()
    else setImmediate(() => this._transform(chunk.subarray(SLICE_BYTES), encoding, done))
  }
}

/** The bytes of a part. A part that is cut off is a 400. */
async function* whole(part: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* part
  } catch {
    throw invalidRequest([UNREADABLE])
  }
}

async function readText(part: AsyncIterable<Buffer>, name: TextPart): Promise<string> {
  const chunks: Buffer[] = []
  const lengthMax = TEXTS[name]
  const invalid = (issue: Omit<Issue, 'path'>) => invalidRequest([{ ...issue, path: [name] }])
  let bytes = 0
  for await (const chunk of part) {
    bytes += chunk.length
    if (bytes > lengthMax * UTF8_BYTES_MAX) throw invalid(tooLong(lengthMax))
    chunks.push(chunk)
  }
  const content = Buffer.concat(chunks)
  const text = content.toString()
  if (text.length > lengthMax) throw invalid(tooLong(lengthMax))
  const problem = isUtf8(content) ? findTextProblem(text) : 'Text is not valid UTF-8'
  if (problem) throw invalid({ code: 'custom', message: problem })
  return text
}
