import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { jpeg, upload } from '../helpers/upload.ts'
import { checkResponse, createScene, DELETED, NOT_FOUND } from './scene.ts'

t.test('a user lists their own media, newest first, in pages', async (t) => {
  const { app, user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const files = []
  for (let shade = 0; shade < 5; shade++) {
    files.unshift({ ...(await upload(app, ada, [['file', await jpeg(10, 10, shade * 40)]])).body, postIds: [] })
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
    data: [],
    limit: 2,
    offset: 0,
    nextCursor: null,
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
    t.strictSame([status, body.error], [400, 'Invalid request'], query)
    t.match(body.details, [{ path: [/^(?:limit|offset|cursor)$/] }], query)
  }
})

t.test('only the owner of a file can read, change or delete it', async (t) => {
  const { ada, bob, file, content } = await createScene(t)
  t.strictSame((await ada.call('GET', `/media/${file.id}`)).body, { ...file, postIds: [], renditions: [] })
  for (const id of ['0196f0a1-0000-7000-8000-000000000000', 'x', '%00', 'a'.repeat(300), file.id.toUpperCase()]) {
    checkResponse(t, await ada.call('GET', `/media/${id}`), NOT_FOUND, id)
    checkResponse(t, await ada.call('PATCH', `/media/${id}`, { altText: 'a' }), NOT_FOUND, id)
    checkResponse(t, await ada.call('DELETE', `/media/${id}`), NOT_FOUND, id)
    checkResponse(t, await ada.call('GET', `/media/${id}/content`), NOT_FOUND, id)
  }
  checkResponse(t, await bob.call('GET', `/media/${file.id}`), NOT_FOUND)
  checkResponse(t, await bob.call('PATCH', `/media/${file.id}`, { altText: 'a' }), NOT_FOUND)
  checkResponse(t, await bob.call('DELETE', `/media/${file.id}`), NOT_FOUND)
  checkResponse(t, await bob.call('GET', `/media/${file.id}/content`), NOT_FOUND)
  t.strictSame(
    (await ada.call('GET', `/media/${file.id}`)).body,
    { ...file, postIds: [], renditions: [] },
    'the file is unchanged',
  )
  t.equal((await content(file.id)).statusCode, 200)
})

t.test('media that were registered without a file have facts, but no content', async (t) => {
  const { ada, file } = await createScene(t)
  const id = await ada.media({ mimeType: 'video/mp4', width: null, height: null, durationSeconds: 3 })
  t.match(await ada.call('GET', `/media/${id}`), {
    status: 200,
    body: { id, kind: 'video', mimeType: 'video/mp4', width: null, durationSeconds: 3, fps: null, altText: null },
  })
  const error = 'Media has no content: it was registered without a file'
  checkResponse(t, await ada.call('GET', `/media/${id}/content`), [404, { error }])
  const unknown = await ada.media({ mimeType: 'application/pdf' })
  checkResponse(
    t,
    await ada.call('GET', `/media/${unknown}`),
    NOT_FOUND,
    'a type that is neither image nor video is not shown',
  )
  t.strictSame(
    (await ada.call('GET', '/media')).body.data.map((media: { id: string }) => media.id),
    [id, file.id],
  )
  checkResponse(t, await ada.call('DELETE', `/media/${id}`), DELETED)
})

t.test('only the alt text and the focus can be changed or removed', async (t) => {
  const { ada, file } = await createScene(t)
  const patch = (body: unknown) => ada.call('PATCH', `/media/${file.id}`, body)
  checkResponse(t, await patch({ altText: 'A tower' }), [200, { ...file, altText: 'A tower' }])
  t.strictSame((await ada.call('GET', `/media/${file.id}`)).body, {
    ...file,
    altText: 'A tower',
    postIds: [],
    renditions: [],
  })
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
    const name = JSON.stringify(body).slice(0, 50)
    const reply = await patch(body)
    t.strictSame([reply.status, reply.body.error], [400, 'Invalid request'], name)
    t.match(reply.body.details, [details], name)
  }
  t.equal((await ada.call('GET', `/media/${file.id}`)).body.altText, 'A tower')
  t.equal((await patch({ altText: '' })).body.altText, null, 'an empty alt text is stored as null')
  await patch({ altText: 'A tower' })
  t.equal((await patch({ altText: null })).body.altText, null)
})

t.test('a file has a focus from its upload or a change, and posts that show it have another version', async (t) => {
  const { app, ada, file, db } = await createScene(t)
  const added = async (focus: string) =>
    upload(app, ada, [
      ['file', await jpeg(50, 60)],
      ['focus', focus],
    ])
  t.match((await added('0.2, -1')).body, { focus: { x: 0.2, y: -1 } })
  for (const focus of ['1', '0,', '0,2', '0,1,0', 'a,b', '0x,1', 'NaN,0']) {
    const { status, body } = await added(focus)
    t.match([status, body.details], [400, [{ path: ['focus'], message: /two numbers from -1 to 1/ }]], focus)
  }
  const account = await ada.account('mastodon')
  const { id } = (await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [file.id] })).body
  const version = async () => (await ada.call('GET', `/posts/${id}`)).headers.etag
  const patch = async (body: object) => (await ada.call('PATCH', `/media/${file.id}`, body)).body
  const before = await version()
  t.match(await patch({ altText: 'A tower', focus: { x: -0.5, y: 1 } }), {
    altText: 'A tower',
    focus: { x: -0.5, y: 1 },
  })
  const after = await version()
  t.not(after, before)
  t.match(await patch({ focus: { x: -0.5, y: 1 } }), { altText: 'A tower' }, 'the rest stays')
  t.equal(await version(), after, 'nothing has changed')
  t.match(await patch({ focus: { x: 0, y: 1.01 } }), { details: [{ path: ['focus', 'y'] }] })
  t.match(await patch({ focus: { x: 0 } }), { details: [{ path: ['focus', 'y'], message: 'Required' }] })
  const events = await db.selectFrom('eventOutbox').select('data').where('type', '=', 'post.updated').execute()
  t.match(events, [{ data: { changed: ['altText', 'focus'] } }])
  t.match(await patch({ focus: null }), { focus: null })
})
