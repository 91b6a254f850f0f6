import { rm } from 'node:fs/promises'
import t from 'tap'
import { markPostPublished } from '../../src/posts/mark-published.ts'
import { createWorld } from '../helpers/app.ts'
import { createDesk } from '../helpers/publisher.ts'
import { lost, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'
import { filesIn, isClean, jpeg, until, upload } from '../helpers/upload.ts'

const NOT_FOUND = { status: 404, body: { error: 'Media not found' } }

/** Ada with a file, and Bob. */
async function createScene(t: Parameters<typeof createWorld>[0]) {
  const world = await createWorld(t)
  const [ada, bob] = [await world.user(), await world.user()]
  const bytes = await jpeg()
  const { body: file } = await upload(world.app, ada, [['file', bytes]])
  const content = (id: string, headers: Record<string, string> = {}, person = ada) =>
    world.app.inject({
      url: `/api/v1/media/${id}/content`,
      headers: { authorization: `Bearer ${person.key}`, ...headers },
    })
  return { ...world, ada, bob, bytes, file, content }
}

t.test('media are listed newest first, a page at a time, one’s own only', async (t) => {
  const { app, user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const files = []
  for (let shade = 0; shade < 5; shade++) {
    files.unshift((await upload(app, ada, [['file', await jpeg(10, 10, shade * 40)]])).body)
  }
  await upload(app, bob, [['file', await jpeg()]])
  t.strictSame((await ada.call('GET', '/media')).body, {
    data: files,
    limit: 25,
    offset: 0,
    nextCursor: null,
  })
  t.strictSame((await ada.call('GET', '/media?limit=2&offset=1')).body, {
    data: files.slice(1, 3),
    limit: 2,
    offset: 1,
    nextCursor: files[2].id,
  })
  t.strictSame((await ada.call('GET', `/media?limit=2&cursor=${files[2].id}`)).body, {
    data: files.slice(3),
    limit: 2,
    offset: 0,
    nextCursor: files[4].id,
  })
  t.strictSame((await ada.call('GET', `/media?limit=2&cursor=${files[4].id}`)).body, {
    ...{ data: [], limit: 2, offset: 0, nextCursor: null },
  })
  t.strictSame((await ada.call('GET', '/media?offset=9007199254740991')).body.data, [])
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=1e1',
    'limit=',
    'offset=-1',
    'limit=2&limit=3',
    'offset=9007199254740992',
    'cursor=a',
    `cursor=${files[2].id}&offset=1`,
  ]) {
    const { status, body } = await ada.call('GET', `/media?${query}`)
    t.match([status, body], [400, { error: 'Invalid request', details: [{ path: [/limit|offset|cursor/] }] }], query)
  }
})

t.test('one file is told by its id, to its owner only', async (t) => {
  const { ada, bob, file, content } = await createScene(t)
  t.strictSame((await ada.call('GET', `/media/${file.id}`)).body, file)
  for (const id of ['0196f0a1-0000-7000-8000-000000000000', 'x', '%00', 'a'.repeat(300), file.id.toUpperCase()]) {
    t.match(await ada.call('GET', `/media/${id}`), NOT_FOUND, id)
    t.match(await ada.call('PATCH', `/media/${id}`, { altText: 'a' }), NOT_FOUND, id)
    t.match(await ada.call('DELETE', `/media/${id}`), NOT_FOUND, id)
    t.match(await ada.call('GET', `/media/${id}/content`), NOT_FOUND, id)
  }
  t.match(await bob.call('GET', `/media/${file.id}`), NOT_FOUND)
  t.match(await bob.call('PATCH', `/media/${file.id}`, { altText: 'a' }), NOT_FOUND)
  t.match(await bob.call('DELETE', `/media/${file.id}`), NOT_FOUND)
  t.match(await bob.call('GET', `/media/${file.id}/content`), NOT_FOUND)
  t.strictSame((await ada.call('GET', `/media/${file.id}`)).body, file, 'and nothing of it changed')
  t.equal((await content(file.id)).statusCode, 200)
})

