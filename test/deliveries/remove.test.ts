import t, { type Test } from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const FUTURE = '2030-01-01T00:00:00.000Z'
const accepted: Step = { isAccepted: true }
const later: Step = { isAccepted: false, error: refusal('unreachable', { retryable: true }) }

/** A post on one account, which a worker has published as `steps` say. */
async function createScene(t: Test, body: object = {}, steps: Step[] = [accepted]) {
  const mastodon = scriptedNetwork()
  mastodon.steps.push(...steps)
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const id = await world.post({ accountIds: [account], caption: 'a', ...body })
  if (steps.length > 0) await world.work()
  const act = (name: string, payload?: object) =>
    world.ada.call('POST', `/posts/${id}/deliveries/${account}/${name}`, payload)
  const destroy = () => world.ada.call('DELETE', `/posts/${id}`)
  return { ...world, mastodon, account, id, act, destroy, remove: () => act('remove') }
}

t.test('a published post is removed with its comment, and can be deleted here then', async (t) => {
  const { ada, id, mastodon, remove, change, destroy, readDelivery } = await createScene(t, { firstComment: 'b' })
  t.strictSame([...mastodon.present.values()], ['a', 'b'])
  const { status, headers, body } = await remove()
  t.equal(status, 202)
  t.equal(headers.etag, (await ada.call('GET', `/posts/${id}`)).headers.etag)
  t.hasStrict(body, { status: 'published', targets: [{ delivery: { state: 'removing', error: null } }] })
  t.ok(body.targets[0].delivery.nextAttemptAt)
  t.hasStrict(await remove(), { status: 202, body }, 'a second call changes nothing')
  t.hasStrict(await destroy(), { status: 400, headers: { 'x-error-code': 'post_published' } })
  await change()
  t.strictSame(mastodon.removals, ['n2', 'n1'], 'the comment goes first')
  t.equal(mastodon.present.size, 0)
  const delivery = await readDelivery(id)
  t.hasStrict(delivery, { state: 'removed', error: null, nextAttemptAt: null, externalId: 'n1' })
  t.ok(delivery.acts.every(({ removedAt }) => removedAt !== undefined))
  t.hasStrict(await remove(), { status: 202, body: { targets: [{ delivery: { state: 'removed' } }] } })
  await change(HOUR)
  t.equal(mastodon.removals.length, 2)
  t.equal((await destroy()).status, 200)
})

t.test('a removed delivery is neither sent again, nor marked, nor cancelled', async (t) => {
  const { act, remove, change, work, mastodon } = await createScene(t)
  for (const state of ['removing', 'removed']) {
    t.hasStrict((await remove()).body, { targets: [{ delivery: { state } }] })
    t.hasStrict(await act('retry'), { status: 409, headers: { 'x-error-code': 'delivery_removed' } })
    t.hasStrict(await act('mark-published', {}), { status: 409, headers: { 'x-error-code': 'delivery_removed' } })
    t.hasStrict(await act('cancel'), { status: 409, headers: { 'x-error-code': 'delivery_not_queued' } })
    await change()
    await work(HOUR)
  }
  t.strictSame(mastodon.posts, ['a'])
})

