import t, { type Test } from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'
import { untilBlocked } from '../helpers/until.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const FUTURE = '2030-01-01T00:00:00.000Z'
const later: Step = { isAccepted: false, error: refusal('unreachable', { retryable: true }) }
const accepted: Step = { isAccepted: true }

/** A post on one account, of which a worker has made the attempts that `steps` describe. */
async function createScene(t: Test, body: object = {}, steps: Step[] = []) {
  const mastodon = scriptedNetwork()
  mastodon.steps.push(...steps)
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const id = await world.post({ accountIds: [account], caption: 'a', ...body })
  if (steps.length > 0) await world.work()
  const act = (name: string, payload?: object) =>
    world.ada.call('POST', `/posts/${id}/deliveries/${account}/${name}`, payload)
  return { ...world, mastodon, account, id, act, cancel: () => act('cancel') }
}

t.test('a delivery that waits for its time or for another attempt is cancelled, and not sent any more', async (t) => {
  for (const [body, steps] of [
    [{}, [later]],
    [{}, []],
    [{ scheduledAt: FUTURE }, []],
  ] as [object, Step[]][]) {
    const { mastodon, cancel, work, time, readStatus, readDelivery, id, ada } = await createScene(t, body, steps)
    const { history } = await readDelivery(id)
    const { status, body: post, headers } = await cancel()
    t.equal(status, 200)
    t.equal(headers.etag, (await ada.call('GET', `/posts/${id}`)).headers.etag)
    const [{ delivery }] = post.targets
    t.hasStrict(delivery, { state: 'cancelled', nextAttemptAt: null, error: { code: 'cancelled', retryable: true } })
    t.strictSame(delivery.history, history)
    t.hasStrict(await cancel(), { status: 200, body: post }, 'a second call changes nothing')
    await work(HOUR)
    time.now = new Date(FUTURE)
    await work(HOUR)
    t.same(mastodon.posts, [])
    t.equal(await readStatus(id), 'scheduled')
    t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)
  }
})

t.test('a cancelled delivery that is retried is sent at the time of its post, and not before', async (t) => {
  const { mastodon, cancel, act, work, time, id, ada } = await createScene(t, { scheduledAt: FUTURE })
  await cancel()
  t.hasStrict(await act('retry'), {
    status: 202,
    body: { targets: [{ delivery: { state: 'queued', error: null, nextAttemptAt: FUTURE } }] },
  })
  await cancel()
  const many = await ada.call('POST', '/deliveries/retry', { state: ['cancelled'] })
  t.equal(many.body.retried.length, 1)
  await work(HOUR)
  t.same(mastodon.posts, [])
  await cancel()
  const later = '2031-01-01T00:00:00.000Z'
  t.equal((await ada.call('PATCH', `/posts/${id}`, { scheduledAt: later })).status, 200)
  t.hasStrict((await act('retry')).body, { targets: [{ delivery: { nextAttemptAt: later } }] })
  time.now = new Date(later)
  await work(HOUR)
  t.same(mastodon.posts, ['a'])
})

t.test('publishing a post does not send to the accounts that were cancelled', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work, readStatus } = await createDeliveryWorld(t, { mastodon, bluesky })
  const accounts = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const id = await post({ accountIds: accounts, caption: 'a', scheduledAt: FUTURE })
  const act = (account: string, name: string) => ada.call('POST', `/posts/${id}/deliveries/${account}/${name}`)
  const publish = () => ada.call('POST', `/posts/${id}/publish`)
  for (const account of accounts) t.equal((await act(account, 'cancel')).status, 200)
  t.hasStrict(await publish(), { status: 409, headers: { 'x-error-code': 'post_cancelled' } })
  t.equal((await act(accounts[1]!, 'retry')).status, 202)
  t.equal((await publish()).status, 202)
  await work()
  t.same([mastodon.posts, bluesky.posts], [[], ['a']])
  t.equal(await readStatus(id), 'published')
})

