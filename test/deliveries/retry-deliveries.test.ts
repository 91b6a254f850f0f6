import t from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, type Reply } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { assertIssues, toRaw } from '../helpers/rejections.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'
import { untilBlocked } from '../helpers/until.ts'

const MINUTE = 60_000

interface Key {
  postId: string
  accountId: string
}

/** Two networks whose deliveries fail as the test says, and one that cannot be queried. */
async function createScene(t: Parameters<typeof createDeliveryWorld>[0]) {
  const [mastodon, bluesky, telegram] = [scriptedNetwork(), scriptedNetwork(), scriptedNetwork('at-most-once')]
  const networks = { mastodon, bluesky, telegram }
  const world = await createDeliveryWorld(t, networks)
  const ada = repeating(world.ada)
  const retry = (body: object = {}) => ada.call('POST', '/deliveries/retry', body)
  /** Posts that fail with this error. */
  const fail = async (platform: keyof typeof networks & PlatformId, account: string, errors: Error[]) => {
    const ids: string[] = []
    for (const error of errors) {
      ids.push(await world.post({ accountIds: [account], caption: `post ${ids.length} on ${platform}` }))
      networks[platform].steps.push({ isAccepted: false, error })
      await world.work()
    }
    return ids
  }
  return { ...world, ...networks, ada, retry, fail }
}

const namesOf = (keys: Key[]) => new Set(keys.map(({ postId, accountId }) => `${postId} ${accountId}`))
const named = (ids: string[], accountId: string) => namesOf(ids.map((postId) => ({ postId, accountId })))

t.test('all deliveries that failed are retried, and a repeated request finds nothing more', async (t) => {
  const { connectAccount, fail, retry, work, mastodon, bluesky, readDelivery, ada, user } = await createScene(t)
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const failed = await fail('mastodon', first, [refusal(), refusal(), refusal('unauthorized')])
  const others = await fail('bluesky', second, [refusal('unauthorized')])
  t.strictSame((await repeating(await user()).call('POST', '/deliveries/retry', {})).body, {
    retried: [],
    left: [],
    nextCursor: null,
  })
  const { status, body } = await retry()
  t.strictSame([status, body.left, body.nextCursor], [200, [], null])
  t.strictSame(namesOf(body.retried), new Set([...named(failed, first), ...named(others, second)]))
  t.strictSame((await retry()).body, { retried: [], left: [], nextCursor: null })
  await work(MINUTE)
  t.strictSame([mastodon.posts.length, bluesky.posts.length], [3, 1])
  t.hasStrict(await readDelivery(failed[0]!), { state: 'published', attempts: 2, error: null })
  t.strictSame((await ada.call('GET', '/deliveries?state=failed')).body.data, [])
})

t.test('the filters of listDeliveries select what is retried', async (t) => {
  const { connectAccount, fail, retry, ada, readDelivery } = await createScene(t)
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const refused = await fail('mastodon', first, [refusal()])
  const [expired] = await fail('mastodon', first, [refusal('unauthorized')])
  const others = await fail('bluesky', second, [refusal('unauthorized')])
  const past = (await ada.call('GET', `/posts/${expired}`)).body.scheduledAt
  const later = new Date(Date.parse(past) + 24 * 60 * MINUTE).toISOString()
  for (const nothing of [
    { platform: 'x' },
    { errorCode: 'timeout' },
    { state: ['missed'] },
    { scheduledFrom: later },
    { changedAfter: later },
    { accountId: second, errorCode: 'content_refused' },
  ]) {
    t.strictSame((await retry(nothing)).body, { retried: [], left: [], nextCursor: null }, JSON.stringify(nothing))
  }
  const { body } = await retry({ accountId: first, errorCode: 'unauthorized' })
  t.strictSame(body.retried, [{ postId: expired, accountId: first }])
  t.hasStrict(await readDelivery(refused[0]!), { state: 'failed' })
  const rest = await retry({ scheduledBefore: later })
  t.strictSame(namesOf(rest.body.retried), new Set([...named(refused, first), ...named(others, second)]))
})

t.test('what is not retried is left as it is, and the response says why', async (t) => {
  const {
    connectAccount,
    fail,
    retry,
    ada,
    db,
    post,
    work,
    readDelivery,
    telegram,
    mastodon: network,
  } = await createScene(t)
  const [mastodon, bot] = [await connectAccount('mastodon'), await connectAccount('telegram')]
  const [deleted, cancelled] = await fail('mastodon', mastodon, [
    refusal(),
    refusal('unreachable', { retryable: true }),
  ])
  const error = JSON.stringify({ code: 'media_deleted', message: 'A file of the post was deleted', retryable: false })
  await db.updateTable('postTargets').set({ error }).where('postId', '=', deleted!).execute()
  t.equal((await ada.call('POST', `/posts/${cancelled}/deliveries/${mastodon}/cancel`)).status, 200)
  const unconfirmed = await post({ accountIds: [bot], caption: 'perhaps' })
  telegram.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  network.steps.push({ isAccepted: true, error: lostResponse() })
  const called = await post({ accountIds: [mastodon], caption: 'called, then cancelled' })
  await work()
  t.equal((await ada.call('POST', `/posts/${called}/deliveries/${mastodon}/cancel`)).status, 200)
  const ids = [deleted!, cancelled!, unconfirmed, called]
  const before = await Promise.all(ids.map((id) => readDelivery(id)))

  const { body } = await retry({ state: ['failed', 'unconfirmed', 'missed', 'published'] })
  t.strictSame(body.retried, [])
  t.strictSame(
    new Map(body.left.map(({ postId, code }: { postId: string; code: string }) => [postId, code])),
    new Map([
      [deleted, 'media_deleted'],
      [called, 'delivery_cancelled'],
      [unconfirmed, 'delivery_unconfirmed'],
    ]),
  )
  t.strictSame(await Promise.all(ids.map((id) => readDelivery(id))), before)
  const own = await retry({ state: ['cancelled'] })
  t.strictSame(own.body.retried, [{ postId: cancelled, accountId: mastodon }], 'asked for by its state')
  const open = await retry({ state: ['unconfirmed'], errorCode: 'cancelled' })
  t.strictSame(open.body.retried, [{ postId: called, accountId: mastodon }], 'asked for by its code')
})

