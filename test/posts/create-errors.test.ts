import t from 'tap'
import { disconnectAccount } from '../../db/queries/disconnect.ts'
import { createWorld } from '../helpers/app.ts'
import { collectProblems } from '../helpers/problems.ts'
import { readStoredPosts } from '../helpers/stored-posts.ts'

const pick = (value: object | undefined, names: string[]) =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => names.includes(name)))

const UNKNOWN = '0196f0a1-0000-7000-8000-000000000000'

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
  const { problems, check } = collectProblems()
  for (const [name, body, details] of cases) {
    const reply = await ada.call('POST', '/posts', body)
    check([reply.status, reply.body.error], [400, 'Invalid request'], name)
    // Those properties of the details that the case names.
    const shown = details.map((detail, index) => pick(reply.body.details?.[index], Object.keys(detail)))
    check([reply.body.details?.length, shown], [details.length, details], name)
  }
  t.strictSame(problems, [])
  t.strictSame(await readStoredPosts(world), { posts: [], targets: [], media: [] })
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
  t.strictSame(await readStoredPosts(world), { posts: [], targets: [], media: [] })
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