t.test('a cancelled delivery can be cancelled again after a retry', async (t) => {
  const { mastodon, cancel, act, work } = await createScene(t, {}, [later])
  await cancel()
  t.equal((await act('retry')).status, 202)
  t.hasStrict(await cancel(), { status: 200, body: { targets: [{ delivery: { state: 'cancelled' } }] } })
  await work(HOUR)
  t.same(mastodon.posts, [])
})

t.test('cancelled deliveries are counted as such, and not as failed', async (t) => {
  const { ada, db, connectAccount, post } = await createDeliveryWorld(t, { mastodon: scriptedNetwork() })
  const accountIds = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  const id = await post({ accountIds, caption: 'hi', scheduledAt: FUTURE })
  await ada.call('POST', `/posts/${id}/deliveries/${accountIds[0]}/cancel`)
  await db.updateTable('postTargets').set({ state: 'failed' }).where('accountId', '=', accountIds[1]!).execute()
  const [listed] = (await ada.call('GET', '/posts?include=deliveries')).body.data
  t.strictSame(listed.deliveries, { cancelled: 1, failed: 1 })
  const counted = (await ada.call('GET', '/posts/counts?by=state')).body.data
  t.strictSame(counted, [
    { value: 'cancelled', count: 1 },
    { value: 'failed', count: 1 },
  ])
})