t.test('a first comment that failed is sent alone', async (t) => {
  const { connectAccount, retry, post, work, mastodon, readDelivery } = await createScene(t)
  const account = await connectAccount('mastodon')
  mastodon.steps.push({ isAccepted: true }, { isAccepted: false, error: refusal() })
  const id = await post({ accountIds: [account], caption: 'a post with a comment', firstComment: 'the comment' })
  await post({ accountIds: [account], caption: 'another' })
  await work()
  t.strictSame((await retry()).body.retried, [])
  t.strictSame((await retry({ state: ['published'] })).body, {
    retried: [{ postId: id, accountId: account }],
    left: [],
    nextCursor: null,
  })
  await work(MINUTE)
  t.strictSame(mastodon.posts, ['a post with a comment', 'another', 'the comment'])
  t.hasStrict(await readDelivery(id), { state: 'published', error: null })
})

t.test('a call whose response was lost is looked for before it is repeated', async (t) => {
  const { connectAccount, retry, post, work, mastodon, readDelivery } = await createScene(t)
  const account = await connectAccount('mastodon')
  mastodon.reconcileWith = async () => 'unknown'
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  const id = await post({ accountIds: [account], caption: 'once' })
  for (let hours = 0; (await readDelivery(id)).state !== 'unconfirmed' && hours < 30; hours++) await work(60 * MINUTE)
  mastodon.reconcileWith = undefined
  t.strictSame((await retry({ state: ['unconfirmed'] })).body.retried, [{ postId: id, accountId: account }])
  await work(60 * MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published' })
  t.strictSame(mastodon.posts, ['once'])
})

t.test('a request is bounded, and its cursor leads to the rest', async (t) => {
  const { connectAccount, fail, retry, db } = await createScene(t)
  const account = await connectAccount('mastodon')
  const ids = await fail('mastodon', account, Array(5).fill(refusal()))
  const error = JSON.stringify({ code: 'media_deleted', message: 'no', retryable: false })
  await db.updateTable('postTargets').set({ error }).where('postId', 'in', ids.slice(3)).execute()
  const seen: Record<'retried' | 'left', Key[]> = { retried: [], left: [] }
  let cursor: string | null = null
  let requests = 0
  do {
    const { body }: Reply = await retry({ limit: 2, ...(cursor !== null && { cursor }) })
    t.ok(body.retried.length + body.left.length <= 2)
    seen.retried.push(...body.retried)
    seen.left.push(...body.left)
    cursor = body.nextCursor
    requests++
  } while (cursor !== null && requests < 10)
  t.strictSame(namesOf(seen.retried), named(ids.slice(0, 3), account))
  t.strictSame(namesOf(seen.left), named(ids.slice(3), account), 'those that are left do not hide the others')
})

t.test('a delivery that another request changes meanwhile is in neither list', async (t) => {
  const { connectAccount, fail, retry, db } = await createScene(t)
  const account = await connectAccount('mastodon')
  const [first, second] = await fail('mastodon', account, [refusal(), refusal()])
  const { reply } = await db.transaction().execute(async (change) => {
    await change.updateTable('postTargets').set({ state: 'publishing' }).where('postId', '=', first!).execute()
    const reply = retry()
    await untilBlocked(db)
    // Inside an object, so that the transaction does not wait for it.
    return { reply }
  })
  t.strictSame((await reply).body, { retried: [{ postId: second, accountId: account }], left: [], nextCursor: null })
})

t.test('a mistyped filter, and a key that may not publish, retry nothing', async (t) => {
  const { app, db, connectAccount, fail, retry, ada, readDelivery } = await createScene(t)
  const account = await connectAccount('mastodon')
  const [id] = await fail('mastodon', account, [refusal()])
  const { body } = await ada.call('GET', '/deliveries?state=missed&limit=1')
  t.equal(body.nextCursor, null)
  const cases: [body: object, code: string, path: (string | number)[]][] = [
    [{ account }, 'unrecognized_keys', []],
    [{ accountId: 'a' }, 'invalid_string', ['accountId']],
    [{ state: [] }, 'too_small', ['state']],
    [{ state: ['queued'] }, 'invalid_enum_value', ['state', 0]],
    [{ limit: 101 }, 'too_big', ['limit']],
    [{ cursor: 'A'.repeat(80) }, 'custom', ['cursor']],
    [{ changedAfter: 'yesterday' }, 'invalid_string', ['changedAfter']],
  ]
  for (const [request, code, path] of cases) {
    assertIssues(t, toRaw(await retry(request)), [{ code, path }], JSON.stringify(request))
  }
  for (const [limits, code] of [
    [{ scopes: ['posts:read', 'posts:write'] as const }, 'insufficient_scope'],
    [{ accountIds: [account] }, 'account_list'],
  ] as const) {
    const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, ...(limits as object) })
    const { status, headers } = await call(app, key, 'POST', '/deliveries/retry', {})
    t.strictSame([status, headers['x-error-code']], [403, code])
  }
  t.hasStrict(await readDelivery(id!), { state: 'failed', attempts: 1 })
})
