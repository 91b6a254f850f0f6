import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { access, chmod, copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { send } from '@fastify/send'
import { checkFolder } from './check-folder.ts'
import {
  assertKey,
  CACHE_CONTROL,
  disposition,
  NotStoredError,
  type Served,
  type Storage,
  StorageError,
  throwFileError,
} from './storage.ts'

/**
 * Keeps media as files under `folder`/files, in up to 256 folders. `put` moves files from the same file system, such as
 * from `folder`/incoming, and copies all others.
 */
export function folderStorage(folder: string): Storage {
  const files = resolve(folder, 'files')

  return {
    put: (key, path) => moveInto(folder, files, key, path).catch(throwFileError),

    async remove(key) {
      const target = join(files, nameOf(key))
      for (const path of [target, partOf(target)]) await rm(path, { force: true }).catch(throwFileError)
    },

    async size(key) {
      const { size } = await stat(join(files, nameOf(key))).catch((error) => throwUnreadable(files, key, error))
      return size
    },

    async read(key, range) {
      const part = range && { start: range.from, end: range.from + range.bytes - 1 }
      const stream = createReadStream(join(files, nameOf(key)), part)
      await once(stream, 'open').catch((error) => throwUnreadable(files, key, error))
      return stream
    },

    serve: (key, request, as) => serveFile(files, key, request, as),

    async check() {
      await mkdir(files, { recursive: true, mode: 0o700 }).catch(throwFileError)
      await checkFolder(files)
    },
  }
}

async function moveInto(folder: string, files: string, key: string, path: string): Promise<void> {
  const target = join(files, nameOf(key))
  await chmod(path, 0o600)
  await sync(path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  // rename() would replace a file. link() would not, but SMB shares and exFAT have no links, and keys are used once.
  if (await exists(target)) throw new Error(`A file is already stored under ${key}`)
  try {
    await rename(path, target)
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    await copyFile(path, partOf(target))
    await sync(partOf(target))
    await rename(partOf(target), target)
  }
  // A file's fsync() does not cover its entry in the folder: https://man7.org/linux/man-pages/man2/fsync.2.html.
  // All three: the upper two may be new as well, made by this put or by a concurrent one that has not synced yet.
  for (const each of [dirname(target), files, folder]) await sync(each)
}

async function serveFile(
  files: string,
  key: string,
  request: IncomingMessage,
  { mimeType, fileName }: { mimeType: string; fileName: string },
): Promise<Served> {
  const name = nameOf(key)
  const { size } = await stat(join(files, name)).catch((error) => throwUnreadable(files, key, error))
  const { statusCode, headers, stream } = await send(withWeakRange(request), name, {
    root: files,
    acceptRanges: request.method === 'GET' && isOneRange(request.headers.range, size),
    cacheControl: false,
    contentType: false,
  })
  if (headers.ETag !== undefined) headers.ETag = strong(headers.ETag)
  const common = { 'Accept-Ranges': 'bytes', 'Cache-Control': CACHE_CONTROL }
  switch (statusCode) {
    case 200:
    case 206: {
      // An open stream stays readable when the file is deleted.
      if (request.method !== 'HEAD') await once(stream, 'open').catch((error) => throwUnreadable(files, key, error))
      return {
        statusCode,
        headers: {
          ...headers,
          ...common,
          'Content-Length': String(headers['Content-Length']),
          'Content-Type': mimeType,
          'Content-Disposition': disposition(fileName),
        },
        body: request.method === 'HEAD' ? undefined : stream,
      }
    }
    case 304:
      return { statusCode, headers: { ...headers, ...common }, body: undefined }
    // For 412 and 416, the other headers describe an HTML page of @fastify/send.
    case 412:
      return { statusCode, headers: common, body: undefined }
    case 416:
      return {
        statusCode,
        headers: { ...common, 'Content-Range': String(headers['Content-Range']) },
        body: undefined,
      }
    case 404:
      throw new NotStoredError(key, new Error('@fastify/send responded with 404'))
    default:
      throw new Error(`Unexpected status from @fastify/send: ${statusCode}`)
  }
}

/** Makes an ETag strong, as If-Range requires it. The bytes under a key never change. */
const strong = (tag: string) => tag.replace(/^W\//, '')

/** The request with If-Range made weak: the ETags of @fastify/send are weak, and it compares them as strings. */
function withWeakRange({ method, headers }: IncomingMessage): IncomingMessage {
  const tag = headers['if-range'] as string | undefined
  if (!tag?.includes('"')) return { method, headers } as IncomingMessage
  // A weak tag never matches in If-Range (RFC 9110, 13.1.5).
  const range = tag.startsWith('W/') ? '"none"' : `W/${tag}`
  return { method, headers: { ...headers, 'if-range': range } } as Pick<
    IncomingMessage,
    'method' | 'headers'
  > as IncomingMessage
}

function nameOf(key: string): string {
  assertKey(key)
  return `${key.slice(0, 2)}/${key.slice(2)}`
}

/** The path of an unfinished copy. It is beside the target, so that a rename finishes the copy. */
const partOf = (target: string) => `${target}.part`

/**
 * Whether a Range header selects one range. The server may ignore malformed headers and multiple ranges (RFC 9110,
 * 14.2). A suffix longer than the file selects the whole file (14.1.2). @fastify/send 4.2 would respond with 416 to a
 * malformed header and to a long suffix. It would merge multiple ranges into one.
 */
function isOneRange(header: string | undefined, size: number): boolean {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '') return last !== '' && Number(last) <= size
  return first !== undefined && (last === '' || Number(first) <= Number(last))
}

/** Flushes a file's bytes, or a folder's entries, to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const hasCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code

/** A missing file is a NotStoredError, unless its folder is missing as well: then the disk is not mounted. */
async function throwUnreadable(files: string, key: string, error: unknown): Promise<never> {
  if (!hasCode(error, 'ENOENT')) throwFileError(error)
  if (await exists(files)) throw new NotStoredError(key, error)
  throw new StorageError(`The folder ${files} does not exist: is its disk mounted?`, { cause: error })
}
