import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { s3Storage } from '../../src/base/storage/s3.ts'
import { NotStoredError, type Storage } from '../../src/base/storage/storage.ts'
import { type S3, startS3 } from '../helpers/s3.ts'
import { until } from '../helpers/until.ts'

export const KEY = '0123456789abcdef0123456789abcdef'
export const OTHER_KEY = '0123456789abcdef0123456789abcde0'
export const AS = { mimeType: 'image/png', fileName: 'media-1.png' }
export const MIB = 2 ** 20

/** Every byte value, in an order that a lost or repeated byte changes. */
export const bytesOf = (length: number) =>
  Buffer.alloc(
    length,
    Uint8Array.from({ length: 256 + 7 }, (_, index) => index % 256),
  )
export const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

interface Scene {
  folder: string
  storage: Storage
  /** Writes a file with these bytes, to be put into the storage. Returns its path. */
  incoming(bytes: Uint8Array): Promise<string>
  /** Puts a file with these bytes into the storage. */
  put(bytes: Uint8Array, key?: string): Promise<void>
  /** Base URL of a server that serves what is stored. */
  url: string
}

async function createScene(t: Test, storage: Storage, folder: string): Promise<Scene> {
  await mkdir(join(folder, 'incoming'), { recursive: true })
  let count = 0
  const incoming = async (bytes: Uint8Array) => {
    const path = join(folder, 'incoming', String(count++))
    await writeFile(path, bytes)
    return path
  }
  return {
    folder,
    storage,
    incoming,
    put: async (bytes, key = KEY) => storage.put(key, await incoming(bytes), AS.mimeType),
    url: await serve(t, storage),
  }
}

async function serve(t: Test, storage: Storage): Promise<string> {
  const app: FastifyInstance = Fastify({ exposeHeadRoutes: false, forceCloseConnections: true })
  app.route<{ Params: { key: string } }>({
    method: ['GET', 'HEAD'],
    url: '/:key',
    handler: async ({ params: { key }, raw }, reply) => {
      const { statusCode, headers, body } = await storage.serve(key, raw, AS)
      return reply.code(statusCode).headers(headers).send(body)
    },
  })
  app.setErrorHandler((error, _, reply) =>
    reply
      .code(error instanceof NotStoredError ? 404 : 500)
      .send(`${(error as Error).name}: ${(error as Error).message}`),
  )
  t.teardown(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

export async function createFolderScene(t: Test): Promise<Scene> {
  const folder = t.testdir()
  await mkdir(join(folder, 'files'), { mode: 0o700 })
  return createScene(t, folderStorage(folder), folder)
}

export async function createS3Scene(t: Test): Promise<Scene & { s3: S3 }> {
  const folder = t.testdir({ bucket: {} })
  const s3 = await startS3(t, join(folder, 'bucket'))
  return { s3, ...(await createScene(t, s3Storage(s3.options), folder)) }
}

/** Sends one request and returns its response unread. `fetch` would follow redirects, and decode bodies. */
export async function ask(url: string, { method = 'GET', headers = {} } = {}): Promise<IncomingMessage> {
  const sent = request(url, { method, headers, agent: false }).end()
  const [response] = await once(sent, 'response')
  return response
}

export const bodyOf = async (response: IncomingMessage) => Buffer.concat(await response.toArray())

/** For the `skip` of tests that list open files. */
export const withoutProc = !existsSync('/proc/self/fd') && 'no /proc here'

/** The files in `folder` that this process has open. */
export const openFiles = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })

export const untilFilesClosed = (folder: string) =>
  until('no file is open', () => openFiles(folder), { isMet: (files) => files.length === 0 })
