import t from 'tap'
import { disconnectAccount } from '../../db/queries/accounts.ts'
import { buildApp } from '../../src/app.ts'
import { call, createWorld, mediaOptions, networkOptions, type World } from '../helpers/app.ts'
import { startFakeNetworks } from '../helpers/fake-networks.ts'

const UNKNOWN = '0196f0a1-0000-7000-8000-000000000000'

const stored = async ({ db }: World) => ({
  posts: await db.selectFrom('posts').selectAll().orderBy('id').execute(),
  targets: await db.selectFrom('postTargets').selectAll().orderBy('accountId').execute(),
  media: await db.selectFrom('postMedia').selectAll().orderBy('position').execute(),
})

t.test('a post without a time is a draft, one with a time is scheduled', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account()

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

  const { posts } = await stored(world)
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

  const { posts, targets, media } = await stored(world)
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

t.test('an invalid body is a 400 with the path of each mistake, and nothing is stored', async (t) => {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account()
  const other = await ada.account('x')
  const good = { accountIds: [account], caption: 'hi' }
  const type = (expected: string, received: string, ...path: unknown[]) => ({
    code: 'invalid_type',
    expected,
    received,
    path,
    message: received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`,
  })
  const custom = (...path: unknown[]) => ({ code: 'custom', path })
  const cases: [string, unknown, object[]][] = [
    ['an empty object', {}, [type('array', 'undefined', 'accountIds')]],
    ['null', null, [type('object', 'null')]],
    ['an array', [], [type('object', 'array')]],
    ['text', '"text"', [type('object', 'string')]],
    [
      'no account',
      { accountIds: [] },
      [{ code: 'too_small', minimum: 1, path: ['accountIds'], message: 'Array must contain at least 1 element(s)' }],
    ],
    ['one account as text', { accountIds: account }, [type('array', 'string', 'accountIds')]],
    [
      'accounts that are not text',
      { accountIds: [1, null] },
      [type('string', 'number', 'accountIds', 0), type('string', 'null', 'accountIds', 1)],
    ],
    ['a caption that is a number', { ...good, caption: 5 }, [type('string', 'number', 'caption')]],
    ['a caption that is null', { ...good, caption: null }, [type('string', 'null', 'caption')]],
    ['a comment that is null', { ...good, firstComment: null }, [type('string', 'null', 'firstComment')]],
    ['a post type that is null', { ...good, postType: null }, [type('string', 'null', 'postType')]],
    [
      'an unknown post type',
      { ...good, postType: 'poem' },
      [{ code: 'invalid_enum_value', received: 'poem', path: ['postType'] }],
    ],
    ['media that are null', { ...good, mediaIds: null }, [type('array', 'null', 'mediaIds')]],
    ['overrides that are null', { ...good, accountOverrides: null }, [type('array', 'null', 'accountOverrides')]],
    [
      'an override without account',
      { ...good, accountOverrides: [{}] },
      [type('string', 'undefined', 'accountOverrides', 0, 'accountId')],
    ],
    [
      'fields that are an array',
      { ...good, accountOverrides: [{ accountId: account, fields: [] }] },
      [type('object', 'array', 'accountOverrides', 0, 'fields')],
    ],
    [
      'fields that are null',
      { ...good, accountOverrides: [{ accountId: account, fields: null }] },
      [type('object', 'null', 'accountOverrides', 0, 'fields')],
    ],
    [
      'a caption override that is a number',
      { ...good, accountOverrides: [{ accountId: account, captionOverride: 1 }] },
      [type('string', 'number', 'accountOverrides', 0, 'captionOverride')],
    ],
    ['thread parts that are a list', { ...good, threadParts: [] }, [type('object', 'array', 'threadParts')]],
    [
      'parts that are text',
      { ...good, threadParts: { [account]: 'text' } },
      [type('array', 'string', 'threadParts', account)],
    ],
    [
      'parts under a key with a line break',
      { accountIds: ['a\nb'], threadParts: { 'a\nb': 5 } },
      [type('array', 'number', 'threadParts', 'a\nb')],
    ],
    [
      'a part that is a number',
      { ...good, threadParts: { [account]: ['a', 1] } },
      [type('string', 'number', 'threadParts', account, 1)],
    ],
    ['a time that is a number', { ...good, scheduledAt: 1 }, [type('string', 'number', 'scheduledAt')]],
    ['a time that is null', { ...good, scheduledAt: null }, [type('string', 'null', 'scheduledAt')]],
    [
      'a misspelt key',
      { ...good, sheduledAt: '2030-01-01T00:00:00Z' },
      [{ code: 'unrecognized_keys', keys: ['sheduledAt'], path: [] }],
    ],
    [
      'two unknown keys',
      { ...good, userId: 'x', status: 'published' },
      [{ code: 'unrecognized_keys', keys: ['userId', 'status'], path: [] }],
    ],
    [
      'an unknown key in an override',
      { ...good, accountOverrides: [{ accountId: account, caption: 'x' }] },
      [{ code: 'unrecognized_keys', keys: ['caption'], path: ['accountOverrides', 0] }],
    ],
    [
      'an override for another account',
      { ...good, accountOverrides: [{ accountId: other }] },
      [custom('accountOverrides', 0, 'accountId')],
    ],
    [
      'two overrides for one account',
      { ...good, accountOverrides: [{ accountId: account }, { accountId: account }] },
      [custom('accountOverrides', 1, 'accountId')],
    ],
    ['parts for another account', { ...good, threadParts: { [other]: ['a'] } }, [custom('threadParts', other)]],
    [
      'several mistakes',
      { caption: 5, mediaIds: 'x' },
      [
        type('array', 'undefined', 'accountIds'),
        type('string', 'number', 'caption'),
        type('array', 'string', 'mediaIds'),
      ],
    ],
  ]
  for (const [name, body, details] of cases) {
    const reply = await ada.call('POST', '/posts', body)
    t.equal(reply.status, 400, name)
    t.equal(reply.body.error, 'Invalid request', name)
    t.equal(reply.body.details.length, details.length, name)
    t.hasStrict(reply.body.details, details, name)
  }
  t.strictSame(await stored(world), { posts: [], targets: [], media: [] })
})

t.test('accounts and media without access all get the same 403, which names the ids of the request', async (t) => {
  const world = await createWorld(t)
  const [ada, bob] = [await world.user(), await world.user()]
  const own = await ada.account()
  const foreign = await bob.account('x')
  const disconnected = await ada.account()
  // From here on, the accounts are in the cache of the service.
  t.hasStrict(await ada.call('POST', '/posts', { accountIds: [own, disconnected] }), { status: 201 })
  t.hasStrict(await bob.call('POST', '/posts', { accountIds: [foreign] }), { status: 201 })
  await disconnectAccount(world.db, disconnected)
  const upper = own.toUpperCase()
  const foreignMedia = await bob.media()
  const organization = await world.organization(ada, bob)
  const shared = await bob.account('mastodon', { organizationId: organization })

  t.hasStrict(await ada.call('POST', '/posts', { accountIds: [shared] }), { status: 201 }, 'through an organisation')
  await world.db.deleteFrom('posts').execute()

  for (const id of [foreign, UNKNOWN, disconnected, 'nonsense', '', upper]) {
    const reply = await ada.call('POST', '/posts', { accountIds: [own, id] })
    t.equal(reply.status, 403)
    t.strictSame(reply.body, { error: `You have no access to these accountIds: ${id}` })
  }
  for (const id of [foreignMedia, UNKNOWN, 'nonsense']) {
    const reply = await ada.call('POST', '/posts', { accountIds: [own], mediaIds: [id] })
    t.equal(reply.status, 403)
    t.strictSame(reply.body, { error: `You have no access to these mediaIds: ${id}` })
  }
  const both = await ada.call('POST', '/posts', { accountIds: [foreign, UNKNOWN], mediaIds: [foreignMedia] })
  t.strictSame(both.body, {
    error: `You have no access to these accountIds: ${foreign}, ${UNKNOWN}; mediaIds: ${foreignMedia}`,
  })
  t.strictSame(await stored(world), { posts: [], targets: [], media: [] })
})

t.test('checks run in order: key, shape, limits of accessible accounts, access', async (t) => {
  const world = await createWorld(t)
  const [ada, bob] = [await world.user(), await world.user()]
  const own = await ada.account('x', { username: 'ada' })
  const foreign = await bob.account('x', { username: 'bob' })
  const long = 'a'.repeat(281)

  const shapeFirst = await ada.call('POST', '/posts', { accountIds: [own, foreign], caption: long, nonsense: 1 })
  t.hasStrict(shapeFirst, { status: 400, body: { error: 'Invalid request' } })

  const limitsFirst = await ada.call('POST', '/posts', { accountIds: [own, foreign], caption: long })
  t.strictSame(limitsFirst.body, { error: 'x (@ada): caption is 281 characters long, at most 280 are allowed' })
  t.equal(limitsFirst.status, 400)

  const foreignOnly = await ada.call('POST', '/posts', { accountIds: [foreign], caption: long })
  t.equal(foreignOnly.status, 403, 'limits of inaccessible accounts are not checked')
  t.notMatch(foreignOnly.body.error, 'bob')
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
    logger: false,
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
    twice(`mastodon (@alice@mastodon.example): ${what} is ${length} characters long, at most ${max} are allowed`)

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
  t.strictSame(await post({ caption: 'a'.repeat(501) }), tooLong('caption', 501, 500))
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
