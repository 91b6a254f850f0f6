import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, mkdtemp, open, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { folderStorage } from '../../src/storage/folder.ts'
import { s3Storage } from '../../src/storage/s3.ts'
import { NotStored, type Storage } from '../../src/storage/storage.ts'
import { refuse, type S3, startS3 } from '../helpers/s3.ts'

const KEY = '0123456789abcdef0123456789abcdef'
const OTHER_KEY = '0123456789abcdef0123456789abcde0'
const AS = { mimeType: 'image/png', fileName: 'media-1.png' }
const MIB = 2 ** 20

/** Every byte there is, in an order that a lost or doubled one changes. */
const bytesOf = (length: number) =>
  Buffer.alloc(
    length,
    Uint8Array.from({ length: 256 + 7 }, (_, index) => index % 256),
  )
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

interface World {
  folder: string
  storage: Storage
  /** A file that is about to be put, with these bytes. */
  incoming(bytes: Uint8Array): Promise<string>
  /** Puts a file with these bytes. */
  put(bytes: Uint8Array, key?: string): Promise<void>
  /** Where what is stored can be fetched, as the service would give it. */
  url: string
}

/** A storage, and a service that gives what is in it. */
async function createWorld(t: Test, create: (folder: string) => Storage, folder: string): Promise<World> {
  const storage = create(folder)
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
    reply.code(error instanceof NotStored ? 404 : 500).send(`${(error as Error).name}: ${(error as Error).message}`),
  )
  t.teardown(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

const createLocal = (t: Test) => createWorld(t, folderStorage, t.testdir())

async function createS3(t: Test): Promise<World & { s3: S3 }> {
  const folder = t.testdir({ bucket: {} })
  const s3 = await startS3(t, join(folder, 'bucket'))
  return { s3, ...(await createWorld(t, () => s3Storage(s3.options), folder)) }
}

/** What Node's `fetch` hides: the answer to exactly this request, its body unread. */
async function ask(url: string, { method = 'GET', headers = {} } = {}): Promise<IncomingMessage> {
  const sent = request(url, { method, headers, agent: false }).end()
  const [answer] = await once(sent, 'response')
  return answer
}

const bodyOf = async (answer: IncomingMessage) => Buffer.concat(await answer.toArray())

/** Which files in `folder` this process has open. */
const openFiles = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })

/** Those that are not closed when there has been the time for it. */
async function filesLeftOpen(folder: string): Promise<string[]> {
  for (let attempt = 0; attempt < 20 && openFiles(folder).length > 0; attempt++) await sleep(50)
  return openFiles(folder)
}
const withoutProc = !existsSync('/proc/self/fd') && 'no /proc here'