t.test('only one delivery of a post is cancelled', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work, readStatus } = await createDeliveryWorld(t, { mastodon, bluesky })
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const id = await post({ accountIds: [first, second], caption: 'a' })
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${first}/cancel`)).status, 200)
  await work()
  t.same([mastodon.posts, bluesky.posts], [[], ['a']])
  t.equal(await readStatus(id), 'published')
})

t.test('the rest of a thread, and a first comment, are cancelled; what is out stays', async (t) => {
  const thread = await createScene(t, { scheduledAt: FUTURE, postType: 'thread' })
  const threadParts = { [thread.account]: ['one', 'two'] }
  t.equal((await thread.ada.call('PATCH', `/posts/${thread.id}`, { threadParts })).status, 200)
  t.equal((await thread.ada.call('POST', `/posts/${thread.id}/publish`)).status, 202)
  thread.mastodon.steps.push(accepted, later)
  await thread.work(MINUTE)
  t.hasStrict((await thread.cancel()).body, {
    status: 'published',
    targets: [{ delivery: { state: 'cancelled', externalId: 'n1', error: { code: 'cancelled' } } }],
  })

  const comment = await createScene(t, { firstComment: 'b' }, [accepted, later])
  t.hasStrict((await comment.cancel()).body, {
    status: 'published',
    targets: [{ delivery: { state: 'published', externalId: 'n1', error: { code: 'cancelled' } } }],
  })
  await comment.work(HOUR)
  t.same(comment.mastodon.posts, ['a'])
  t.equal((await comment.act('retry')).status, 202)
  await comment.work(HOUR)
  t.same(comment.mastodon.posts, ['a', 'b'])
})

t.test(
  'after a lost response, a cancelled delivery is unconfirmed, and a retry first queries the network',
  async (t) => {
    for (const isAccepted of [true, false]) {
      const scene = await createScene(t, {}, [{ isAccepted, error: lostResponse() }])
      const { mastodon, cancel, act, work, readStatus, readDelivery, id, time } = scene
      const { body } = await cancel()
      t.hasStrict(body, {
        status: 'published',
        targets: [{ delivery: { state: 'unconfirmed', nextAttemptAt: null, error: { code: 'cancelled' } } }],
      })
      await work(HOUR)
      t.equal(mastodon.reconcileCount, 0)
      t.equal((await act('retry')).status, 202)
      const calledAt = Date.parse((await readDelivery(id)).history[0]!.intendedAt!)
      const { nextAttemptAt } = await readDelivery(id)
      t.ok(Date.parse(nextAttemptAt!) >= calledAt + MINUTE / 2, 'when the call can no longer arrive')
      time.now = new Date(Math.max(time.now.getTime(), Date.parse(nextAttemptAt!)))
      await work()
      t.same([mastodon.reconcileCount, mastodon.posts], [1, ['a']])
      t.equal(await readStatus(id), 'published')
    }
  },
)

t.test('a cancelled delivery with a lost response can be resolved', async (t) => {
  const { cancel, act, endFlights } = await createScene(t, {}, [{ isAccepted: false, error: lostResponse() }])
  await cancel()
  await endFlights()
  const { status, body } = await act('resolve', { outcome: 'not_published' })
  t.equal(status, 200)
  t.hasStrict(body, {
    status: 'scheduled',
    targets: [{ delivery: { state: 'failed', error: { code: 'not_published' } } }],
  })
})

t.test('changing a post does not revive a cancelled delivery, unless the post becomes a draft', async (t) => {
  const { ada, cancel, mastodon, act, work, id } = await createScene(t, {}, [later])
  await cancel()
  const patch = (body: object) => ada.call('PATCH', `/posts/${id}`, body)
  for (const change of [{ caption: 'b' }, { scheduledAt: FUTURE }, { scheduledAt: '2020-01-01T00:00:00Z' }]) {
    t.hasStrict((await patch(change)).body, {
      targets: [{ delivery: { state: 'cancelled', error: { code: 'cancelled' } } }],
    })
  }
  await work(HOUR)
  t.same(mastodon.posts, [])
  t.equal((await act('retry')).status, 202)
  await work(HOUR)
  t.same(mastodon.posts, ['b'], 'a retry sends the new content')
  t.not(mastodon.acts[0]!.token, mastodon.acts[1]!.token)

  const other = await createScene(t, {}, [later])
  await other.cancel()
  const draft = await other.ada.call('PATCH', `/posts/${other.id}`, { scheduledAt: null })
  t.hasStrict(draft.body, { status: 'draft', targets: [{ delivery: { state: 'waiting', error: null } }] })
})

t.test('a delivery of which nothing is going to be sent cannot be cancelled', async (t) => {
  const { db, cancel, act, ada, account } = await createScene(t, { scheduledAt: FUTURE })
  for (const state of ['waiting', 'publishing', 'published', 'failed', 'unconfirmed', 'missed']) {
    await db.updateTable('postTargets').set({ state }).execute()
    const { status, headers } = await cancel()
    const code = state === 'publishing' ? 'delivery_in_progress' : 'delivery_not_queued'
    t.strictSame([status, headers['x-error-code']], [409, code], state)
  }
  const other = await ada.account()
  const { body } = await ada.call('POST', '/posts', { accountIds: [other] })
  const notFound = { status: 404, body: { error: 'Delivery not found' } }
  t.hasStrict(await ada.call('POST', `/posts/${body.id}/deliveries/${account}/cancel`), notFound)
  t.hasStrict(await ada.call('POST', `/posts/${body.id}/deliveries/none/cancel`), notFound)
  t.equal((await act('mark-published', {})).status, 200)
})

t.test('of a worker that claims a delivery and a cancellation, the first one wins', async (t) => {
  const { db, cancel, createWorker, mastodon, work } = await createScene(t)
  const blocked = await db.transaction().execute(async (holding) => {
    // The cancellation locks deliveries first, and then waits for the post.
    await holding.selectFrom('posts').select('id').forUpdate().execute()
    const reply = cancel()
    await untilBlocked(db)
    t.equal(await createWorker().claim(), 0, 'the worker skips the delivery')
    return { reply }
  })
  t.equal((await blocked.reply).status, 200)
  await work(HOUR)
  t.same(mastodon.posts, [])

  await db
    .updateTable('postTargets')
    .set({ state: 'queued', claimableAt: new Date(0) })
    .execute()
  const { reply } = await db.transaction().execute(async (claim) => {
    await claim.updateTable('postTargets').set({ state: 'publishing' }).execute()
    const reply = cancel()
    await untilBlocked(db)
    return { reply }
  })
  t.hasStrict(await reply, { status: 409, body: { error: 'Delivery is being sent' } })
})
