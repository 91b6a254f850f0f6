import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import type { Issue } from '../../schemas/error.ts'
import { ALT_TEXT_MAX } from '../../schemas/media.ts'
import { MISSING_FILE } from '../../schemas/messages.ts'
import { invalidRequest } from '../errors.ts'
import { unsupportedContentType } from '../http/errors.ts'
import { findTextProblem, truncate } from '../http/json.ts'
import { tooLong } from '../http/validation.ts'

const UNREADABLE: Issue = {
  code: 'custom',
  path: [],
  message: 'Request body is not a complete multipart/form-data body',
}

/** The most that one UTF-16 unit takes. */
const UTF8_BYTES_MAX = 3

/**
 * Reads a form with one `file` and an optional `altText`, in any order. Streams the file to `save`, and returns the alt
 * text. Throws a 400 with details for every other form.
 */
export async function readForm(
  request: FastifyRequest,
  save: (file: AsyncIterable<Buffer>) => Promise<void>,
): Promise<string | null> {
  if (!request.isMultipart()) throw unsupportedContentType(request)
  const seen = new Set<string>()
  let altText: string | null = null
  try {
    for await (const { fieldname, file } of partsOf(request)) {
      if (fieldname !== 'file' && fieldname !== 'altText') throw invalidRequest([unknownPart(fieldname)])
      if (seen.has(fieldname)) {
        throw invalidRequest([
          { code: 'custom', path: [fieldname], message: 'Only one part with this name is allowed' },
        ])
      }
      seen.add(fieldname)
      if (fieldname === 'file') await save(whole(file))
      else altText = await readText(whole(file))
    }
  } catch (error) {
    // Discard the rest of the body.
    request.raw.unpipe().resume()
    throw error
  }
  if (!seen.has('file')) throw invalidRequest([MISSING_FILE])
  return altText
}

function unknownPart(name: string): Issue {
  const key = truncate(name)
  return { code: 'unrecognized_keys', keys: [key], path: [], message: `Unrecognized key(s) in object: '${key}'` }
}

/** The parts in order, all as streams: the parser's own decoding of text replaces invalid bytes silently. */
async function* partsOf(request: FastifyRequest) {
  try {
    // The parser would wait forever for a client that has disconnected.
    if (request.raw.destroyed) throw new Error('The connection is closed')
    for await (const part of request.parts({ isPartAFile: () => true, limits: { fileSize: Infinity, parts: 10 } })) {
      if (part.type === 'file') yield part
    }
  } catch {
    throw invalidRequest([UNREADABLE])
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

async function readText(part: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of part) {
    bytes += chunk.length
    if (bytes > ALT_TEXT_MAX * UTF8_BYTES_MAX) throw invalidAltText(tooLong(ALT_TEXT_MAX))
    chunks.push(chunk)
  }
  const content = Buffer.concat(chunks)
  const text = content.toString()
  if (text.length > ALT_TEXT_MAX) throw invalidAltText(tooLong(ALT_TEXT_MAX))
  const problem = isUtf8(content) ? findTextProblem(text) : 'Must be valid UTF-8'
  if (problem) throw invalidAltText({ code: 'custom', message: problem })
  return text
}

const invalidAltText = (issue: Omit<Issue, 'path'>) => invalidRequest([{ ...issue, path: ['altText'] }])
