import t, { type Test } from 'tap'
import { holdDeliveries } from '../../src/engine/delivery/hold.ts'
import { CALL_IN_FLIGHT_MAX_MS } from '../../src/engine/delivery/timing.ts'
import type { Guarantee } from '../../src/platforms/contract/guarantee.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'
import { jpeg, upload } from '../helpers/upload.ts'

// A call whose response was lost may still arrive. Calls that do arrive late, on every network:
// test/faults/networks/late.test.ts.

const SECOND = 1_000
const accepted: Step = { isAccepted: true }
const lost: Step = { isAccepted: false, error: lostResponse() }
const THREAD = ['one', 'two']

/** A post that a worker has published as `steps` say. */
async function createScene(t: Test, steps: Step[], { isThread = false, guarantee = 'reconcilable' as Guarantee } = {}) {
  const mastodon = scriptedNetwork(guarantee)
  mastodon.steps.push(...steps)
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const content = isThread ? { postType: 'thread', threadParts: { [account]: THREAD } } : { caption: 'one' }
  const id = await world.post({ accountIds: [account], ...content })
  await world.work()
  const act = (name: string, body?: object) =>
    world.ada.call('POST', `/posts/${id}/deliveries/${account}/${name}`, body)
  const read = () => world.readDelivery(id)
  return { ...world, mastodon, id, act, read, lostAt: world.time.now.getTime() }
}

t.test('a retry queries no network while a call may arrive, even if the delivery is due', async (t) => {
  for (const guarantee of ['exactly-once', 'reconcilable'] as const) {
    const { db, mastodon, act, read, work, time, lostAt } = await createScene(t, [lost], { guarantee })
    t.hasStrict(await read(), { state: 'queued', error: { code: 'timeout' } })
    t.equal((await act('cancel')).body.targets[0].delivery.state, 'unconfirmed')
    t.equal((await act('retry')).status, 202)
    const due = new Date(lostAt + CALL_IN_FLIGHT_MAX_MS).toISOString()
    t.equal((await read()).nextAttemptAt, due, guarantee)
    await db.updateTable('postTargets').set({ claimableAt: time.now }).execute()
    await work(SECOND)
    t.equal(mastodon.reconcileCount, 0, guarantee)
    t.hasStrict(await read(), { state: 'queued', nextAttemptAt: due }, guarantee)
    await work(CALL_IN_FLIGHT_MAX_MS - SECOND)
    t.equal(mastodon.reconcileCount, 1, guarantee)
    t.hasStrict(await read(), { state: 'published', error: null }, guarantee)
    t.same(mastodon.posts, ['one'])
  }
})

t.test('a delivery is not resolved as not published while its call may arrive', async (t) => {
  const { act, read, endFlights } = await createScene(t, [lost], { guarantee: 'at-most-once' })
  const resolve = (outcome: string) => act('resolve', { outcome })
  t.hasStrict(await resolve('not_published'), { status: 409, headers: { 'x-error-code': 'delivery_in_progress' } })
  t.hasStrict(await read(), { state: 'unconfirmed', history: [{ outcome: 'unknown' }] })
  await endFlights()
  t.equal((await resolve('not_published')).status, 200)
  t.hasStrict(await read(), { state: 'failed' })

  const other = await createScene(t, [lost], { guarantee: 'at-most-once' })
  t.equal((await other.act('resolve', { outcome: 'published' })).status, 200)
})