for (const [name, create] of [
  ['local', createLocal],
  ['S3', createS3],
] as const) {
  t.test(`${name}: what is put is given back, byte by byte`, async (t) => {
    const { put, url, storage } = await create(t)
    for (const length of [0, 1, 256, 300_000, 8 * MIB, 8 * MIB + 1, 20 * MIB + 123]) {
      const bytes = bytesOf(length)
      await put(bytes)
      const reply = await fetch(`${url}/${KEY}`, { headers: { authorization: 'Bearer pr_x' } })
      t.equal(reply.status, 200)
      t.match(Object.fromEntries(reply.headers), {
        'content-type': 'image/png',
        'content-length': String(length),
        'content-disposition': 'inline; filename="media-1.png"',
        'cache-control': 'private, no-cache',
      })
      t.equal(hashOf(await reply.bytes()), hashOf(bytes), `${length} bytes`)
      await storage.remove(KEY)
    }
  })

  t.test(`${name}: what is put can be read again, from its beginning each time`, async (t) => {
    const { put, storage } = await create(t)
    for (const length of [0, 1, 8 * MIB + 1]) {
      const bytes = bytesOf(length)
      await put(bytes)
      for (const time of ['first', 'second']) {
        const stream = await storage.read(KEY)
        t.equal(hashOf(Buffer.concat(await stream.toArray())), hashOf(bytes), `${length} bytes, the ${time} time`)
      }
      await storage.remove(KEY)
      t.ok((await storage.read(KEY).catch((error) => error)) instanceof NotStored, 'removed')
    }
    t.ok((await storage.read(OTHER_KEY).catch((error) => error)) instanceof NotStored, 'never put')
    await t.rejects(storage.read('../secret'), { message: /A storage key has 32/ })
  })

  t.test(`${name}: HEAD tells what GET would, without a body`, async (t) => {
    const { put, url } = await create(t)
    await put(bytesOf(1000))
    const [head, get] = [await fetch(`${url}/${KEY}`, { method: 'HEAD' }), await fetch(`${url}/${KEY}`)]
    t.equal(head.status, 200)
    t.equal((await head.bytes()).length, 0)
    for (const header of ['content-length', 'content-type', 'content-disposition', 'etag', 'last-modified']) {
      t.ok(head.headers.get(header), header)
      t.equal(head.headers.get(header), get.headers.get(header), header)
    }
  })

  t.test(`${name}: nothing is stored of a file that is not there`, async (t) => {
    const { storage, folder, url } = await create(t)
    await t.rejects(storage.put(KEY, join(folder, 'incoming', 'none'), AS.mimeType), { code: 'ENOENT' })
    t.equal((await fetch(`${url}/${KEY}`)).status, 404)
  })

  t.test(`${name}: nothing is overwritten`, async (t) => {
    const { storage, put, incoming, url } = await create(t)
    await put(Buffer.from('first'))
    const second = await incoming(Buffer.from('second'))
    await t.rejects(storage.put(KEY, second, AS.mimeType), /already/)
    t.equal(await (await fetch(`${url}/${KEY}`)).text(), 'first')
    t.equal(await readFile(second, 'utf8'), 'second')
  })

  t.test(`${name}: what is removed is gone, and nothing else; removing is no error if there is nothing`, async (t) => {
    const { storage, put, url } = await create(t)
    await storage.remove(KEY)
    await put(Buffer.from('one'))
    await put(Buffer.from('other'), OTHER_KEY)
    await storage.remove(KEY)
    await storage.remove(KEY)
    for (const method of ['GET', 'HEAD']) t.equal((await fetch(`${url}/${KEY}`, { method })).status, 404)
    t.equal(await (await fetch(`${url}/${OTHER_KEY}`)).text(), 'other')
    await put(Buffer.from('again'))
    t.equal(await (await fetch(`${url}/${KEY}`)).text(), 'again')
  })

  t.test(`${name}: what is no key is refused before it becomes a path`, async (t) => {
    const { storage, incoming, folder } = await create(t)
    const path = await incoming(Buffer.from('x'))
    const before = await readdir(folder, { recursive: true })
    const wrong = ['', '../../../etc/passwd', 'x'.repeat(32), KEY.toUpperCase(), `${KEY}0`, KEY.slice(1), `${KEY}\n`]
    for (const key of [...wrong, `..${KEY.slice(2)}`, `${KEY.slice(3)}/..`]) {
      await t.rejects(storage.put(key, path, AS.mimeType), TypeError)
      await t.rejects(storage.remove(key), TypeError)
      await t.rejects(storage.serve(key, { method: 'GET', headers: {} } as IncomingMessage, AS), TypeError)
    }
    t.strictSame(await readdir(folder, { recursive: true }), before)
  })

  t.test(`${name}: many at once`, async (t) => {
    const { put, storage, url } = await create(t)
    const keys = Array.from({ length: 30 }, (_, index) => hashOf(Buffer.from([index])).slice(0, 32))
    await Promise.all(keys.map((key) => put(Buffer.from(key), key)))
    const texts = await Promise.all(keys.map(async (key) => (await fetch(`${url}/${key}`)).text()))
    t.strictSame(texts, keys)
    await Promise.all(keys.map((key) => storage.remove(key)))
    for (const key of keys) t.equal((await fetch(`${url}/${key}`)).status, 404)
  })
}

