import t from 'tap'
import { buildApp } from '../../src/run/app.ts'
import { call, createWorld, mediaOptions, networkOptions } from '../helpers/app.ts'
import { recorded } from '../helpers/log-record.ts'
import { readStoredPosts } from '../helpers/stored-posts.ts'
import { startFakeNetworks } from '../networks/fakes/all.ts'

t.test('a post without a time is a draft, one with a time is scheduled', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('bluesky', { credentials: { identifier: 'ada.example.com' } })

  const draft = await ada.call('POST', '/posts', { accountIds: [account] })
  t.equal(draft.status, 201)
  t.match(draft.body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  t.strictSame(draft.body, { id: draft.body.id, status: 'draft' })

  const scheduledAt = '2030-06-01T12:00:00.5+02:00'
  const scheduled = await ada.call('POST', '/posts', { accountIds: [account], caption: 'hi', scheduledAt })
  t.equal(scheduled.status, 201)
  t.strictSame(scheduled.body, { id: scheduled.body.id, status: 'scheduled' })

  const past = { accountIds: [account], caption: 'hi', scheduledAt: '2001-01-01T00:00:00Z' }
  t.hasStrict(await ada.call('POST', '/posts', past), { status: 201, body: { status: 'scheduled' } })

  const { posts } = await readStoredPosts(world)
  t.hasStrict(posts[0], { userId: ada.id, caption: '', firstComment: null, postType: 'post', scheduledAt: null })
  t.strictSame(posts[1]?.scheduledAt, new Date('2030-06-01T10:00:00.500Z'))
})

t.test('every part of the body is stored', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const [bluesky, x, mastodon] = [await ada.account(), await ada.account('x'), await ada.account('mastodon')]
  const [first, second] = [await ada.media(), await ada.media()]
  const fields = { langs: ['en'], acc_ID: { snake_case: 1, camelCase: [null, 1.5, true] } }

  const { status } = await ada.call('POST', '/posts', {
    accountIds: [bluesky, x, bluesky, mastodon],
    caption: 'for all 🎉',
    firstComment: 'first!',
    postType: 'thread',
    mediaIds: [second, first, second],
    accountOverrides: [
      { accountId: bluesky, captionOverride: '', fields },
      { accountId: x, captionOverride: null },
    ],
    threadParts: { [x]: ['one', 'two'], [mastodon]: null },
    scheduledAt: '2030-01-01T00:00:00Z',
  })
  t.equal(status, 201)

  const { posts, targets, media } = await readStoredPosts(world)
  t.hasStrict(posts, [{ caption: 'for all 🎉', firstComment: 'first!', postType: 'thread', status: 'scheduled' }])
  t.strictSame(
    targets.map(({ accountId, captionOverride, fields, threadParts }) => [
      accountId,
      captionOverride,
      fields,
      threadParts,
    ]),
    [
      [bluesky, '', fields, null],
      [x, null, null, ['one', 'two']],
      [mastodon, null, null, null],
    ],
    'a repeated account counts once, and an empty override differs from no override',
  )
  t.strictSame(
    media.map(({ mediaId }) => mediaId),
    [second, first, second],
    'media keep their order',
  )
})

t.test('a draft may lack what its networks require, a scheduled post may not', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const instagram = await ada.account('instagram')
  t.hasStrict(await ada.call('POST', '/posts', { accountIds: [instagram] }), { status: 201 })
  const scheduled = await ada.call('POST', '/posts', { accountIds: [instagram], scheduledAt: '2030-01-01T00:00:00Z' })
  t.equal(scheduled.status, 400)
  t.match(scheduled.body.error, /^instagram \(@ada\): /)
  t.notHas(scheduled.body, 'details')
})

t.test('the text limit of an account’s own server applies as soon as it is known', async (t) => {
  const { fetch, of, mastodon } = await startFakeNetworks(t)
  const world = await createWorld(t, { fetch })
  const ada = await world.user()
  /** A second process of the service, with a cache of its own. */
  const other = await buildApp({
    db: world.db,
    logger: recorded(false),
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(world.db),
  })
  t.teardown(() => other.close())
  const connect = async (maxCharacters: number) => {
    mastodon.maxCharacters = maxCharacters
    return (await ada.call('POST', '/accounts', of('mastodon').body)).body.id as string
  }
  const account = await connect(5000)
  const plain = await ada.account('mastodon')
  const thread = { postType: 'thread', threadParts: { [account]: ['a', 'a'.repeat(5000)] } }
  /** Sends the post to each process. */
  const post = async (body: object) => {
    const all = { accountIds: [account], ...body }
    const replies = [await ada.call('POST', '/posts', all), await call(other, ada.key, 'POST', '/posts', all)]
    return replies.map(({ status, body }) => body.error ?? status)
  }
  const twice = (text: string | number) => [text, text]
  const tooLong = (what: string, length: number, max: number) =>
    twice(
      `mastodon (@alice@mastodon.example): ${what} is ${length} characters long, at most ${max} are allowed on mastodon.example (Mastodon)`,
    )

  t.strictSame(await post({ caption: 'a'.repeat(5000), firstComment: 'a'.repeat(5000) }), twice(201))
  t.strictSame(await post(thread), twice(201))
  t.strictSame(await post({ caption: 'a'.repeat(5001) }), tooLong('caption', 5001, 5000))
  t.strictSame(await post({ accountIds: [account, plain], caption: 'a'.repeat(501) }), [
    ...twice('mastodon (@ada): caption is 501 characters long, at most 500 are allowed'),
  ])
  const overridden = [{ accountId: account, captionOverride: 'a'.repeat(5000) }]
  const both = { accountIds: [plain, account], caption: 'a'.repeat(500), accountOverrides: overridden }
  t.strictSame(await post(both), twice(201))

  const { body: draft } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a'.repeat(301) })
  await connect(300)
  t.hasStrict(await ada.call('POST', `/posts/${draft.id}/publish`), {
    status: 400,
    body: { error: tooLong('caption', 301, 300)[0] },
  })
  t.strictSame(await post({ caption: 'a'.repeat(301) }), tooLong('caption', 301, 300))
  t.strictSame(await post({ firstComment: 'a'.repeat(301) }), tooLong('first comment', 301, 300))
  t.strictSame(await post(thread), tooLong('thread part 2', 5000, 300))
  t.strictSame(await post({ caption: 'a'.repeat(300) }), twice(201))

  await connect(600)
  t.strictSame(await post({ caption: 'a'.repeat(600) }), twice(201))
  await connect(0)
  const shorter = 'mastodon (@alice@mastodon.example): caption is 501 characters long, at most 500 are allowed'
  t.strictSame(await post({ caption: 'a'.repeat(501) }), twice(shorter))
  t.strictSame(await post({ caption: 'a'.repeat(500) }), twice(201))
})

t.test('an unexpected failure stores nothing and reveals nothing', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account()
  await world.db.schema.alterTable('post_targets').dropColumn('fields').execute()
  const reply = await ada.call('POST', '/posts', { accountIds: [account], caption: 'hi' })
  t.equal(reply.status, 500)
  t.strictSame(reply.body, { error: 'Failed to create post' })
  t.strictSame(await world.db.selectFrom('posts').selectAll().execute(), [])
})

t.test('ids ascend in the order of creation', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account()]
  const ids: string[] = []
  for (let index = 0; index < 30; index++) ids.push((await ada.call('POST', '/posts', { accountIds })).body.id)
  t.strictSame(ids.toSorted(), ids)
})