t.test('the bytes come back whole or in part, with what a browser needs to be safe', async (t) => {
  const { file, bytes, content } = await createScene(t)
  const whole = await content(file.id)
  t.equal(whole.statusCode, 200)
  t.ok(whole.rawPayload.equals(bytes))
  t.match(whole.headers, {
    'content-type': 'image/jpeg',
    'content-length': String(bytes.length),
    'content-disposition': `inline; filename="${file.id}.jpg"`,
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'content-security-policy': /default-src 'none'/,
    'cache-control': /private/,
    etag: /^"[^"]+"$/,
  })
  const etag = String(whole.headers.etag)

  const ranges: [range: string, from: number, to: number][] = [
    ['bytes=0-9', 0, 9],
    ['bytes=10-', 10, bytes.length - 1],
    ['bytes=-5', bytes.length - 5, bytes.length - 1],
    [`bytes=${bytes.length - 1}-${bytes.length * 9}`, bytes.length - 1, bytes.length - 1],
  ]
  for (const [range, from, to] of ranges) {
    const part = await content(file.id, { range })
    t.equal(part.statusCode, 206, range)
    t.equal(part.headers['content-range'], `bytes ${from}-${to}/${bytes.length}`, range)
    t.ok(part.rawPayload.equals(bytes.subarray(from, to + 1)), range)
  }
  for (const range of ['bytes=5-2', 'lines=1-2', 'bytes=a-b', 'bytes=0-1,4-5']) {
    const reply = await content(file.id, { range })
    t.equal(reply.statusCode, 200, range)
    t.ok(reply.rawPayload.equals(bytes), range)
  }
  const beyond = await content(file.id, { range: `bytes=${bytes.length}-` })
  t.strictSame([beyond.statusCode, beyond.json()], [416, { error: 'Range is outside the file' }])
  t.equal(beyond.headers['content-range'], `bytes */${bytes.length}`)

  const known = await content(file.id, { 'if-none-match': etag })
  t.strictSame([known.statusCode, known.body, known.headers.etag], [304, '', etag])
  t.equal((await content(file.id, { 'if-none-match': '"other"' })).statusCode, 200)
  t.equal((await content(file.id, { 'if-range': '"other"', range: 'bytes=0-1' })).statusCode, 200)
  t.equal((await content(file.id, { 'if-range': etag, range: 'bytes=0-1' })).statusCode, 206)
  t.equal((await content(file.id, { 'if-match': etag })).statusCode, 200)
  t.equal((await content(file.id, { 'if-match': '"other"' })).statusCode, 412)
})

t.test('HEAD tells the same without the bytes', async (t) => {
  const { app, ada, file, bytes } = await createScene(t)
  const headers = { authorization: `Bearer ${ada.key}` }
  const reply = await app.inject({ method: 'HEAD', url: `/api/v1/media/${file.id}/content`, headers })
  t.strictSame([reply.statusCode, reply.body], [200, ''])
  t.match(reply.headers, { 'content-type': 'image/jpeg', 'content-length': String(bytes.length) })
})

t.test('media whose facts were registered have no bytes, and say so', async (t) => {
  const { ada, file } = await createScene(t)
  const id = await ada.media({ mimeType: 'video/mp4', width: null, height: null, durationSeconds: 3 })
  t.match(await ada.call('GET', `/media/${id}`), {
    status: 200,
    body: { id, kind: 'video', mimeType: 'video/mp4', width: null, durationSeconds: 3, fps: null, altText: null },
  })
  t.match(await ada.call('GET', `/media/${id}/content`), {
    status: 404,
    body: { error: 'Media has no content: it was registered without a file' },
  })
  const unknown = await ada.media({ mimeType: 'application/pdf' })
  t.match(await ada.call('GET', `/media/${unknown}`), NOT_FOUND, 'what is neither image nor video is no media')
  t.strictSame(
    (await ada.call('GET', '/media')).body.data.map((media: { id: string }) => media.id),
    [id, file.id],
  )
  t.match(await ada.call('DELETE', `/media/${id}`), { status: 200, body: { success: true } })
})