t.test('local: one range is given, anything else is all of it', async (t) => {
  const { put, url } = await createLocal(t)
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
  for (const [range, first, last] of parts) {
    const answer = await get(range)
    t.equal(answer.statusCode, 206, range)
    t.match(answer.headers, {
      'content-range': `bytes ${first}-${last}/1000`,
      'content-length': String(last - first + 1),
      'content-type': 'image/png',
      'accept-ranges': 'bytes',
    })
    t.ok((await bodyOf(answer)).equals(bytes.subarray(first, last + 1)), range)
  }

  for (const range of ['bytes=1000-', 'bytes=5000-6000', 'bytes=-0']) {
    const answer = await get(range)
    t.equal(answer.statusCode, 416, range)
    t.match(answer.headers, { 'content-range': 'bytes */1000', 'content-length': '0' })
    t.notOk(answer.headers['content-type'])
    t.equal((await bodyOf(answer)).length, 0)
  }

  const ignored = ['bytes=-5000', 'bytes=9-3', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=1-2x', 'bytes 0-1', 'lines=0-1']
  for (const range of [...ignored, 'bytes=0-1,5-6', 'bytes=0-5,3-9', 'bytes=0-1,', `bytes=${'0-1,'.repeat(1000)}2-3`]) {
    const answer = await get(range)
    t.equal(answer.statusCode, 200, range)
    t.equal(answer.headers['content-length'], '1000')
    t.notOk(answer.headers['content-range'])
    t.ok((await bodyOf(answer)).equals(bytes), range)
  }

  const head = await get('bytes=0-1', 'HEAD')
  t.equal(head.statusCode, 200, 'a range is for GET only')
  t.equal(head.headers['content-length'], '1000')
})

t.test('local: what the client has is not sent again, and what it has part of is continued', async (t) => {
  const { put, url, incoming, storage } = await createLocal(t)
  const path = await incoming(bytesOf(1000))
  await utimes(path, new Date(), new Date('2026-03-01T10:00:00.250Z'))
  await storage.put(KEY, path, AS.mimeType)
  await put(bytesOf(999), OTHER_KEY)
  const { etag = '', 'last-modified': modified = '' } = (await ask(`${url}/${KEY}`, { method: 'HEAD' })).headers
  const { etag: otherTag = '' } = (await ask(`${url}/${OTHER_KEY}`, { method: 'HEAD' })).headers
  t.equal(modified, 'Sun, 01 Mar 2026 10:00:00 GMT')
  t.not(etag, otherTag)
  t.match(etag, /^"/, 'strong, as a range needs it')
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
  for (const method of ['GET', 'HEAD']) {
    for (const [headers, status] of cases) {
      const answer = await ask(`${url}/${KEY}`, { method, headers })
      const expected = method === 'HEAD' && status === 206 ? 200 : status
      t.equal(answer.statusCode, expected, `${method} ${JSON.stringify(headers)}`)
      const length = method === 'HEAD' ? 0 : { 200: 1000, 206: 10 }[expected]
      t.equal((await bodyOf(answer)).length, length ?? 0)
      t.equal(answer.headers['cache-control'], 'private, no-cache')
      if (expected === 304) t.match(answer.headers, { etag, 'last-modified': modified })
      if (expected > 300) t.notOk(answer.headers['content-type'])
    }
  }
})

t.test('local: the file is moved, and closed to other users', async (t) => {
  const { storage, incoming, folder } = await createLocal(t)
  const path = await incoming(bytesOf(10))
  const { ino } = statSync(path)
  await storage.put(KEY, path, AS.mimeType)
  const target = join(folder, 'files', '01', '23456789abcdef0123456789abcdef')
  t.equal(statSync(target).ino, ino)
  t.notOk(existsSync(path))
  t.equal(statSync(target).mode & 0o777, 0o600)
  for (const each of ['files', 'files/01']) t.equal(statSync(join(folder, each)).mode & 0o777, 0o700)
})

t.test(
  'local: what is acknowledged is on the disk, and so are the folders that name it',
  { skip: withoutProc },
  async (t) => {
    const { storage, incoming, folder } = await createLocal(t)
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
  },
)

t.test('local: where there is no way to the target, nothing is stored and the file stays', async (t) => {
  const { storage, incoming, folder, url } = await createLocal(t)
  await writeFile(join(folder, 'files'), 'in the way')
  const path = await incoming(Buffer.from('x'))
  await t.rejects(storage.put(KEY, path, AS.mimeType), { code: /^(?:ENOTDIR|EEXIST)$/ })
  t.equal(await readFile(path, 'utf8'), 'x')
  await rm(join(folder, 'files'))
  t.equal((await fetch(`${url}/${KEY}`)).status, 404)
})

const withoutSecond =
  (!existsSync('/dev/shm') || statSync('/dev/shm').dev === statSync('.').dev) && 'no second file system here'
t.test(
  'local: a file on another file system is copied, and nothing half is left',
  { skip: withoutSecond },
  async (t) => {
    const { storage, folder, url } = await createLocal(t)
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
    await writeFile(`${target}.part`, 'what a killed process has left')
    await storage.remove(KEY)
    t.strictSame(await readdir(join(folder, 'files', '01')), [])
  },
)

t.test('local: what has been promised is given, though it is deleted meanwhile', async (t) => {
  const { put, storage, folder } = await createLocal(t)
  const bytes = bytesOf(3 * MIB)
  await put(bytes)
  const { body } = await storage.serve(KEY, { method: 'GET', headers: {} } as IncomingMessage, AS)
  rmSync(join(folder, 'files'), { recursive: true })
  t.equal(hashOf(Buffer.concat(await body!.toArray())), hashOf(bytes))
})

t.test('local: no file stays open, however the request ends', { skip: withoutProc }, async (t) => {
  const { put, storage, url, folder } = await createLocal(t)
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
  t.strictSame(await filesLeftOpen(folder), [])

  const unread = await Promise.all(Array.from({ length: 10 }, () => ask(`${url}/${KEY}`)))
  t.equal(openFiles(folder).length, 10)
  for (const answer of unread) answer.destroy()
  t.strictSame(await filesLeftOpen(folder), [], 'the client has gone away')
})

/**
 * The signature of an address by the description of it, since s3rver checks none:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
function signatureOf(method: string, url: URL, { secretAccessKey }: { secretAccessKey: string }): string {
  const [, ...scope] = url.searchParams.get('X-Amz-Credential')!.split('/')
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .sort()
    .join('&')
  const canonical = [method, url.pathname, query, `host:${url.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const text = [
    'AWS4-HMAC-SHA256',
    url.searchParams.get('X-Amz-Date'),
    scope.join('/'),
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n')
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
  return hmac(scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`), text).toString('hex')
}

t.test('S3: an address is given that is good for minutes, for this method, and needs no key of ours', async (t) => {
  const { storage, incoming, url, s3 } = await createS3(t)
  const bytes = bytesOf(1000)
  await storage.put(KEY, await incoming(bytes), 'image/gif')
  const object = `/media/${KEY}`
  t.equal((await fetch(new URL(object, s3.options.endpoint))).headers.get('content-type'), 'image/gif')
  for (const method of ['GET', 'HEAD']) {
    const redirect = await ask(`${url}/${KEY}`, { method })
    t.equal(redirect.statusCode, 307)
    t.equal(redirect.headers['cache-control'], 'no-store')
    t.equal((await bodyOf(redirect)).length, 0)
    const location = new URL(redirect.headers.location!)
    t.equal(location.pathname, object)
    t.equal(location.searchParams.get('X-Amz-Expires'), '300')
    t.equal(location.searchParams.get('X-Amz-Signature'), signatureOf(method, location, s3.options.credentials))
    t.equal(location.searchParams.get('X-Amz-SignedHeaders'), 'host', 'nothing that a client would have to send')
    t.notOk(location.searchParams.has('x-amz-checksum-mode'), 'nothing that only AWS knows')
    const answer = await ask(location.href, { method, headers: { range: 'bytes=10-19' } })
    t.match(answer.headers, { 'content-type': 'image/png', 'content-disposition': 'inline; filename="media-1.png"' })
    const body = await bodyOf(answer)
    if (method === 'GET') t.ok(body.equals(bytes.subarray(10, 20)), 'ranges are for S3 to give')
  }
})

t.test('S3: plain requests of bounded size, that every service understands', async (t) => {
  const { put, s3 } = await createS3(t)
  const sent: IncomingMessage[] = []
  s3.answer = (request) => sent.push(request) === 0
  await put(bytesOf(20 * MIB))
  await put(bytesOf(10), OTHER_KEY)
  const summary = sent.map(({ method, url, headers }) => {
    t.notMatch(Object.keys(headers).join(), /checksum|trailer/)
    t.notOk(headers['content-encoding'])
    return `${method} ${url!.replace(/uploadId=[^&]+/, 'uploadId=…')} ${headers['content-length'] ?? 0}`
  })
  t.strictSame(summary, [
    `HEAD /media/${KEY} 0`,
    `POST /media/${KEY}?uploads= 0`,
    ...[1, 2, 3, 4].map((part) => `PUT /media/${KEY}?partNumber=${part}&uploadId=…&x-id=UploadPart ${5 * MIB}`),
    `POST /media/${KEY}?uploadId=… ${sent[6]!.headers['content-length']}`,
    `HEAD /media/${OTHER_KEY} 0`,
    `PUT /media/${OTHER_KEY}?x-id=PutObject 10`,
  ])
  const parts = sent.filter(({ method }) => method === 'PUT')
  for (const { headers } of parts) t.match(headers['x-amz-content-sha256'], /^[0-9a-f]{64}$/)
})

t.test('S3: an upload that fails leaves nothing, and says why it failed', async (t) => {
  const refusals: [name: string, refused: RegExp, length: number][] = [
    ['the look whether there is something', /^HEAD/, 10],
    ['a small object', /^PUT [^?]+\?x-id=PutObject/, 10],
    ['the beginning', /^POST [^?]+\?uploads/, 20 * MIB],
    ['the first part', /partNumber=1/, 20 * MIB],
    ['the last part', /partNumber=4/, 20 * MIB],
    ['the end', /^POST [^?]+\?uploadId/, 20 * MIB],
  ]
  for (const [name, refused, length] of refusals) {
    for (const canAbort of [true, false]) {
      await t.test(`${name}, ${canAbort ? 'aborted' : 'abort refused'}`, async (t) => {
        const { put, s3, url, folder } = await createS3(t)
        const aborted: string[] = []
        s3.answer = ({ method, url }, response) => {
          if (method === 'DELETE') {
            aborted.push(url!)
            if (!canAbort) return refuse(response, 403, 'AccessDenied')
            response.writeHead(204).end()
            return true
          }
          return refused.test(`${method} ${url}`) && refuse(response, 400, 'EntityTooLarge')
        }
        const error = await put(bytesOf(length)).catch(String)
        t.match(error, /^(?:EntityTooLarge: No|Unknown: S3 answers 400 to HEAD)$/)
        const begun = s3.requests.some((each) => /partNumber/.test(each))
        t.equal(aborted.length, begun ? 1 : 0)
        for (const url of aborted) t.match(url, new RegExp(`^/media/${KEY}\\?uploadId=`))
        s3.answer = () => false
        t.equal((await fetch(`${url}/${KEY}`)).status, 404)
        if (withoutProc === false) t.strictSame(await filesLeftOpen(join(folder, 'incoming')), [])
      })
    }
  }
})

t.test('S3: what is refused for a moment is tried again, three times in all', async (t) => {
  const { put, s3, url } = await createS3(t)
  let failures = 0
  s3.answer = ({ method }, response) => {
    if (method !== 'PUT' || ++failures > 2) return false
    return refuse(response, 503, 'SlowDown')
  }
  await put(Buffer.from('hello'))
  t.equal(await (await fetch(`${url}/${KEY}`)).text(), 'hello')

  s3.requests.length = 0
  s3.answer = (_, response) => refuse(response, 503, 'SlowDown')
  const reply = await fetch(`${url}/${KEY}`)
  t.equal(reply.status, 500, 'not to be reached is not the same as not there')
  t.equal(s3.requests.length, 3)
})

t.test('S3: removing aborts what interrupted uploads to this key have left', async (t) => {
  const { storage, put, s3, url } = await createS3(t)
  await put(Buffer.from('hello'))
  const aborted: string[] = []
  const uploads = [
    [KEY, 'one'],
    [KEY, 'two'],
    [`${KEY}-not-ours`, 'three'],
  ].map(([key, id]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
  s3.answer = ({ method, url }, response) => {
    if (method === 'DELETE' && url!.includes('uploadId')) {
      aborted.push(url!)
      // Somebody else was faster.
      if (url!.includes('two')) return refuse(response, 404, 'NoSuchUpload')
      response.writeHead(204).end()
      return true
    }
    if (method !== 'GET' || !url!.includes('uploads')) return false
    t.match(url, `prefix=${KEY}`)
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(`<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`)
    return true
  }
  await storage.remove(KEY)
  t.strictSame(
    aborted.map((each) => new URL(each, 'http://s3').searchParams.get('uploadId')),
    ['one', 'two'],
  )
  s3.answer = () => false
  t.equal((await fetch(`${url}/${KEY}`)).status, 404)
})

t.test('S3: removing fails where it is not known what is left, but not where S3 has no list', async (t) => {
  const { storage, s3 } = await createS3(t)
  s3.answer = ({ method }, response) => method === 'GET' && refuse(response, 403, 'AccessDenied')
  await t.rejects(storage.remove(KEY), { name: 'AccessDenied' })
  s3.answer = ({ method }, response) => method === 'GET' && refuse(response, 501, 'NotImplemented')
  await storage.remove(KEY)
  s3.answer = ({ method }, response) => method === 'DELETE' && refuse(response, 403, 'AccessDenied')
  await t.rejects(storage.remove(KEY), { name: 'AccessDenied' })
})

t.test('S3: nothing connects before the first call, and errors are thrown as they are', async (t) => {
  const { s3, incoming } = await createS3(t)
  s3Storage({ bucket: 'media', region: 'eu-central-1' })
  const elsewhere = s3Storage({ ...s3.options, bucket: 'none' })
  t.strictSame(s3.requests, [])
  await t.rejects(elsewhere.put(KEY, await incoming(Buffer.from('x')), AS.mimeType), { name: 'NoSuchBucket' })
  const nowhere = s3Storage({ ...s3.options, endpoint: 'http://127.0.0.1:9' })
  await t.rejects(nowhere.remove(KEY), { message: 'S3 cannot be reached: ECONNREFUSED', code: undefined })
})
