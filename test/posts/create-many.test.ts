import { sql } from 'kysely'
import t from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { collectProblems } from '../helpers/problems.ts'
import { checkIssues, toRaw } from '../helpers/rejections.ts'
import { until, untilBlocked } from '../helpers/until.ts'

const FUTURE = '2999-01-01T00:00:00.000Z'
const UNKNOWN_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'
const LONG = 'a'.repeat(400)

const world = await createWorld(t)
const { app, db } = world

/** A user with an account on Bluesky and one on X. */
async function createScene() {
  const person = await world.user()
  const ada = repeating(person)
  const [bluesky, x] = [await ada.account('bluesky'), await ada.account('x')]
  const create = (posts: object[], mode?: string, headers?: Record<string, string>) =>
    ada.call('POST', '/posts/batch', { posts, ...(mode && { mode }) }, headers)
  const captions = async () =>
    (await ada.call('GET', '/posts?limit=100')).body.data.map(({ caption }: { caption: string }) => caption)
  return { ada, bluesky, x, create, captions }
}

t.test('all posts of a batch are stored as they would be alone', async (t) => {
  const { ada, bluesky, x, create } = await createScene()
  const media = await ada.media()
  const posts = [
    { accountIds: [bluesky] },
    { accountIds: [x, bluesky, x], caption: 'two', scheduledAt: FUTURE, mediaIds: [media], firstComment: 'more' },
    {
      accountIds: [bluesky],
      postType: 'thread',
      threadParts: { [bluesky]: ['a', 'b'] },
      accountOverrides: [{ accountId: bluesky, captionOverride: 'c', fields: { langs: ['en'] } }],
      externalReference: 'row-3',
      metadata: { sheet: 'May' },
    },
  ]
  const { status, body } = await create(posts)
  t.equal(status, 201)
  t.strictSame(
    [body.rejected, body.data.map(({ index, status }: Record<string, unknown>) => [index, status])],
    [
      [],
      [
        [0, 'draft'],
        [1, 'scheduled'],
        [2, 'draft'],
      ],
    ],
  )
  const withoutOwn = ({ id: _, createdAt: __, updatedAt: ___, ...post }: Record<string, unknown>) => post
  for (const [index, post] of posts.entries()) {
    const { body: alone } = await ada.call('POST', '/posts', post)
    const read = async (id: string) => withoutOwn((await ada.call('GET', `/posts/${id}`)).body)
    t.strictSame(await read(body.data[index].id), await read(alone.id), String(index))
    const about = (warnings: { code: string }[] = []) => warnings.filter(({ code }) => code !== 'repeated_text')
    t.strictSame(about(body.data[index].warnings), about(alone.warnings), 'but for the text, which is there twice')
  }
})

t.test('with mode all, one rejected post rejects the batch, and every rejected one is explained', async (t) => {
  const { ada, bluesky, x, create, captions } = await createScene()
  const tooLong = { accountIds: [x, bluesky], caption: LONG }
  const foreign = { accountIds: [bluesky, UNKNOWN_ID] }
  const { status, body, headers } = await create([{ accountIds: [x], caption: 'good' }, tooLong, foreign])
  const { body: validation } = await ada.call('POST', '/posts/validate', tooLong)
  t.strictSame([status, headers['x-error-code'], body.error], [400, 'platform_limit', validation.create.error])
  const error = `You have no access to these accountIds: ${UNKNOWN_ID}`
  t.ok(validation.violations.length >= 2)
  t.strictSame(body.rejected, [
    {
      index: 1,
      status: 400,
      code: 'platform_limit',
      error: validation.create.error,
      violations: validation.violations,
    },
    { index: 2, status: 403, code: 'no_access', error, violations: [] },
  ])
  const reversed = await create([foreign, tooLong])
  t.strictSame([reversed.status, reversed.headers['x-error-code'], reversed.body.error], [403, 'no_access', error])
  t.strictSame(await captions(), [], 'nothing was stored')
})

t.test('with mode each, the posts that are not rejected are stored', async (t) => {
  const { bluesky, x, create, captions } = await createScene()
  const posts = [
    { accountIds: [x], caption: 'one' },
    { accountIds: [x], caption: LONG },
    { accountIds: [bluesky], caption: 'three', scheduledAt: '2020-01-01T00:00:00Z' },
  ]
  const { status, body } = await create(posts, 'each')
  t.strictSame([status, body.rejected.map(({ index }: { index: number }) => index)], [200, [1]])
  t.strictSame(
    body.data.map(({ index, warnings }: { index: number; warnings: object[] }) => [index, warnings.length]),
    [
      [0, 1],
      [2, 2],
    ],
    'neither account is connected, and one time is past',
  )
  t.strictSame((await captions()).sort(), ['one', 'three'])
  const none = await create([{ accountIds: [x], caption: LONG }], 'each')
  t.strictSame([none.status, none.body.data], [200, []])
})