t.test('the alt text can be changed and removed, nothing else', async (t) => {
  const { ada, file } = await createScene(t)
  const patch = (body: unknown) => ada.call('PATCH', `/media/${file.id}`, body)
  t.match(await patch({ altText: 'A tower' }), { status: 200, body: { ...file, altText: 'A tower' } })
  t.strictSame((await ada.call('GET', `/media/${file.id}`)).body, { ...file, altText: 'A tower' })
  const wrong: [body: unknown, details: object][] = [
    [{}, { code: 'invalid_type', path: ['altText'], message: 'Required' }],
    [{ altText: 5 }, { code: 'invalid_type', path: ['altText'], message: 'Expected string, received number' }],
    [
      { altText: 'a', width: 1 },
      { code: 'unrecognized_keys', keys: ['width'] },
    ],
    [{ altText: 'a'.repeat(5_001) }, { code: 'too_big', maximum: 5_000, path: ['altText'] }],
    [{ altText: 'a\0' }, { code: 'custom', path: ['altText'] }],
    ['', { code: 'invalid_json' }],
    ['[]', { code: 'invalid_type' }],
  ]
  for (const [body, details] of wrong) {
    t.match(
      await patch(body),
      { status: 400, body: { error: 'Invalid request', details: [details] } },
      JSON.stringify(body).slice(0, 50),
    )
  }
  t.equal((await ada.call('GET', `/media/${file.id}`)).body.altText, 'A tower')
  t.equal((await patch({ altText: '' })).body.altText, null, 'an empty text is none')
  await patch({ altText: 'A tower' })
  t.equal((await patch({ altText: null })).body.altText, null)
})

t.test('a deleted file is gone with its bytes', async (t) => {
  const { ada, app, file, bytes, mediaDir, db } = await createScene(t)
  t.equal((await filesIn(mediaDir)).length, 1)
  t.match(await ada.call('DELETE', `/media/${file.id}`), { status: 200, body: { success: true } })
  t.match(await ada.call('GET', `/media/${file.id}`), NOT_FOUND)
  t.match(await ada.call('GET', `/media/${file.id}/content`), NOT_FOUND)
  t.match(await ada.call('DELETE', `/media/${file.id}`), NOT_FOUND)
  t.ok(await until(() => isClean(db, mediaDir, 0)), 'soon after')
  const { status, body } = await upload(app, ada, [['file', bytes]])
  t.equal(status, 201, 'the same bytes can come again')
  t.not(body.id, file.id)
})

t.test('a file that a draft or a scheduled post uses stays; a published post does not hold it', async (t) => {
  const { ada, file, db, content } = await createScene(t)
  const account = await ada.account('bluesky')
  const post = async (body: object = {}) =>
    (await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [file.id], ...body })).body.id
  const IN_USE = { status: 409, body: { error: 'Cannot delete media that is still to be published' } }

  const draft = await post()
  t.match(await ada.call('DELETE', `/media/${file.id}`), IN_USE)
  const scheduled = await post({ caption: 'hi', scheduledAt: '2030-01-01T00:00:00Z' })
  await ada.call('DELETE', `/posts/${draft}`)
  t.match(await ada.call('DELETE', `/media/${file.id}`), IN_USE)
  t.equal((await content(file.id)).statusCode, 200)

  t.equal(await markPostPublished(db, scheduled), 'published')
  t.match(await ada.call('DELETE', `/media/${file.id}`), { status: 200 })
  t.match((await ada.call('GET', '/posts')).body.data, [{ id: scheduled, status: 'published' }], 'the post stays')
})

