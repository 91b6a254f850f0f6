import { sql } from 'kysely'
import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const SECOND = 1_000
const MINUTE = 60_000

t.test('an act keeps its token and start time when its owner has it reconciled again', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const open = await post({ accountIds: [account], caption: 'open' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  mastodon.reconcileWith = async () => 'unknown'
  await work()
  await work(MINUTE)
  mastodon.reconcileWith = undefined
  t.equal((await ada.call('POST', `/posts/${open}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  const [first, again] = mastodon.acts
  t.same([again!.token, again!.startedAt], [first!.token, first!.startedAt])
  t.same(mastodon.posts, ['open'])
})

t.test('an act that is retried within an hour of a lost call keeps its start time', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { ada, db, connectAccount, post, work } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const id = await post({ accountIds: [account], caption: 'once' })
  const retry = async () => {
    t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
    await work(SECOND)
  }
  const later = refusal('unreachable', { retryable: true })
  bluesky.steps.push(
    { isAccepted: false, error: lostResponse() },
    { isAccepted: false, error: later },
    { isAccepted: false, error: later },
  )
  await work()
  await work(30 * SECOND)
  await retry()
  t.equal(bluesky.acts.length, 3)
  t.equal(new Set(bluesky.acts.map(({ startedAt }) => startedAt.getTime())).size, 1)
  await db.updateTable('postTargets').set({ startedAt: sql<Date>`started_at - interval '2 hours'` }).execute()
  await retry()
  t.equal(bluesky.posts.length, 1)
  t.ok(bluesky.acts[3]!.startedAt > bluesky.acts[2]!.startedAt, 'after an hour the act gets a new name')
})
