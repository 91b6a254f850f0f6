import { existsSync, readlinkSync, rmSync, statSync } from 'node:fs'
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  rmdir,
  utimes,
  writeFile,
} from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { collectProblems } from '../helpers/problems.ts'
import {
  AS,
  ask,
  bodyOf,
  bytesOf,
  createFolderScene,
  hashOf,
  KEY,
  MIB,
  OTHER_KEY,
  openFiles,
  untilFilesClosed,
  withoutProc,
} from './scene.ts'

t.test('one range is served; every other Range header gets the whole file', async (t) => {
  const { put, url } = await createFolderScene(t)
  const bytes = bytesOf(1000)
  await put(bytes)
  const get = (range: string, method = 'GET') => ask(`${url}/${KEY}`, { method, headers: { range } })

  const parts: [range: string, first: number, last: number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=500-599', 500, 599],
    ['bytes=900-', 900, 999],
    ['bytes=900-5000', 900, 999],
    ['bytes=-1', 999, 999],
    ['bytes=-1000', 0, 999],
  ]
  const { problems, check } = collectProblems()
  for (const [range, first, last] of parts) {
    const response = await get(range)
    const { statusCode, headers } = response
    check([statusCode, headers['content-range']], [206, `bytes ${first}-${last}/1000`], range)
    check(headers['content-length'], String(last - first + 1), `${range}: length`)
    check([headers['content-type'], headers['accept-ranges']], ['image/png', 'bytes'], range)
    check((await bodyOf(response)).equals(bytes.subarray(first, last + 1)), true, `${range}: the bytes are right`)
  }

  for (const range of ['bytes=1000-', 'bytes=5000-6000', 'bytes=-0']) {
    const response = await get(range)
    const { statusCode, headers } = response
    check([statusCode, headers['content-range']], [416, 'bytes */1000'], range)
    check([headers['content-length'], headers['content-type']], ['0', undefined], range)
    check((await bodyOf(response)).length, 0, `${range}: length`)
  }

  const ignored = ['bytes=-5000', 'bytes=9-3', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=1-2x', 'bytes 0-1', 'lines=0-1']
  for (const range of [...ignored, 'bytes=0-1,5-6', 'bytes=0-5,3-9', 'bytes=0-1,', `bytes=${'0-1,'.repeat(1000)}2-3`]) {
    const response = await get(range)
    const { statusCode, headers } = response
    check([statusCode, headers['content-length'], headers['content-range']], [200, '1000', undefined], range)
    check((await bodyOf(response)).equals(bytes), true, `${range}: the bytes are right`)
  }
  t.strictSame(problems, [])

  const head = await get('bytes=0-1', 'HEAD')
  t.equal(head.statusCode, 200, 'Range applies to GET only')
  t.equal(head.headers['content-length'], '1000')
})

t.test('conditional requests and If-Range are honoured', async (t) => {
  const { put, url, incoming, storage } = await createFolderScene(t)
  const path = await incoming(bytesOf(1000))
  await utimes(path, new Date(), new Date('2026-03-01T10:00:00.250Z'))
  await storage.put(KEY, path, AS.mimeType)
  await put(bytesOf(999), OTHER_KEY)
  const { etag = '', 'last-modified': modified = '' } = (await ask(`${url}/${KEY}`, { method: 'HEAD' })).headers
  const { etag: otherTag = '' } = (await ask(`${url}/${OTHER_KEY}`, { method: 'HEAD' })).headers
  t.equal(modified, 'Sun, 01 Mar 2026 10:00:00 GMT')
  t.not(etag, otherTag)
  t.match(etag, /^"/, 'strong, as If-Range requires')
  const earlier = 'Sat, 28 Feb 2026 10:00:00 GMT'
  const range = 'bytes=10-19'

  const cases: [headers: Record<string, string>, status: number][] = [
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"x", ${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': otherTag }, 200],
    [{ 'if-none-match': etag, range }, 304],
    [{ 'if-modified-since': modified }, 304],
    [{ 'if-modified-since': earlier }, 200],
    [{ 'if-modified-since': modified, 'if-none-match': otherTag }, 200],
    [{ 'if-match': otherTag }, 412],
    [{ 'if-match': '*' }, 200],
    [{ 'if-unmodified-since': earlier }, 412],
    [{ range, 'if-range': etag }, 206],
    [{ range, 'if-range': `W/${etag}` }, 200],
    [{ range, 'if-range': otherTag }, 200],
    [{ range, 'if-range': modified }, 206],
    [{ range, 'if-range': earlier }, 200],
  ]
  const { problems, check } = collectProblems()
  for (const method of ['GET', 'HEAD']) {
    for (const [headers, status] of cases) {
      const response = await ask(`${url}/${KEY}`, { method, headers })
      const expected = method === 'HEAD' && status === 206 ? 200 : status
      const name = `${method} ${JSON.stringify(headers)}`
      check([response.statusCode, response.headers['cache-control']], [expected, 'private, no-cache'], name)
      const length = method === 'HEAD' ? 0 : { 200: 1000, 206: 10 }[expected]
      check((await bodyOf(response)).length, length ?? 0, `${name}: length`)
      if (expected === 304) {
        check([response.headers.etag, response.headers['last-modified']], [etag, modified], name)
      }
      if (expected > 300) check(response.headers['content-type'], undefined, `${name}: type`)
    }
  }
  t.strictSame(problems, [])
})

t.test('put moves the file and removes the permissions of other users', async (t) => {
  const { storage, incoming, folder } = await createFolderScene(t)
  const path = await incoming(bytesOf(10))
  const { ino } = statSync(path)
  await storage.put(KEY, path, AS.mimeType)
  const target = join(folder, 'files', '01', '23456789abcdef0123456789abcdef')
  t.equal(statSync(target).ino, ino)
  t.notOk(existsSync(path))
  t.equal(statSync(target).mode & 0o777, 0o600)
  for (const each of ['files', 'files/01']) t.equal(statSync(join(folder, each)).mode & 0o777, 0o700)
})

t.test('put flushes the file and the folders above it to the disk', { skip: withoutProc }, async (t) => {
  const { storage, incoming, folder } = await createFolderScene(t)
  const path = await incoming(bytesOf(10))
  const handle = await open(path)
  await handle.close()
  const synced: string[] = []
  const prototype: { sync(): Promise<void> } = Object.getPrototypeOf(handle)
  t.intercept(prototype, 'sync', {
    value: async function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
    },
  })
  await storage.put(KEY, path, AS.mimeType)
  t.strictSame(synced, [path, join(folder, 'files', '01'), join(folder, 'files'), folder])
})

t.test('if the target folder cannot be created, nothing is stored and the file stays', async (t) => {
  const { storage, incoming, folder, url } = await createFolderScene(t)
  await rmdir(join(folder, 'files'))
  await writeFile(join(folder, 'files'), 'in the way')
  const path = await incoming(Buffer.from('x'))
  await t.rejects(storage.put(KEY, path, AS.mimeType), { message: /^(?:ENOTDIR|EEXIST): / })
  t.equal(await readFile(path, 'utf8'), 'x')
  await rm(join(folder, 'files'))
  await mkdir(join(folder, 'files'))
  t.equal((await fetch(`${url}/${KEY}`)).status, 404)
})

const withoutSecond =
  (!existsSync('/dev/shm') || statSync('/dev/shm').dev === statSync('.').dev) && 'no second file system here'
t.test(
  'a file from another file system is copied, and remove deletes an unfinished copy',
  { skip: withoutSecond },
  async (t) => {
    const { storage, folder, url } = await createFolderScene(t)
    const elsewhere = await mkdtemp('/dev/shm/postroom-')
    t.teardown(() => rm(elsewhere, { recursive: true }))
    const path = join(elsewhere, 'x')
    const bytes = bytesOf(3 * MIB)
    await writeFile(path, bytes)
    await storage.put(KEY, path, AS.mimeType)
    t.equal(hashOf(await (await fetch(`${url}/${KEY}`)).bytes()), hashOf(bytes))
    const target = join(folder, 'files', '01', KEY.slice(2))
    t.strictSame(await readdir(join(folder, 'files', '01')), [KEY.slice(2)])
    t.equal(statSync(target).mode & 0o777, 0o600)

    await storage.remove(KEY)
    await writeFile(`${target}.part`, 'left by a killed process')
    await storage.remove(KEY)
    t.strictSame(await readdir(join(folder, 'files', '01')), [])
  },
)

t.test('a response that has started is complete although the file is deleted', async (t) => {
  const { put, storage, folder } = await createFolderScene(t)
  const bytes = bytesOf(3 * MIB)
  await put(bytes)
  const { body } = await storage.serve(KEY, { method: 'GET', headers: {} } as IncomingMessage, AS)
  rmSync(join(folder, 'files'), { recursive: true })
  t.equal(hashOf(Buffer.concat(await body!.toArray())), hashOf(bytes))
})

t.test('no file stays open, however a request ends', { skip: withoutProc }, async (t) => {
  const { put, storage, url, folder } = await createFolderScene(t)
  await put(bytesOf(20 * MIB))
  const { etag = '' } = (await ask(`${url}/${KEY}`, { method: 'HEAD' })).headers
  const requests: { method?: string; headers?: Record<string, string> }[] = [
    { method: 'HEAD' },
    { headers: { 'if-none-match': etag } },
    { headers: { 'if-match': '"x"' } },
    { headers: { range: 'bytes=99999999-' } },
    { headers: { range: 'bytes=0-9' } },
  ]
  for (const each of requests) await bodyOf(await ask(`${url}/${KEY}`, each))
  const head = await storage.serve(KEY, { method: 'HEAD', headers: {} } as IncomingMessage, AS)
  t.equal(head.body, undefined)
  await untilFilesClosed(folder)

  const unread = await Promise.all(Array.from({ length: 10 }, () => ask(`${url}/${KEY}`)))
  t.equal(openFiles(folder).length, 10)
  for (const response of unread) response.destroy()
  await untilFilesClosed(folder)
})
