import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { s3Storage } from '../../src/base/storage/s3.ts'
import { type AddressedFile, addressedFile, fileAddress } from '../../src/features/media/file-address.ts'
import { createFolder, createWorld } from '../helpers/app.ts'
import { startS3 } from '../helpers/s3.ts'
import { findStoredFileOf } from '../helpers/stored-file.ts'
import { until } from '../helpers/until.ts'
import { jpeg, storeFile } from '../helpers/upload.ts'

const ORIGIN = 'https://postroom.example'
const DAY = 86_400_000

async function createScene(t: Test, media: NonNullable<Parameters<typeof createWorld>[1]>['media'] = {}) {
  const world = await createWorld(t, { media })
  const ada = await world.user()
  const bytes = await jpeg()
  const id = await storeFile(world.app, ada, [['file', bytes]])
  const file = await findStoredFileOf(world.db, id)
  const get = (address: URL, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    world.app.inject({ method, url: `${address.pathname}${address.search}`, headers })
  return { ...world, ada, id, bytes, file, get, address: fileAddress(ORIGIN, world.keyring, file) }
}

t.test('a signed address serves a file without a key, whole and in parts', async (t) => {
  const { address, bytes, get } = await createScene(t)
  t.match(address.href, /^https:\/\/postroom\.example\/files\/[\da-f]{32}\.jpg\?expires=\d{10}&signature=[\w-]{43}$/)
  const whole = await get(address)
  t.equal(whole.statusCode, 200)
  t.ok(whole.rawPayload.equals(bytes))
  t.match(whole.headers, {
    'content-type': 'image/jpeg',
    'content-length': `${bytes.length}`,
    'accept-ranges': 'bytes',
  })
  const head = await get(address, {}, 'HEAD')
  t.same([head.statusCode, head.body], [200, ''])
  t.match(head.headers, { 'content-type': 'image/jpeg', 'content-length': String(bytes.length) })

  const last = bytes.length - 1
  const ranges: [range: string, from: number, to: number][] = [
    ['bytes=0-9', 0, 9],
    ['bytes=10-', 10, last],
    ['bytes=-5', last - 4, last],
    [`bytes=-${bytes.length * 2}`, 0, last],
    [`bytes=${last}-${bytes.length * 9}`, last, last],
  ]
  for (const [range, from, to] of ranges) {
    const part = await get(address, { range })
    t.equal(part.statusCode, 206, range)
    t.equal(part.headers['content-range'], `bytes ${from}-${to}/${bytes.length}`, range)
    t.ok(part.rawPayload.equals(bytes.subarray(from, to + 1)), range)
    t.equal((await get(address, { range }, 'HEAD')).headers['content-length'], String(to - from + 1), range)
  }
  for (const range of ['bytes=5-2', 'lines=1-2', 'bytes=a-b', 'bytes=-', 'bytes=0-1,4-5']) {
    t.equal((await get(address, { range })).rawPayload.length, bytes.length, range)
  }
  t.equal((await get(address, { range: 'bytes=0-1', 'if-range': '"any"' })).statusCode, 200)
  for (const range of [`bytes=${bytes.length}-`, 'bytes=-0']) {
    const beyond = await get(address, { range })
    t.strictSame([beyond.statusCode, beyond.json()], [416, { error: 'Range is outside the file' }], range)
    t.equal(beyond.headers['content-range'], `bytes */${bytes.length}`, range)
  }
})

t.test('every address that was not signed, has expired or leads to no file is the same 404', async (t) => {
  const { address, get, file, keyring, ada, id } = await createScene(t)
  const other = createKeyring([randomBytes(32)])
  const changed = (change: (url: URL) => void) => {
    const url = new URL(address)
    change(url)
    return url
  }
  const expires = address.searchParams.get('expires')!
  const signature = address.searchParams.get('signature')!
  const wrong: Record<string, URL> = {
    'no signature': changed(({ searchParams }) => searchParams.delete('signature')),
    'no expiry': changed(({ searchParams }) => searchParams.delete('expires')),
    'nothing signed': new URL(address.pathname, ORIGIN),
    'a later expiry': changed(({ searchParams }) => searchParams.set('expires', `${Number(expires) + 1}`)),
    'another signature': changed(({ searchParams }) => searchParams.set('signature', signature.replace(/./, '!'))),
    'a short signature': changed(({ searchParams }) => searchParams.set('signature', signature.slice(1))),
    'another type': changed((url) => {
      url.pathname = url.pathname.replace('.jpg', '.mp4')
    }),
    'another file': fileAddress(ORIGIN, keyring, { ...file, storageKey: '0'.repeat(32) }),
    'another service': fileAddress(ORIGIN, other, file),
    'the past': fileAddress(ORIGIN, keyring, file, Date.now() - DAY - 1_000),
    'no file': new URL('/files/x', ORIGIN),
    'a signed path that names none': fileAddress(ORIGIN, keyring, { ...file, storageKey: 'x' }),
  }
  for (const [name, url] of Object.entries(wrong)) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, body } = await get(url, {}, method)
      t.equal(statusCode, 404, `${method}: ${name}`)
      if (method === 'GET') t.same(JSON.parse(body), { error: 'Media not found' }, name)
    }
  }
  t.equal((await get(fileAddress(ORIGIN, keyring, file, Date.now() - DAY + 60_000))).statusCode, 200, 'within the day')
  t.equal((await ada.call('DELETE', `/media/${id}`)).status, 200)
  await until('the deleted file is gone', async () => (await get(address)).statusCode === 404)
})

t.test('an address that an older key signed works while the key is there', (t) => {
  const [old, current] = [randomBytes(32), randomBytes(32)]
  const file: AddressedFile = { storageKey: '0123456789abcdef'.repeat(2), mimeType: 'video/quicktime' }
  const address = fileAddress(ORIGIN, createKeyring([old]), file)
  t.same(addressedFile(address, createKeyring([current, old])), file)
  t.equal(addressedFile(address, createKeyring([current])), undefined)
  t.end()
})

t.test('without a credentials key, no address works', async (t) => {
  const { app } = await createWorld(t, { keyring: undefined })
  const address = fileAddress(ORIGIN, createKeyring([randomBytes(32)]), {
    storageKey: '0'.repeat(32),
    mimeType: 'image/jpeg',
  })
  t.equal((await app.inject(`${address.pathname}${address.search}`)).statusCode, 404)
})

t.test('a file in a bucket is sent without a redirect', async (t) => {
  const s3 = await startS3(t, await createFolder(t))
  const { address, bytes, get, file } = await createScene(t, { storage: s3Storage(s3.options) })
  const whole = await get(address)
  t.equal(whole.statusCode, 200)
  t.ok(whole.rawPayload.equals(bytes))
  const part = await get(address, { range: 'bytes=5-9' })
  t.equal(part.statusCode, 206)
  t.ok(part.rawPayload.equals(bytes.subarray(5, 10)))
  await s3Storage(s3.options).remove(file.storageKey)
  t.equal((await get(address)).statusCode, 404)
})
