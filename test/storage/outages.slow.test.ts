import { readdir, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { s3Storage } from '../../src/base/storage/s3.ts'
import { NotStoredError, type Storage, StorageError } from '../../src/base/storage/storage.ts'
import { hangFor, refuse } from '../helpers/s3.ts'
import { mountSmallDisk, withoutMounts } from '../helpers/small-disk.ts'
import { AS, bytesOf, createFolderScene, createS3Scene, KEY, MIB, OTHER_KEY } from './scene.ts'

const GET = { method: 'GET', headers: {} } as IncomingMessage

/** Every operation of a storage, by its name. */
const operationsOf = (storage: Storage, incoming: () => Promise<string>): Record<string, () => Promise<unknown>> => ({
  put: async () => storage.put(OTHER_KEY, await incoming(), AS.mimeType),
  remove: () => storage.remove(KEY),
  read: () => storage.read(KEY),
  serve: () => storage.serve(KEY, GET, AS),
  check: () => storage.check(),
})

const errorOf = (work: Promise<unknown>) => work.then(String, (error) => error)

type Answer = (request: IncomingMessage, response: ServerResponse) => boolean

const FAULTS: [name: string, answer: Answer, message: RegExp][] = [
  ['accepts requests and never responds', () => true, /^S3 did not respond within \d+ ms$/],
  ['refuses access', (_, response) => refuse(response, 403, 'AccessDenied'), /^S3 responded with 403/],
  ['fails', (_, response) => refuse(response, 500, 'InternalError'), /^S3 responded with 500/],
  // The pauses between its attempts may use up the time of a call.
  ['is overloaded', (_, response) => refuse(response, 503, 'SlowDown'), /^S3 (?:responded with 503|did not respond)/],
  ['has lost the session', (_, response) => refuse(response, 400, 'ExpiredToken'), /^S3 responded with 400/],
  ['resets connections', ({ socket }) => socket.resetAndDestroy() !== undefined, /^S3 cannot be reached: ECONNRESET$/],
]
for (const [name, answer, message] of FAULTS) {
  t.test(`a bucket whose service ${name} is a storage that cannot be used, for every operation`, async (t) => {
    const { storage, incoming, put, s3 } = await createS3Scene(t)
    await put(Buffer.from('hello'))
    s3.answer = answer
    const runs = Object.entries(operationsOf(storage, () => incoming(Buffer.from('x'))))
    // Concurrently, because each may wait for seconds.
    const errors = await Promise.all(runs.map(async ([operation, run]) => [operation, await errorOf(run())] as const))
    for (const [operation, error] of errors) {
      t.ok(error instanceof StorageError, `${operation}: ${error}`)
      t.match(error.message, message, operation)
      t.notOk(error.isFull)
    }
    s3.answer = () => false
    await storage.check()
    t.equal(Buffer.concat(await (await storage.read(KEY)).toArray()).toString(), 'hello')
  })
}

t.test('a service that nothing listens for, and a bucket that does not exist, cannot be used', async (t) => {
  const { incoming, s3 } = await createS3Scene(t)
  const nowhere = s3Storage({ ...s3.options, endpoint: 'http://127.0.0.1:9' })
  for (const [operation, run] of Object.entries(operationsOf(nowhere, () => incoming(Buffer.from('x'))))) {
    t.equal((await errorOf(run())).message, 'S3 cannot be reached: ECONNREFUSED', operation)
  }
  const elsewhere = s3Storage({ ...s3.options, bucket: 'none' })
  t.equal((await errorOf(elsewhere.check())).message, 'S3 responded with 404 NoSuchBucket to PutObject')
})

for (const [name, size, last] of [
  ['a small object', 10, /^PUT .*PutObject/],
  ['the second part', 20 * MIB, /partNumber=2/],
  ['the end of an upload in parts', 20 * MIB, /^POST .*uploadId=/],
] as const) {
  t.test(`an upload ends before a service responds that hangs for 4.5 s at ${name}`, async (t) => {
    const { storage, incoming, s3 } = await createS3Scene(t)
    s3.answer = (request, response) => {
      if (!last.test(`${request.method} ${request.url}`)) return false
      hangFor(t, s3, 18)
      return s3.answer(request, response)
    }
    const error = await errorOf(storage.put(KEY, await incoming(bytesOf(size)), AS.mimeType))
    t.ok(error instanceof StorageError, String(error))
    t.match(error.message, /^S3 did not respond within/)
    t.notOk(
      s3.requests.some((request) => request.includes('partNumber=3') && name === 'the second part'),
      'no further part is sent',
    )
  })
}

for (const [name, answerProbe] of [
  ['is slow, but responds', () => false],
  ['loses three of four responses', (probe) => probe % 4 !== 0],
  ['responds to probes with errors', (_, response) => refuse(response, 500, 'InternalError')],
] as [string, (probe: number, response: ServerResponse) => boolean][]) {
  t.test(`an upload goes on while the service ${name}`, async (t) => {
    const { storage, incoming, s3 } = await createS3Scene(t)
    let upload: ServerResponse | undefined
    let probes = 0
    s3.answer = ({ method }, response) => {
      if (!upload) {
        if (method === 'PUT') upload = response
        return upload !== undefined
      }
      if (++probes === 12) {
        s3.answer = () => false
        refuse(upload, 503, 'SlowDown')
      }
      return answerProbe(probes, response)
    }
    await storage.put(KEY, await incoming(Buffer.from('slow')), AS.mimeType)
    t.equal(
      Buffer.concat(await (await storage.read(KEY)).toArray()).toString(),
      'slow',
      'the repeated request succeeded',
    )
  })
}

t.test('a service that reports that its space is used up is full', async (t) => {
  const { storage, s3 } = await createS3Scene(t)
  for (const [status, code] of [
    [403, 'QuotaExceeded'],
    [507, 'XMinioStorageFull'],
  ] as const) {
    s3.answer = ({ method }, response) => method === 'PUT' && refuse(response, status, code)
    const { isFull, message } = await errorOf(storage.check())
    t.strictSame([isFull, message], [true, `S3 responded with ${status} ${code} to PutObject`])
  }
})

t.test('a check leaves nothing behind, and finds a service that returns other bytes', async (t) => {
  const s3 = await createS3Scene(t)
  await s3.storage.check()
  t.strictSame(
    s3.s3.requests.map((request) => request.replace(/check-[^?]+/, 'check')),
    [
      'HEAD /media/check',
      'PUT /media/check?x-id=PutObject',
      'GET /media/check?x-id=GetObject',
      'DELETE /media/check?x-id=DeleteObject',
    ],
  )
  s3.s3.answer = ({ method }, response) => {
    if (method === 'GET') response.end('other')
    return method === 'GET'
  }
  t.equal((await errorOf(s3.storage.check())).message, 'S3 returns other bytes than were written')

  const folder = await createFolderScene(t)
  await folder.storage.check()
  t.strictSame(await readdir(join(folder.folder, 'files')), [])
})

t.test('a file is missing only if its folder is there: otherwise the disk is away', async (t) => {
  const { storage, folder } = await createFolderScene(t)
  t.ok((await errorOf(storage.read(KEY))) instanceof NotStoredError)
  await rm(join(folder, 'files'), { recursive: true })
  for (const operation of ['read', 'serve'] as const) {
    const error = await errorOf(operationsOf(storage, async () => '')[operation]!())
    t.ok(error instanceof StorageError, operation)
    t.match(error.message, /files does not exist: is its disk mounted\?$/)
  }
})

t.test('a full disk is a storage without space', { skip: withoutMounts }, async (t) => {
  const folder = mountSmallDisk(t, 64)
  const storage = folderStorage(folder)
  await storage.check()
  await writeFile(join(folder, 'other'), Buffer.alloc(65_536)).catch(() => {})
  const { folder: elsewhere } = await createFolderScene(t)
  const path = join(elsewhere, 'incoming', 'new')
  await writeFile(path, bytesOf(10_000))
  for (const work of [storage.check(), storage.put(KEY, path, AS.mimeType)]) {
    const error = await errorOf(work)
    t.ok(error instanceof StorageError, String(error))
    t.hasStrict(error, { isFull: true })
    t.match(error.message, /^ENOSPC: no space left on device/)
  }
  await rm(join(folder, 'other'))
  await storage.check()
})
