import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const FUTURE = '2999-01-01T00:00:00.000Z'

async function createScene(t: Test) {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const pause = async (paused: boolean) =>
    (await world.ada.call('PATCH', `/accounts/${account}`, { paused })).body as { pausedAt?: string }
  /** As if the due deliveries had been due for longer than the limit. */
  const makeLate = () =>
    world.db.updateTable('postTargets').set({ dueAt: sql<Date>`due_at - interval '24 hours 1 minute'` }).execute()
  return { ...world, mastodon, account, pause, makeLate }
}

t.test('a paused account gets nothing, and what was due follows after the pause, however late', async (t) => {
  const { ada, mastodon, account, pause, makeLate, connectAccount, post, work, readDelivery } = await createScene(t)
  const other = await connectAccount('mastodon')
  await pause(true)
  const ids = [
    await post({ accountIds: [account], caption: 'first' }),
    await post({ accountIds: [account], caption: 'b' }),
  ]
  const toOther = await post({ accountIds: [other], caption: 'other' })
  await work(MINUTE)
  t.strictSame(mastodon.posts, ['other'])
  t.hasStrict(await readDelivery(ids[0]!), { state: 'queued', attempts: 0, nextAttemptAt: null, error: null })
  t.hasStrict(await readDelivery(toOther), { state: 'published' })
  await makeLate()
  await pause(false)
  await work(MINUTE)
  t.strictSame(mastodon.posts, ['other', 'first', 'b'])
  // The pause has ended, and counts as lateness no longer.
  const late = await post({ accountIds: [account], caption: 'late' })
  await ada.call('PATCH', `/accounts/${account}`, { paused: false })
  await makeLate()
  await work(25 * HOUR)
  t.hasStrict(await readDelivery(late), { state: 'missed' })
})

t.test('a pause during a call ends the sequence of posts to the account', async (t) => {
  const { mastodon, account, pause, post, work } = await createScene(t)
  mastodon.steps.push({ isAccepted: true, beforeResponse: () => pause(true) })
  for (const caption of ['first', 'second']) await post({ accountIds: [account], caption })
  await work()
  t.strictSame(mastodon.posts, ['first'])
  await pause(false)
  await work(MINUTE)
  t.strictSame(mastodon.posts, ['first', 'second'])
})

t.test('a comment and a post that its network processes wait too, and are not too late', async (t) => {
  const { mastodon, account, pause, makeLate, post, work, readDelivery } = await createScene(t)
  mastodon.steps.push({ isAccepted: true, processingMs: MINUTE })
  mastodon.reconcileWith = async () => ({ id: 'n1', url: null }) as never
  const id = await post({ accountIds: [account], caption: 'video', firstComment: 'comment' })
  await work()
  await pause(true)
  await work(5 * MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'queued' })
  await makeLate()
  await pause(false)
  mastodon.reconcileWith = undefined
  await work(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'published', error: null })
  t.strictSame(mastodon.posts, ['video', 'comment'])
})

t.test('the account, its posts, new posts and explanations say that it is paused', async (t) => {
  const { ada, account, pause, post } = await createScene(t)
  const { pausedAt } = await pause(true)
  t.equal((await pause(true)).pausedAt, pausedAt, 'a second pause changes nothing')
  const attention = { code: 'paused', since: pausedAt }
  const read = async (path: string) => (await ada.call('GET', path)).body
  t.hasStrict(await read(`/accounts/${account}`), { pausedAt, attention })
  t.hasStrict((await read('/accounts?attention=true')).data, [{ id: account }])
  const id = await post({ accountIds: [account], caption: 'a' })
  t.hasStrict((await read(`/posts/${id}`)).targets, [{ attention }])
  const body = { accountIds: [account], caption: 'b', scheduledAt: FUTURE }
  const created = await ada.call('POST', '/posts', body)
  t.hasStrict(created.body.warnings, [{ code: 'account_attention' }])
  const validated = await ada.call('POST', '/posts/validate', body)
  t.hasStrict(validated.body.warnings, [{ code: 'account_attention' }])
  const { waits, next, actions } = await read(`/posts/${id}/deliveries/${account}/explain`)
  t.strictSame(
    waits.map(({ code }: { code: string }) => code),
    ['account_paused'],
  )
  t.equal(next.at, null)
  t.ok(actions.some(({ operationId }: { operationId: string }) => operationId === 'updateAccount'))
  t.notOk((await pause(false)).pausedAt)
  t.notOk((await read(`/accounts/${account}`)).attention)
})

t.test('what is published is taken down and edited during a pause', async (t) => {
  const { ada, mastodon, account, pause, post, work, change, readDelivery } = await createScene(t)
  const id = await post({ accountIds: [account], caption: 'a' })
  await work()
  await pause(true)
  t.equal((await ada.call('POST', `/posts/${id}/remove`)).status, 202)
  await change(MINUTE)
  t.hasStrict(await readDelivery(id), { state: 'removed' })
  t.strictSame(mastodon.removals, ['n1'])
})
