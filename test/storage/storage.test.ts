import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { NotStoredError, type Storage } from '../../src/base/storage/storage.ts'
import { collectProblems } from '../helpers/problems.ts'
import { AS, bytesOf, createFolderScene, createS3Scene, hashOf, KEY, MIB, OTHER_KEY } from './scene.ts'

for (const [name, create, cause] of [
  ['folder', createFolderScene, { code: 'ENOENT' }],
  ['S3', createS3Scene, { name: 'NoSuchKey' }],
] as const) {
  /** Reading the key throws a NotStoredError, which keeps its cause. */
  const isNotStored = async (t: Test, storage: Storage, key: string) => {
    const error = await storage.read(key).then(
      () => undefined,
      (error) => error,
    )
    t.ok(error instanceof NotStoredError, String(error))
    t.equal(error.message, `Nothing is stored under ${key}`)
    t.match(error.cause, cause)
  }

  t.test(`${name}: a stored file is served unchanged`, async (t) => {
    const { put, url, storage } = await create(t)
    const { problems, check } = collectProblems()
    for (const length of [0, 1, 256, 300_000, 8 * MIB, 8 * MIB + 1, 20 * MIB + 123]) {
      const bytes = bytesOf(length)
      await put(bytes)
      const reply = await fetch(`${url}/${KEY}`, { headers: { authorization: 'Bearer pr_x' } })
      const names = ['content-type', 'content-length', 'content-disposition', 'cache-control']
      const headers = names.map((name) => reply.headers.get(name))
      const expected = ['image/png', String(length), 'inline; filename="media-1.png"', 'private, no-cache']
      check([reply.status, headers], [200, expected], `${length} bytes`)
      check(hashOf(await reply.bytes()), hashOf(bytes), `${length} bytes: hash`)
      await storage.remove(KEY)
    }
    t.strictSame(problems, [])
  })

  t.test(`${name}: a stored file can be read repeatedly, each time from the beginning`, async (t) => {
    const { put, storage } = await create(t)
    for (const length of [0, 1, 8 * MIB + 1]) {
      const bytes = bytesOf(length)
      await put(bytes)
      t.equal(await storage.size(KEY), length)
      for (const time of ['first', 'second']) {
        const stream = await storage.read(KEY)
        t.equal(hashOf(Buffer.concat(await stream.toArray())), hashOf(bytes), `${length} bytes, the ${time} time`)
      }
      await storage.remove(KEY)
      await isNotStored(t, storage, KEY)
    }
    await isNotStored(t, storage, OTHER_KEY)
    await t.rejects(storage.size(OTHER_KEY), { message: `Nothing is stored under ${OTHER_KEY}` })
    await t.rejects(storage.read('../secret'), { message: /A storage key must have 32/ })
  })

  t.test(`${name}: a part of a stored file can be read`, async (t) => {
    const { put, storage } = await create(t)
    const bytes = bytesOf(300_000)
    await put(bytes)
    for (const [from, length] of [
      [0, 2],
      [0, 300_000],
      [131_072, 131_072],
      [299_999, 1],
    ] as const) {
      const part = Buffer.concat(await (await storage.read(KEY, { from, bytes: length })).toArray())
      t.equal(hashOf(part), hashOf(bytes.subarray(from, from + length)), `${length} bytes after ${from}`)
    }
  })

  t.test(`${name}: HEAD has the headers of GET, and no body`, async (t) => {
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

  t.test(`${name}: putting a file that does not exist stores nothing`, async (t) => {
    const { storage, folder, url } = await create(t)
    await t.rejects(storage.put(KEY, join(folder, 'incoming', 'none'), AS.mimeType), { message: /^ENOENT: / })
    t.equal((await fetch(`${url}/${KEY}`)).status, 404)
  })

  t.test(`${name}: a stored file cannot be overwritten`, async (t) => {
    const { storage, put, incoming, url } = await create(t)
    await put(Buffer.from('first'))
    const second = await incoming(Buffer.from('second'))
    await t.rejects(storage.put(KEY, second, AS.mimeType), /already/)
    t.equal(await (await fetch(`${url}/${KEY}`)).text(), 'first')
    t.equal(await readFile(second, 'utf8'), 'second')
  })

  t.test(`${name}: removing deletes one file; removing an unused key is not an error`, async (t) => {
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

  t.test(`${name}: a malformed key is refused before it becomes a path`, async (t) => {
    const { storage, incoming, folder } = await create(t)
    const path = await incoming(Buffer.from('x'))
    const before = await readdir(folder, { recursive: true })
    const malformed = [
      '',
      '../../../etc/passwd',
      'x'.repeat(32),
      KEY.toUpperCase(),
      `${KEY}0`,
      KEY.slice(1),
      `${KEY}\n`,
    ]
    const { problems, check } = collectProblems()
    const errorOf = (work: Promise<unknown>) =>
      work.then(
        () => 'none',
        (error) => error.name,
      )
    for (const key of [...malformed, `..${KEY.slice(2)}`, `${KEY.slice(3)}/..`]) {
      const serve = storage.serve(key, { method: 'GET', headers: {} } as IncomingMessage, AS)
      const works = [storage.put(key, path, AS.mimeType), storage.remove(key), serve]
      check(await Promise.all(works.map(errorOf)), ['TypeError', 'TypeError', 'TypeError'], JSON.stringify(key))
    }
    t.strictSame(problems, [])
    t.strictSame(await readdir(folder, { recursive: true }), before)
  })

  t.test(`${name}: concurrent calls do not interfere`, async (t) => {
    const { put, storage, url } = await create(t)
    const keys = Array.from({ length: 10 }, (_, index) => hashOf(Buffer.from([index])).slice(0, 32))
    await Promise.all(keys.map((key) => put(Buffer.from(key), key)))
    const texts = await Promise.all(keys.map(async (key) => (await fetch(`${url}/${key}`)).text()))
    t.strictSame(texts, keys)
    await Promise.all(keys.map((key) => storage.remove(key)))
    const replies = await Promise.all(keys.map((key) => fetch(`${url}/${key}`)))
    t.strictSame(
      replies.map(({ status }) => status),
      keys.map(() => 404),
    )
  })
}