t.test('a thread is removed from its last part to the first, and what is published of one that failed', async (t) => {
  const parts = (account: string) => ({ postType: 'thread', threadParts: { [account]: ['a', 'b', 'c'] } })
  for (const [steps, removals] of [
    [
      [accepted, accepted, accepted],
      ['n3', 'n2', 'n1'],
    ],
    [
      [accepted, accepted, { isAccepted: false, error: refusal() }],
      ['n2', 'n1'],
    ],
  ] as [Step[], string[]][]) {
    const mastodon = scriptedNetwork()
    mastodon.steps.push(...steps)
    const { ada, connectAccount, post, work, change, readDelivery } = await createDeliveryWorld(t, { mastodon })
    const account = await connectAccount('mastodon')
    const id = await post({ accountIds: [account], caption: 'a', ...parts(account) })
    await work()
    t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/remove`)).status, 202)
    await change()
    t.strictSame(mastodon.removals, removals)
    t.hasStrict(await readDelivery(id), { state: 'removed', error: null })
    t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)
  }
})

t.test('a call that fails or whose response is lost is repeated, and a lasting failure ends the removal', async (t) => {
  const { remove, change, mastodon, readDelivery, id, destroy } = await createScene(t, { firstComment: 'b' })
  mastodon.removalSteps.push({ isAccepted: true, error: lostResponse() }, later)
  await remove()
  await change()
  t.strictSame(mastodon.removals, ['n2'])
  t.hasStrict(await readDelivery(id), { state: 'removing', error: { code: 'timeout' } })
  await change(MINUTE)
  mastodon.removalSteps.push(accepted, { isAccepted: false, error: refusal('content_refused') })
  await change(HOUR)
  t.strictSame(mastodon.removals, ['n2', 'n2', 'n2', 'n1'])
  const failed = await readDelivery(id)
  t.hasStrict(failed, { state: 'remove_failed', error: { code: 'content_refused' }, nextAttemptAt: null })
  t.strictSame(
    failed.acts.map(({ removedAt }) => removedAt !== undefined),
    [false, true],
  )
  t.equal((await destroy()).status, 400)
  t.hasStrict((await remove()).body, { targets: [{ delivery: { state: 'removing', error: null } }] })
  await change()
  t.hasStrict(await readDelivery(id), { state: 'removed', error: null })
  t.equal(mastodon.present.size, 0)
})

t.test('nothing is removed of what is not published, or may be', async (t) => {
  const unknown = { isAccepted: true, error: lostResponse() }
  for (const [body, steps, code] of [
    [{ scheduledAt: undefined }, [], 'delivery_not_published'],
    [{ scheduledAt: FUTURE }, [], 'delivery_not_published'],
    [{}, [{ isAccepted: false, error: refusal() }], 'delivery_not_published'],
    [{ firstComment: 'b' }, [accepted, later], 'delivery_not_published'],
  ] as [object, Step[], string][]) {
    const { remove, change, mastodon, readDelivery, id } = await createScene(t, body, steps)
    const { state } = await readDelivery(id)
    t.hasStrict(await remove(), { status: 409, headers: { 'x-error-code': code } }, state)
    await change(HOUR)
    t.strictSame(mastodon.removals, [])
    t.hasStrict(await readDelivery(id), { state })
  }
  const { remove, work, mastodon, act, change } = await createScene(t, {}, [unknown])
  mastodon.reconcileWith = async () => 'unknown'
  await work(MINUTE)
  t.hasStrict(await remove(), { status: 409, headers: { 'x-error-code': 'delivery_unconfirmed' } })
  t.equal((await act('resolve', { outcome: 'published' })).status, 200)
  t.hasStrict(await remove(), { status: 409, headers: { 'x-error-code': 'delivery_without_id' } })
  await change(HOUR)
  t.strictSame(mastodon.removals, [])
})

t.test('a post is not removed while it is being published', async (t) => {
  const { mastodon, id, remove, change, createWorker, readDelivery } = await createScene(t, {}, [])
  const [called, response] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const beforeResponse = () => {
    called.resolve()
    return response.promise
  }
  mastodon.steps.push({ isAccepted: true, beforeResponse })
  const worker = createWorker()
  await worker.claim()
  await called.promise
  t.hasStrict(await remove(), { status: 409, headers: { 'x-error-code': 'delivery_in_progress' } })
  await change()
  t.strictSame(mastodon.removals, [])
  response.resolve()
  await worker.idle()
  t.hasStrict(await readDelivery(id), { state: 'published', error: null })
})

t.test('a post that several requests remove at a time is removed once', async (t) => {
  const { mastodon, id, remove, change, readDelivery } = await createScene(t)
  const responses = await Promise.all([remove(), remove(), remove()])
  for (const { status, body } of responses) {
    t.hasStrict([status, body.targets[0].delivery.state], [202, 'removing'])
  }
  await change()
  t.strictSame(mastodon.removals, ['n1'])
  t.hasStrict(await readDelivery(id), { state: 'removed', error: null })
})

t.test('a post is taken down from the accounts where that is possible, and the others are listed', async (t) => {
  const [mastodon, bluesky, telegram, x] = [scriptedNetwork(), scriptedNetwork(), scriptedNetwork(), scriptedNetwork()]
  const networks = { mastodon, bluesky, telegram, x }
  const { ada, connectAccount, post, work, change } = await createDeliveryWorld(t, networks)
  const accountIds: string[] = []
  for (const network of ['mastodon', 'bluesky', 'telegram', 'x'] as const)
    accountIds.push(await connectAccount(network))
  x.steps.push({ isAccepted: false, error: refusal() })
  const id = await post({ accountIds, caption: 'a' })
  const remove = () => ada.call('POST', `/posts/${id}/remove`)
  t.hasStrict(await remove(), { status: 409, headers: { 'x-error-code': 'delivery_not_published' } })
  await work()
  t.hasStrict(await remove(), {
    status: 202,
    body: {
      removing: accountIds.slice(0, 3).toSorted(),
      left: [{ accountId: accountIds[3], code: 'delivery_not_published' }],
    },
  })
  await change()
  for (const network of [mastodon, bluesky, telegram]) t.equal(network.present.size, 0, 'it is gone')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200, 'nothing of it is published')
})