t.test('a batch has 100 posts for 500 accounts at most, and mistakes name the post', async (t) => {
  const { ada, bluesky, create, captions } = await createScene()
  const draft = { accountIds: [bluesky] }
  const accounts = await Promise.all(
    Array.from({ length: 50 }, (_, index) => ada.account('x', { username: `x${index}` })),
  )
  const wide = (count: number) => [...Array(9).fill({ accountIds: accounts }), { accountIds: accounts.slice(0, count) }]
  let deep: object = {}
  for (let level = 0; level < 40; level++) deep = { deep }
  const cases: [posts: unknown, code: string, path: (string | number)[], message?: string | RegExp][] = [
    [[], 'too_small', ['posts']],
    [Array(101).fill(draft), 'too_big', ['posts'], 'Array must contain at most 100 element(s)'],
    [[...wide(50), draft], 'custom', ['posts'], 'All posts together have 501 accounts: at most 500 are allowed'],
    [[draft, {}], 'invalid_type', ['posts', 1, 'accountIds']],
    [[draft, { ...draft, scheduleAt: FUTURE }], 'unrecognized_keys', ['posts', 1]],
    [[{ ...draft, scheduledAt: 'soon' }], 'invalid_string', ['posts', 0, 'scheduledAt']],
    [[draft, { ...draft, threadParts: { [UNKNOWN_ID]: [] } }], 'custom', ['posts', 1, 'threadParts', UNKNOWN_ID]],
    [[{ ...draft, metadata: { ['a'.repeat(41)]: '' } }], 'too_big', ['posts', 0, 'metadata', 'a'.repeat(41)]],
    ['all of them', 'invalid_type', ['posts']],
  ]
  const { problems, check } = collectProblems()
  for (const [posts, code, path, message] of cases) {
    for (const route of ['/posts/batch', '/posts/batch/validate']) {
      const reply = await ada.call('POST', route, { posts, mode: 'each' })
      const issue = { code, path, ...(message && { message }) }
      checkIssues(check, toRaw(reply), [issue], `${route} ${JSON.stringify(path)}`)
    }
  }
  t.strictSame(problems, [])
  const nested = await create([{ ...draft, accountOverrides: [{ accountId: bluesky, fields: { deep } }] }])
  t.equal(nested.body.details[0].message, 'Nested too deeply: fields may be 30 levels deep')
  t.strictSame(await captions(), [])

  const most = await create(wide(50))
  t.strictSame([most.status, most.body.data.length], [201, 10])
  const largest = Array(100).fill({
    ...draft,
    caption: 'hi',
    metadata: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`name ${index}`, 'a'.repeat(490)])),
  })
  t.strictSame([(await create(largest)).status, JSON.stringify({ posts: largest }).length > 1_000_000], [201, true])
})