t.test('a removal and an edit say what they wait for, and begin when no call can arrive', async (t) => {
  const { ada, db, id, mastodon, act, read, change, time } = await createScene(t, [accepted])
  const lostCallAt = time.now
  await db.updateTable('postTargets').set({ lostCallAt }).execute()
  const due = new Date(lostCallAt.getTime() + CALL_IN_FLIGHT_MAX_MS)
  const [{ accountId }] = (await ada.call('GET', `/posts/${id}`)).body.targets
  t.equal(
    (
      await ada.call('PATCH', `/posts/${id}/deliveries/${accountId}`, {
        text: 'two',
      })
    ).status,
    202,
  )
  await change(CALL_IN_FLIGHT_MAX_MS - SECOND)
  t.same(mastodon.edits, [])
  await change(SECOND)
  t.same(mastodon.edits, ['two'])

  await db.updateTable('postTargets').set({ lostCallAt: time.now }).execute()
  t.hasStrict((await act('remove')).body.targets[0].delivery, {
    state: 'removing',
    error: { code: 'late_call', retryable: true },
    nextAttemptAt: new Date(due.getTime() + CALL_IN_FLIGHT_MAX_MS).toISOString(),
  })
  await change(CALL_IN_FLIGHT_MAX_MS - SECOND)
  t.same(mastodon.removals, [])
  await change(SECOND)
  t.hasStrict(await read(), { state: 'removed', error: null })
  t.same(mastodon.removals, ['n1'])
})

t.test('what a lost call has made after all is removed, too', async (t) => {
  const scene = await createScene(t, [accepted, lost], { isThread: true })
  const { mastodon, act, read, change, endFlights } = scene
  t.equal((await act('cancel')).body.targets[0].delivery.state, 'unconfirmed')
  await endFlights()
  t.equal((await act('resolve', { outcome: 'not_published' })).status, 200)
  // The second part arrives while the first is removed.
  const arrive = () => void mastodon.present.set('late', 'two')
  mastodon.removalSteps.push({ isAccepted: true, beforeResponse: arrive })
  mastodon.reconcileWith = async () => (mastodon.present.has('late') ? { id: 'late', url: null } : 'absent')
  t.equal((await act('remove')).status, 202)
  await change()
  t.hasStrict(await read(), {
    state: 'removing',
    error: { code: 'late_call' },
  })
  t.same(mastodon.removals, ['n1', 'late'])
  await change(CALL_IN_FLIGHT_MAX_MS)
  t.hasStrict(await read(), {
    state: 'removed',
    error: null,
    nextAttemptAt: null,
  })
  t.equal(mastodon.present.size, 0)
})

t.test('a removal waits for a network that cannot be read', async (t) => {
  const { mastodon, act, read, change, endFlights } = await createScene(t, [accepted, lost], { isThread: true })
  await act('cancel')
  await endFlights()
  await act('resolve', { outcome: 'not_published' })
  mastodon.reconcileWith = async () => {
    throw lostResponse()
  }
  await act('remove')
  await change()
  const waiting = await read()
  t.hasStrict(waiting, { state: 'removing', error: { code: 'timeout' } })
  t.ok(waiting.acts[0]!.removedAt)
  mastodon.reconcileWith = undefined
  await change(CALL_IN_FLIGHT_MAX_MS)
  t.hasStrict(await read(), { state: 'removed', error: null })
  t.same(mastodon.removals, ['n1'])
})

t.test('a file is kept while a call with an unknown outcome may have sent it, also if it is held back', async (t) => {
  const { app, ada, db, mastodon, connectAccount, post, readDelivery, work } = await createScene(t, [accepted])
  const account = await connectAccount('mastodon')
  const { body: file } = await upload(app, ada, [['file', await jpeg()]])
  mastodon.steps.push(lost)
  const id = await post({ accountIds: [account], caption: 'two', mediaIds: [file.id] })
  await work()
  await holdDeliveries(db, new Date(Date.now() + 3_600_000))
  t.hasStrict(await readDelivery(id), { state: 'missed', error: { code: 'held' } })
  t.equal((await ada.call('DELETE', `/media/${file.id}`)).status, 409)
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
})

t.test('what is held back after a lost call is not removed, and is queried after its release', async (t) => {
  const { db, mastodon, act, read } = await createScene(t, [accepted, lost], {
    isThread: true,
  })
  await holdDeliveries(db, new Date(Date.now() + 3_600_000))
  t.hasStrict(await read(), { state: 'missed', error: { code: 'held' } })
  t.hasStrict(await act('remove'), {
    status: 409,
    headers: { 'x-error-code': 'delivery_unconfirmed' },
  })
  t.equal((await act('retry')).status, 202)
  t.equal(mastodon.reconcileCount, 0)
})
