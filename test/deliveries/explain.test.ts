import { sql } from 'kysely'
import t from 'tap'
import { sequenceEvents } from '../../db/queries/events/sequence.ts'
import type { DeliveryExplanation } from '../../schemas/explanation.ts'
import { createDeliveryWorld, type DeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const DAY = 86_400_000

const codes = (items: { code: string }[]) => items.map(({ code }) => code)

function reader({ ada, db }: DeliveryWorld) {
  return async (postId: string, accountId: string): Promise<DeliveryExplanation> => {
    while ((await sequenceEvents(db)).count > 0);
    const { status, body } = await ada.call('GET', `/posts/${postId}/deliveries/${accountId}/explain`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  }
}

t.test('a delivery whose time has not come says when it is sent, and what its owner can do', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { ada, connectAccount, post } = world
  const account = await connectAccount('mastodon')
  const scheduledAt = new Date(Date.now() + DAY).toISOString()
  const id = await post({ accountIds: [account], caption: 'tomorrow', scheduledAt })
  const explain = reader(world)
  const early = await explain(id, account)
  t.strictSame(codes(early.steps), ['created'])
  t.strictSame(early.waits, [{ code: 'not_due', message: `It is due at ${scheduledAt}.`, until: scheduledAt }])
  t.strictSame(early.next, { code: 'attempt', message: `A worker sends it at ${scheduledAt}.`, at: scheduledAt })
  t.strictSame(
    early.actions.map(({ operationId }) => operationId),
    ['cancelDelivery', 'markDeliveryPublished', 'updatePost', 'publishPost'],
  )
  await ada.call('POST', `/posts/${id}/deliveries/${account}/cancel`)
  const cancelled = await explain(id, account)
  t.strictSame([codes(cancelled.steps), cancelled.waits, cancelled.next], [['created', 'cancelled'], [], null])
  t.match(cancelled.steps[1]!.message, /^It was cancelled, with the API key /)

  const draft = await ada.call('POST', '/posts', { accountIds: [account], caption: 'draft' })
  t.hasStrict(await explain(draft.body.id, account), { state: 'waiting', waits: [{ code: 'draft' }], next: null })
})

t.test('a delivery that is due names the posts, the pause and the worker that it waits for', async (t) => {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon })
  const { connectAccount, post, work } = world
  const account = await connectAccount('mastodon')
  const explain = reader(world)
  const first = await post({ accountIds: [account], caption: 'first' })
  t.hasStrict(await explain(first, account), { waits: [{ code: 'worker', until: null }], next: { code: 'attempt' } })
  const pause = { retryable: true, retryAfterMs: 10 * MINUTE }
  mastodon.steps.push({ isAccepted: false, error: refusal('rate_limited', pause) })
  await work()
  const limited = await explain(first, account)
  t.strictSame(codes(limited.steps), ['created', 'due', 'claimed', 'attempt_failed'])
  t.match(
    limited.steps[3]!.message,
    /^It failed at attempt 1 at the post, after its call at .*Z, and nothing of it was published: network.example: no$/,
  )
  t.equal(limited.steps[3]!.error!.code, 'rate_limited')
  t.strictSame(codes(limited.waits), ['retry_pause', 'account_rests'])
  t.equal(limited.next!.at, limited.waits[1]!.until)
  t.match(limited.next!.message, /7 more failures in a row end the delivery\.$/)
  t.match(
    limited.summary,
    /^It was due .* ago\. The pause after a failure ends at .* The last error: network.example: no$/,
  )

  const second = await post({ accountIds: [account], caption: 'second' })
  t.strictSame(codes((await explain(second, account)).waits), ['account_rests'])
  await work(10 * MINUTE)
  const sent = await explain(second, account)
  t.strictSame(codes(sent.steps), ['created', 'due', 'account_busy', 'account_refused', 'claimed', 'act_published'])
  t.match(sent.summary, /^It was published at .*Z, .* after it was due\.$/)
})