t.test('a repeated request with the same Idempotency-Key is carried out once', async (t) => {
  const { ada, x, create, captions } = await createScene()
  const good = { accountIds: [x], caption: 'one' }
  const bad = { accountIds: [x], caption: LONG }
  const key = { 'idempotency-key': 'a' }
  t.equal((await create([good, bad], 'all', key)).status, 400, 'a rejected batch does not use the key up')
  const replies = await Promise.all([1, 2, 3].map(() => create([good, bad], 'each', key)))
  const explicit = { ...good, mediaIds: [], postType: 'post', accountOverrides: [] }
  replies.push(await create([explicit, bad], 'each', key))
  t.strictSame(new Set(replies.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size, 1)
  t.strictSame(replies.filter(({ headers }) => headers['idempotent-replayed']).length, 3)
  t.strictSame(await captions(), ['one'])
  for (const [posts, mode] of [
    [[good, bad], 'all'],
    [[good], 'each'],
  ] as const) {
    const { status, headers } = await create([...posts], mode, key)
    t.strictSame([status, headers['x-error-code']], [409, 'idempotency_key_reused'])
  }
  t.equal((await ada.call('POST', '/posts', good, key)).status, 409, 'nor does another operation replay it')
})

t.test('validation says what a batch would get, for both modes', async (t) => {
  const { ada, bluesky, x, create } = await createScene()
  const drafts = await createKey(db, {
    userId: ada.id,
    name: null,
    expiresAt: null,
    scopes: ['posts:read', 'posts:write'],
  })
  const posts = [
    { accountIds: [x] },
    { accountIds: [x, bluesky], caption: LONG },
    { accountIds: [bluesky, UNKNOWN_ID] },
    { accountIds: [x], scheduledAt: FUTURE },
    { accountIds: [x], caption: 'hi', scheduledAt: FUTURE },
  ]
  const send = (person: Pick<Person, 'call'>, path: string, body: object) => person.call('POST', path, body)
  const author = repeating({ ...ada, call: (...request) => call(app, drafts.key, ...request) })
  const { problems, check } = collectProblems()
  for (const person of [ada, author]) {
    for (const mode of ['all', 'each']) {
      for (const batch of [posts, [posts[0]!], [posts[0]!, posts[4]!], [posts[2]!, posts[1]!], [posts[4]!]]) {
        const body = { mode, posts: batch }
        const { body: validation } = await send(person, '/posts/batch/validate', body)
        const name = JSON.stringify(body)
        for (const [index, post] of batch.entries()) {
          const { body: alone } = await send(person, '/posts/validate', post)
          check(validation.data[index], { index, ...alone }, `${name}: post ${index}`)
        }
        const { status, body: created } = await send(person, '/posts/batch', body)
        check(validation.create, { status, error: status < 300 ? null : created.error }, name)
      }
    }
  }
  t.strictSame(problems, [])
  t.equal((await create([posts[4]!])).status, 201)
})

t.test('keys with fewer rights store what they may, and nothing else', async (t) => {
  const { ada, bluesky, x, create } = await createScene()
  const keyWith = async (limits: object) => {
    const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, ...limits })
    return (body: object, headers?: Record<string, string>) =>
      until('the request is carried out', () => call(app, key, 'POST', '/posts/batch', body, headers), {
        isMet: ({ status }) => status !== 503,
      })
  }
  const author = await keyWith({ scopes: ['posts:write'] })
  const scheduled = { accountIds: [x], caption: 'hi', scheduledAt: FUTURE }
  const lacking = await author({ mode: 'each', posts: [{ accountIds: [x] }, scheduled] })
  t.strictSame([lacking.status, lacking.headers['x-error-code']], [403, 'insufficient_scope'])
  t.equal((await author({ posts: [{ accountIds: [x] }] })).status, 201)

  const limited = await keyWith({ accountIds: [bluesky], scopes: ['posts:write'] })
  const both = [{ accountIds: [bluesky] }, { accountIds: [x], caption: LONG }]
  const some = await limited({ mode: 'each', posts: both })
  t.strictSame(
    [
      some.body.data.length,
      some.body.rejected.map(({ code, violations }: Record<string, unknown>) => [code, violations]),
    ],
    [1, [['no_access', []]]],
    'the limits of an account that is not listed are not told',
  )
  t.equal((await limited({ posts: both })).status, 403)
  const key = { 'idempotency-key': 'shared' }
  t.equal((await create([{ accountIds: [x] }], 'each', key)).status, 200)
  const replay = await limited({ mode: 'each', posts: [{ accountIds: [x] }] }, key)
  t.strictSame(
    [replay.status, replay.body.data, replay.body.rejected.map(({ code }: { code: string }) => code)],
    [200, [], ['no_access']],
    'the response to another key is not replayed',
  )
})

t.test('a batch is stored whole or not at all where an account goes away while it is stored', async (t) => {
  const { bluesky, x, create, captions } = await createScene()
  const posts = [
    { accountIds: [bluesky], caption: 'one' },
    { accountIds: [x], caption: 'two' },
  ]
  const { reply } = await db.transaction().execute(async (change) => {
    await change.updateTable('accounts').set({ disconnectedAt: new Date() }).where('id', '=', x).execute()
    // The posts are checked, and wait to be written.
    await sql`lock table posts`.execute(change)
    const reply = create(posts)
    await untilBlocked(db)
    // Inside an object, so that the transaction does not wait for it.
    return { reply }
  })
  const { status, body } = await reply
  t.strictSame([status, body.rejected.map(({ index }: { index: number }) => index)], [403, [1]])
  t.strictSame(await captions(), [])
})
