import t from 'tap'
import { createWorld, type Person } from '../helpers/app.ts'

const CREDENTIALS = { credentials: { username: 'ada' } }
const DAY_MS = 86_400_000
const NOON = Date.parse('2030-06-15T12:00:00Z')
const after = (ms: number) => new Date(NOON + ms).toISOString()

interface Shown {
  code: string
  path: unknown
  postId?: string
  accountId: string
  message: string
}

/** The warnings of a create with strict=true, which are those of its validation. */
async function create(person: Person, body: object, headers?: Record<string, string>) {
  const validated = await person.call('POST', '/posts/validate', body)
  const created = await person.call('POST', '/posts?strict=true', body, headers)
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  const warnings: Shown[] = created.body.warnings ?? []
  t.strictSame(warnings, validated.body.warnings)
  return { id: created.body.id as string, warnings, body: created.body }
}

const named = (warnings: Shown[]) => warnings.map(({ code, postId }) => [code, postId])

t.test('the same text on the same account within 7 days leads to a warning that names the post', async (t) => {
  const { user, db } = await createWorld(t)
  const ada = await user()
  const [telegram, mastodon] = [await ada.account('telegram', CREDENTIALS), await ada.account('mastodon', CREDENTIALS)]
  const post = { accountIds: [telegram], caption: 'The harbour is open', scheduledAt: after(0) }
  const first = await create(ada, post)
  t.strictSame(first.warnings, [])
  const again = await create(ada, { ...post, caption: ' The  harbour\nis open ', scheduledAt: after(7 * DAY_MS) })
  t.strictSame(again.warnings, [
    {
      code: 'repeated_text',
      path: ['caption'],
      accountId: telegram,
      postId: first.id,
      message: `telegram (@ada): the same text is in post ${first.id}, due or published at ${after(0)}`,
    },
  ])
  const captionOverride = post.caption
  const own = await create(ada, {
    accountIds: [mastodon, telegram],
    caption: 'other',
    accountOverrides: [{ accountId: telegram, captionOverride }],
    scheduledAt: after(-DAY_MS),
  })
  t.strictSame(
    own.warnings.map(({ path }) => path),
    [['accountOverrides', 0, 'captionOverride']],
  )
  for (const quiet of [
    { caption: 'the harbour is open' },
    { accountIds: [mastodon] },
    { scheduledAt: after(-9 * DAY_MS) },
    { scheduledAt: undefined },
    { caption: '', mediaIds: [await ada.media()] },
  ]) {
    const { id, warnings } = await create(ada, { ...post, ...quiet })
    t.strictSame(warnings, [], JSON.stringify(quiet))
    await ada.call('DELETE', `/posts/${id}`)
  }
  for (const { id } of [again, own]) await ada.call('DELETE', `/posts/${id}`)
  await db.updateTable('postTargets').set({ state: 'failed' }).where('postId', '=', first.id).execute()
  t.strictSame((await create(ada, post)).warnings, [], 'what has failed is not on the network')
})

t.test('a post that is close to another one leads to a warning, by the gap of the operator', async (t) => {
  const { user } = await createWorld(t, { postGapMs: 900_000 })
  const ada = await user()
  const accountIds = [await ada.account('mastodon', CREDENTIALS)]
  const at = (ms: number) => ({ accountIds, caption: String(ms), scheduledAt: after(ms) })
  const first = await create(ada, at(0))
  t.strictSame(named((await create(ada, at(900_000))).warnings), [['close_posts', first.id]])
  t.strictSame((await create(ada, at(-900_001))).warnings, [])
  const moved = await create(ada, at(DAY_MS))
  const patch = (body: object) => ada.call('PATCH', `/posts/${moved.id}`, body)
  t.equal((await patch({ caption: 'b' })).body.warnings, undefined, 'a post is not close to itself')
  const { body } = await patch({ scheduledAt: after(60_000), caption: '0' })
  t.strictSame(named(body.warnings), [
    ['repeated_text', first.id],
    ['close_posts', first.id],
  ])
})

t.test('a published post counts, at the time when it was published', async (t) => {
  const { user, db } = await createWorld(t, { postGapMs: 900_000 })
  const ada = await user()
  const accountId = await ada.account('mastodon', CREDENTIALS)
  const now = Date.now()
  const post = { accountIds: [accountId], caption: 'a', scheduledAt: new Date(now).toISOString() }
  const { id } = await create(ada, post)
  const key = { userId: ada.id, postId: id, accountId }
  const at = new Date(now)
  await db.updateTable('postTargets').set({ state: 'published', claimableAt: null }).where('postId', '=', id).execute()
  const attempt = { ...key, number: 1, act: 1, startedAt: at, intendedAt: at, outcome: 'published' }
  await db.insertInto('deliveryAttempts').values(attempt).execute()
  const { warnings } = await create(ada, { ...post, scheduledAt: new Date(now + 600_000).toISOString() })
  t.strictSame(named(warnings), [
    ['repeated_text', id],
    ['close_posts', id],
  ])
})

