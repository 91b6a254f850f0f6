import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const DAY = 86_400_000

t.test('an account rests for as long as its network requests, and other accounts do not', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  mastodon.steps.push({
    isAccepted: false,
    error: refusal('rate_limited', { retryable: true, retryAfterMs: 10 * MINUTE }),
  })
  const id = await post({ accountIds: [first], caption: 'limited' })
  await work()
  const next = await post({ accountIds: [first], caption: 'next' })
  const other = await post({ accountIds: [second], caption: 'other' })
  await work()
  t.same(mastodon.posts, ['other'], 'only the other account sends')
  t.equal((await readDelivery(other)).state, 'published')
  t.ok(Date.parse((await readDelivery(id)).nextAttemptAt!) >= time.now.getTime() + 9 * MINUTE)
  t.equal((await readDelivery(next)).state, 'queued')
  await work(10 * MINUTE)
  t.same(mastodon.posts, ['other', 'limited', 'next'])
})

t.test('an account rests for at most a day', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'later' })
  mastodon.steps.push({ isAccepted: false, error: refusal('rate_limited', { retryable: true, retryAfterMs: 1e18 }) })
  await work()
  const { availableAt } = await db.selectFrom('accounts').select('availableAt').executeTakeFirstOrThrow()
  t.equal(availableAt!.getTime() - time.now.getTime(), DAY)
  t.equal((await readDelivery(id)).nextAttemptAt, availableAt!.toISOString())
})

t.test('a rate limit during reconcile rests the whole account', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  await post({ accountIds: [account], caption: 'reconciled' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  mastodon.reconcileWith = async () => {
    throw refusal('rate_limited', { retryable: true, retryAfterMs: 10 * MINUTE })
  }
  await work(MINUTE)
  t.equal(mastodon.reconcileCount, 1)
  await post({ accountIds: [account], caption: 'next' })
  await work(9 * MINUTE)
  t.same(mastodon.posts, ['reconciled'])
  mastodon.reconcileWith = undefined
  await work(MINUTE)
  t.same(mastodon.posts, ['reconciled', 'next'])
})

t.test('the rate limits that a network counts per account are kept', async (t) => {
  const telegram = scriptedNetwork('at-most-once', 8)
  const { connectAccount, post, work, time } = await createDeliveryWorld(t, { telegram })
  const [account, other] = [await connectAccount('telegram'), await connectAccount('telegram')]
  for (let index = 0; index < 30; index++) await post({ accountIds: [account], caption: String(index) })
  await work()
  t.equal(telegram.posts.length, 1, 'one message a second per chat')
  await post({ accountIds: [other], caption: 'other' })
  await work()
  t.equal(telegram.posts.length, 2, 'the other account has a limit of its own')
  const start = time.now.getTime()
  while (time.now.getTime() < start + 30 * SECOND) await work(SECOND)
  t.equal(telegram.posts.length, 21, 'twenty messages a minute')
  while (time.now.getTime() < start + 61 * SECOND) await work(SECOND)
  t.ok(telegram.posts.length > 21)
})

t.test('where a network counts requests, an act counts as all of its requests', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  for (let index = 0; index < 31; index++) await post({ accountIds: [account], caption: String(index) })
  await work()
  t.equal(mastodon.posts.length, 30, 'each act counts as ten of 300 requests in five minutes')
  await work(5 * MINUTE)
  t.equal(mastodon.posts.length, 31)
})

t.test('accounts that share a rate limit rest together, and no others', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { db, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { telegram })
  const [first, second, other] = [
    await connectAccount('telegram'),
    await connectAccount('telegram'),
    await connectAccount('telegram'),
  ]
  await db.updateTable('accounts').set({ limitKey: 'telegram:1' }).where('id', '=', second).execute()
  await db.updateTable('accounts').set({ limitKey: 'telegram:2' }).where('id', '=', other).execute()
  telegram.steps.push({
    isAccepted: false,
    error: refusal('rate_limited', { retryable: true, retryAfterMs: MINUTE, limitKey: 'telegram:1' }),
  })
  const limited = await post({ accountIds: [first], caption: 'limited' })
  await work()
  const shared = await post({ accountIds: [second], caption: 'shared' })
  const apart = await post({ accountIds: [other], caption: 'apart' })
  await work()
  t.strictSame(telegram.posts, ['apart'])
  t.hasStrict(await readDelivery(apart), { state: 'published' })
  const { state, nextAttemptAt } = await readDelivery(shared)
  t.equal(state, 'queued')
  t.equal(nextAttemptAt, (await readDelivery(limited)).nextAttemptAt, 'the next attempt includes the rest')
  await work(MINUTE)
  t.strictSame([...telegram.posts].sort(), ['apart', 'limited', 'shared'])
  const later = await post({ accountIds: [first], caption: 'later' })
  telegram.steps.push({
    isAccepted: false,
    error: refusal('rate_limited', { retryable: true, retryAfterMs: MINUTE, limitKey: 'telegram:1' }),
  })
  // Telegram allows one message a second per chat.
  await work(SECOND)
  t.strictSame((await db.selectFrom('limitRests').select('key').execute()).length, 1, 'one rest for each key')
  await work(MINUTE)
  t.hasStrict(await readDelivery(later), { state: 'published' })
})

t.test('a rate limit of the whole network rests all of its accounts', async (t) => {
  const [discord, mastodon] = [scriptedNetwork('at-most-once'), scriptedNetwork()]
  const { connectAccount, post, work } = await createDeliveryWorld(t, { discord, mastodon })
  discord.steps.push({
    isAccepted: false,
    error: refusal('rate_limited', { retryable: true, retryAfterMs: MINUTE, limitKey: 'discord' }),
  })
  await post({ accountIds: [await connectAccount('discord')], caption: 'limited' })
  await work()
  await post({ accountIds: [await connectAccount('discord'), await connectAccount('mastodon')], caption: 'others' })
  await work()
  t.strictSame([discord.posts, mastodon.posts], [[], ['others']])
  await work(MINUTE)
  t.strictSame([...discord.posts].sort(), ['limited', 'others'])
})
