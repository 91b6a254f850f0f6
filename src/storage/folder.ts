import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { access, chmod, copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { send } from '@fastify/send'
import { assertKey, CACHE_CONTROL, disposition, NotStored, type Storage } from './storage.ts'

/**
 * Media as files in `folder`/files, in up to 256 folders. Files that are put should lie on the same file system, such as
 * in `folder`/incoming: then they are moved, not copied.
 */
export function folderStorage(folder: string): Storage {
  const files = resolve(folder, 'files')

  return {
    async put(key, path) {
      const target = join(files, nameOf(key))
      await chmod(path, 0o600)
      await sync(path)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      // rename() replaces. link() would refuse, but shares over SMB and exFAT have no links, and nobody else has this key.
      if (await exists(target)) throw new Error(`There is a file under ${key} already`)
      try {
        await rename(path, target)
      } catch (error) {
        if (!hasCode(error, 'EXDEV')) throw error
        await copyFile(path, partOf(target))
        await sync(partOf(target))
        await rename(partOf(target), target)
      }
      // A file's fsync() does not cover its entry in the folder: https://man7.org/linux/man-pages/man2/fsync.2.html.
      // All three, since the upper two may be new as well, made by this put or by another one that has not come back.
      for (const each of [dirname(target), files, folder]) await sync(each)
    },

    async remove(key) {
      const target = join(files, nameOf(key))
      await rm(target, { force: true })
      await rm(partOf(target), { force: true })
    },

    async read(key) {
      const stream = createReadStream(join(files, nameOf(key)))
      await once(stream, 'open').catch(orNotStored)
      return stream
    },

    async serve(key, request, { mimeType, fileName }) {
      const name = nameOf(key)
      const { size } = await stat(join(files, name)).catch(orNotStored)
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
          // Once it is open, a deletion no longer matters to it.
          if (request.method !== 'HEAD') await once(stream, 'open').catch(orNotStored)
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
        // The other headers of these two describe a page of HTML that comes with them.
        case 412:
          return { statusCode, headers: common, body: undefined }
        case 416:
          return {
            statusCode,
            headers: { ...common, 'Content-Range': String(headers['Content-Range']) },
            body: undefined,
          }
        case 404:
          throw new NotStored()
        default:
          throw new Error(`@fastify/send answers ${statusCode}`)
      }
    },
  }
}

/** The bytes under a key never change, so that their tag holds for each of them, and a range can go by it. */
const strong = (tag: string) => tag.replace(/^W\//, '')

/** The request as @fastify/send has to see it, whose own tags are weak and which compares them as they stand. */
function withWeakRange({ method, headers }: IncomingMessage): IncomingMessage {
  const tag = headers['if-range'] as string | undefined
  if (!tag?.includes('"')) return { method, headers } as IncomingMessage
  // A weak one never holds for a range (RFC 9110, 13.1.5).
  const range = tag.startsWith('W/') ? '"none"' : `W/${tag}`
  return { method, headers: { ...headers, 'if-range': range } } as unknown as IncomingMessage
}

function nameOf(key: string): string {
  assertKey(key)
  return `${key.slice(0, 2)}/${key.slice(2)}`
}

/** Where a copy grows: beside its target, to get there by a rename within one file system. */
const partOf = (target: string) => `${target}.part`

/**
 * Whether to act on a Range header. What is malformed or asks for several ranges is ignored, which RFC 9110, 14.2 leaves
 * to the server, and so is a suffix longer than the file, which asks for all of it (14.1.2): @fastify/send 4.2 would
 * answer 416 to those, and melt several ranges into one.
 */
function isOneRange(header: string | undefined, size: number): boolean {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '') return last !== '' && Number(last) <= size
  return first !== undefined && (last === '' || Number(first) <= Number(last))
}

/** Waits until a file's bytes, or a folder's entries, are on the disk. */
async function sync(path: string): Promise<void> {
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

function orNotStored(error: unknown): never {
  throw hasCode(error, 'ENOENT') ? new NotStored() : error
}