t.test('a draft counts from when it gets a time, whether by a change or by being published', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountId = await ada.account('mastodon', CREDENTIALS)
  const now = Date.now()
  for (const [caption, start] of [
    ['published', (id: string) => ada.call('POST', `/posts/${id}/publish`)],
    ['scheduled', (id: string) => ada.call('PATCH', `/posts/${id}`, { scheduledAt: new Date(now).toISOString() })],
  ] as const) {
    const draft = { accountIds: [accountId], caption }
    const { id } = await create(ada, draft)
    const scheduled = { ...draft, scheduledAt: new Date(now + DAY_MS).toISOString() }
    const before = await ada.call('POST', '/posts/validate', scheduled)
    t.strictSame(named(before.body.warnings), [], caption)
    await start(id)
    const after = await ada.call('POST', '/posts/validate', scheduled)
    t.strictSame(named(after.body.warnings), [['repeated_text', id]], caption)
  }
})

t.test('the posts that a network still allows in 24 hours are counted', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountId = await ada.account('tiktok', CREDENTIALS)
  const fields = { privacyLevel: 'SELF_ONLY' }
  const mediaIds = [await ada.media({ mimeType: 'video/mp4', durationSeconds: 10 })]
  const post = (number: number) => ({
    accountIds: [accountId],
    mediaIds,
    accountOverrides: [{ accountId, fields }],
    caption: String(number),
    scheduledAt: after(number * 60_000),
  })
  const posts = Array.from({ length: 14 }, (_, number) => post(number))
  const validated = await ada.call('POST', '/posts/batch/validate', { mode: 'all', posts })
  const created = await ada.call('POST', '/posts/batch', { mode: 'all', posts })
  t.equal(created.status, 201, JSON.stringify(created.body))
  for (const { data } of [validated.body, created.body]) {
    t.strictSame(
      data.flatMap(({ index, warnings = [] }: { index: number; warnings: Shown[] }) =>
        warnings.map(({ code, message }) => [index, code, message.replace(/^.*?\): /, '')]),
      ),
      [[13, 'daily_limit', 'this is number 14 of the 15 direct posts that the network allows in 24 hours: 1 left']],
    )
  }
  t.match((await create(ada, post(14))).warnings, [{ code: 'daily_limit', message: /: 0 left$/ }])
  t.match((await create(ada, post(15))).warnings, [{ code: 'daily_limit', message: /choose another time$/ }])
  t.strictSame((await create(ada, { ...post(16), scheduledAt: after(3 * DAY_MS) })).warnings, [])
})

t.test('posts of one request are compared to each other', async (t) => {
  const { user } = await createWorld(t, { postGapMs: 60_000 })
  const ada = await user()
  const accountIds = [await ada.account('mastodon', CREDENTIALS)]
  const posts = [
    { accountIds, caption: 'a', scheduledAt: after(0), externalReference: 'row-1' },
    { accountIds, caption: 'a', scheduledAt: after(DAY_MS) },
    { accountIds, caption: 'b', scheduledAt: after(DAY_MS) },
  ]
  for (const path of ['/posts/batch/validate', '/posts/batch']) {
    const { body } = await ada.call('POST', path, { mode: 'all', posts })
    t.match(
      body.data.map(({ warnings = [] }: { warnings: Shown[] }) => warnings.map(({ message }) => message)),
      [[], [/the post with the externalReference row-1,/], [/close to this post is posts\[1\],/]],
    )
  }
})

t.test('a response under an Idempotency-Key has the warnings, and strict=true does not reject for them', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const post = { accountIds: [await ada.account('mastodon', CREDENTIALS)], caption: 'a', scheduledAt: after(0) }
  const first = await create(ada, post)
  const second = await create(ada, post, { 'idempotency-key': 'k' })
  t.strictSame(named(second.warnings), [['repeated_text', first.id]])
  const replay = await ada.call('POST', '/posts?strict=true', post, { 'idempotency-key': 'k' })
  t.strictSame([replay.body, replay.headers['idempotent-replayed']], [second.body, 'true'])
  t.equal((await ada.call('GET', '/posts')).body.data.length, 2)
  const plain = await ada.call('POST', '/posts', post)
  t.strictSame([plain.status, plain.body.warnings], [201, undefined], 'the accounts are known, so nothing is read')
})

t.test('a post of another user is not named', async (t) => {
  const { user, organization } = await createWorld(t)
  const [ada, bob] = [await user('ada'), await user('bob')]
  const organizationId = await organization(ada, bob)
  const post = {
    accountIds: [await ada.account('mastodon', { ...CREDENTIALS, organizationId })],
    caption: 'a',
    scheduledAt: after(0),
  }
  const { id } = await create(ada, post)
  const { warnings } = await create(bob, post)
  t.match(warnings, [{ code: 'repeated_text', message: /a post of another user, due/ }])
  t.notMatch(JSON.stringify(warnings), id)
})