t.test('after a lost response, an explanation says what is looked for and what was found', async (t) => {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon })
  const { db, connectAccount, post, work, endFlights } = world
  const account = await connectAccount('mastodon')
  const explain = reader(world)
  const id = await post({ accountIds: [account], caption: 'lost' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  // The clock of the workers is ahead: to the database, the account rests.
  await db.updateTable('accounts').set({ availableAt: null }).execute()
  const lost = await explain(id, account)
  t.strictSame(
    [codes(lost.steps).at(-1), codes(lost.waits), lost.next!.code],
    ['response_lost', ['late_call'], 'query'],
  )
  await endFlights()
  t.strictSame(codes((await explain(id, account)).waits), ['query'])
  await work(MINUTE)
  const found = await explain(id, account)
  t.strictSame(codes(found.steps).slice(-2), ['response_lost', 'found'])
  t.equal(found.steps.at(-1)!.at, null, 'the time of the query is not kept')

  const held = await post({ accountIds: [account], caption: 'held' })
  const lease = { state: 'publishing', claimableAt: sql<Date>`now() + interval '15 s'` }
  await db.updateTable('postTargets').set(lease).where('postId', '=', held).execute()
  t.hasStrict(await explain(held, account), { waits: [{ code: 'lease' }], next: { code: 'outcome' } })
  await db
    .updateTable('postTargets')
    .set({ claimableAt: new Date(0) })
    .where('postId', '=', held)
    .execute()
  t.hasStrict(await explain(held, account), { next: { code: 'takeover' } })
})

t.test('an unconfirmed or failed delivery names the operations that are accepted, and they are', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const world = await createDeliveryWorld(t, { telegram })
  const { ada, connectAccount, post, work } = world
  const account = await connectAccount('telegram')
  const explain = reader(world)
  const id = await post({ accountIds: [account], caption: 'perhaps' })
  telegram.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  const path = `/posts/${id}/deliveries/${account}`
  const unsure = await explain(id, account)
  t.equal(unsure.summary, 'It may have been published, and its network cannot tell: network.example did not answer')
  t.strictSame(
    unsure.actions.map(({ operationId }) => operationId),
    ['resolveDelivery', 'markDeliveryPublished'],
  )
  t.equal((await ada.call('POST', `${path}/retry`)).status, 409, 'an operation that is not named')
  t.equal((await ada.call('POST', `${path}/resolve`, { outcome: 'published' })).status, 200)
  t.strictSame(codes((await explain(id, account)).steps), [
    // The clock of the workers is ahead of the one that writes events.
    ...['created', 'due', 'resolved', 'claimed', 'response_lost', 'said_published'],
  ])

  const refused = await post({ accountIds: [account], caption: 'refused' })
  telegram.steps.push({ isAccepted: false, error: refusal('unauthorized', { needsAttention: true }) })
  // Telegram takes one post a second.
  await work(1_000)
  const failed = await explain(refused, account)
  t.strictSame(
    failed.actions.map(({ operationId }) => operationId),
    ['connectAccount', 'retryDelivery', 'markDeliveryPublished', 'updatePost'],
  )
  t.equal((await ada.call('POST', `/posts/${refused}/deliveries/${account}/retry`)).status, 202)
  const retried = await explain(refused, account)
  t.strictSame(codes(retried.steps), [
    'created',
    'due',
    'account_busy',
    'due_again',
    'retried',
    'claimed',
    'attempt_failed',
  ])
  t.ok(codes(retried.waits).includes('account_attention'))
})

t.test('a restored database, a refresh and a conversion hold a delivery up by name', async (t) => {
  const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const { db, connectAccount, post } = world
  const account = await connectAccount('mastodon')
  const explain = reader(world)
  const id = await post({ accountIds: [account], caption: 'held up' })
  await db.insertInto('installation').values({ refusedSince: new Date() }).execute()
  await db
    .updateTable('accounts')
    .set({ credentialsExpireAt: new Date(0), limitKey: 'bot' })
    .execute()
  await db
    .updateTable('accountCredentials')
    .set({ refreshAt: new Date(0), refreshFailures: 2 })
    .execute()
  const reason = JSON.stringify({ code: 'app_restricted', message: 'The app is in review' })
  const until = new Date(Date.now() + DAY)
  await db.insertInto('limitRests').values({ key: 'bot', until, reason }).execute()
  const { waits, next } = await explain(id, account)
  t.strictSame(codes(waits), ['service_restored', 'account_attention', 'token_refresh', 'shared_rest'])
  t.match(waits[2]!.message, /refreshed first, which has failed 2 times\.$/)
  t.strictSame(
    [waits[3]!.until, next],
    [until.toISOString(), { code: 'attempt', message: 'A worker sends it then.', at: null }],
  )
})

t.test(
  'another user’s delivery is not explained, and neither is an account that the post does not go to',
  async (t) => {
    const world = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
    const { ada, connectAccount, post, user } = world
    const account = await connectAccount('mastodon')
    const id = await post({ accountIds: [account], caption: 'mine' })
    const path = `/posts/${id}/deliveries/${account}/explain`
    t.hasStrict(await (await user()).call('GET', path), { status: 404, body: { error: 'Post not found' } })
    const other = await ada.call('GET', `/posts/${id}/deliveries/${await connectAccount('mastodon')}/explain`)
    t.hasStrict(other, { status: 404, body: { error: 'Delivery not found' } })
  },
)