t.test('no delivery of a published post goes out without a file that was deleted', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork('exactly-once')]
  const { ada, app, connected, post, work, delivery } = await createDesk(t, { mastodon, bluesky })
  const [out, other] = [await connected('mastodon'), await connected('bluesky')]
  const { body: file } = await upload(app, ada, [['file', await jpeg()]])
  const remove = async () => (await ada.call('DELETE', `/media/${file.id}`)).status
  const write = () => post({ accountIds: [out, other], mediaIds: [file.id] })

  bluesky.steps.push({ accept: false, fail: refusal('unreachable', { retryable: true }) })
  const id = await write()
  await work()
  t.match(await delivery(id, out), { state: 'published' })
  t.match(await delivery(id, other), { state: 'queued' })
  t.equal(await remove(), 409, 'it goes out by itself')
  await work(60_000)
  t.same(
    bluesky.acts.map(({ media }) => media.length),
    [1, 1],
  )

  bluesky.steps.push({ accept: true, fail: lost() })
  bluesky.says = async () => 'unknown'
  const open = await write()
  await work()
  await work(60_000)
  t.match(await delivery(open, other), { state: 'unconfirmed' })
  t.equal(await remove(), 409, 'its owner may say that it is not there')
  await ada.call('POST', `/posts/${open}/deliveries/${other}/resolve`, { outcome: 'published' })

  bluesky.steps.push({ accept: false, fail: refusal() })
  const failed = await write()
  await work(60_000)
  const retry = `/posts/${failed}/deliveries/${other}/retry`
  t.match(await delivery(failed, other), { state: 'failed' })
  const [removed, retried] = await Promise.all([remove(), ada.call('POST', retry)])
  t.ok(removed === 409 ? retried.status === 202 : retried.status === 409, `${removed}, ${retried.status}`)
  if (removed === 409) {
    bluesky.steps.push({ accept: false, fail: refusal() })
    await work(60_000)
    t.equal(await remove(), 200)
  }
  t.match(await ada.call('POST', retry), { status: 409, body: { error: 'A file of the post was deleted' } })
  t.match(await delivery(failed, other), { state: 'failed', error: { code: 'media_deleted', retryable: false } })
  t.ok(bluesky.acts.every(({ media }) => media.length === 1))
})

t.test(
  'deleting and using a file at the same moment: one of them wins, no post is left without its file',
  async (t) => {
    const { ada, app, db } = await createScene(t)
    const account = await ada.account('bluesky')
    for (let round = 0; round < 12; round++) {
      const { body: file } = await upload(app, ada, [['file', await jpeg(20 + round)]])
      const [created, deleted] = await Promise.all([
        ada.call('POST', '/posts', { accountIds: [account], mediaIds: [file.id] }),
        ada.call('DELETE', `/media/${file.id}`),
      ])
      const used = await db.selectFrom('postMedia').select('mediaId').where('mediaId', '=', file.id).execute()
      if (created.status === 201) t.strictSame([deleted.status, used.length], [409, 1], 'used')
      else t.strictSame([created.status, deleted.status, used.length], [403, 200, 0], 'deleted')
    }
  },
)

t.test(
  'bytes that are added while they are being deleted are there, or were: nobody is told of a failure',
  async (t) => {
    const { ada, app, bytes, db, mediaDir } = await createScene(t)
    let isOver = false
    const deleting = (async () => {
      while (!isOver) {
        const { body } = await ada.call('GET', '/media?limit=1')
        if (body.data[0]) await ada.call('DELETE', `/media/${body.data[0].id}`)
      }
    })()
    const statuses = new Set<number>()
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        for (let round = 0; round < 25; round++) statuses.add((await upload(app, ada, [['file', bytes]])).status)
      }),
    )
    isOver = true
    await deleting
    t.strictSame(
      [...statuses].filter((status) => status !== 200 && status !== 201),
      [],
    )
    const left = await db.selectFrom('media').select('id').execute()
    t.ok(await until(() => isClean(db, mediaDir, left.length)), 'a file for each that is left')
  },
)

t.test('bytes that are gone from the disk are a failure of ours, and the log has the cause', async (t) => {
  const log: string[] = []
  const { app, user, mediaDir } = await createWorld(t, { logger: { stream: { write: (line) => log.push(line) } } })
  const ada = await user()
  const { body: file } = await upload(app, ada, [['file', await jpeg()]])
  for (const path of await filesIn(mediaDir)) await rm(path)
  t.match(await ada.call('GET', `/media/${file.id}/content`), { status: 500, body: { error: 'Internal server error' } })
  t.match(log.join(''), /request failed/)
  t.match(await ada.call('DELETE', `/media/${file.id}`), { status: 200 }, 'it can still be deleted')
})
