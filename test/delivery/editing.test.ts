import t, { type Test } from 'tap'
import { recordKey } from '../../src/platforms/bluesky/record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { beforePrepare, lostResponse, refusal, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'
import { until, untilBlocked } from '../helpers/until.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const FUTURE = '2030-01-01T00:00:00.000Z'
const forever = () => new Promise<void>(() => {})

/** A post that is due on one account, whose network follows a script. */
async function createScene(t: Test, body: object = {}, steps: Step[] = []) {
  const mastodon = scriptedNetwork()
  mastodon.steps.push(...steps)
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const id = await world.post({ accountIds: [account], caption: 'old', ...body })
  const patch = (change: object) => world.ada.call('PATCH', `/posts/${id}`, change)
  return { ...world, mastodon, account, id, patch }
}

t.test('a patch waits for a worker that is claiming the delivery, and is then rejected', async (t) => {
  const { db, patch, mastodon, work } = await createScene(t)
  const { reply } = await db.transaction().execute(async (claim) => {
    await claim.updateTable('postTargets').set({ state: 'publishing' }).execute()
    const reply = patch({ caption: 'new' })
    await untilBlocked(db)
    // Inside an object, so that the transaction does not wait for it.
    return { reply }
  })
  t.hasStrict(await reply, { status: 409, body: { error: 'Cannot edit post while it is being published' } })
  await db.updateTable('postTargets').set({ state: 'queued' }).execute()
  await work()
  t.same(mastodon.posts, ['old'])
})

t.test('a worker does not claim a delivery while a patch has locked it, and then sends the new text', async (t) => {
  const { db, patch, mastodon, createWorker, work } = await createScene(t)
  const { reply } = await db.transaction().execute(async (holding) => {
    // The patch locks deliveries first, and then waits for the post.
    await holding.selectFrom('posts').select('id').forUpdate().execute()
    const reply = patch({ caption: 'new' })
    await untilBlocked(db)
    t.equal(await createWorker().claim(), 0)
    return { reply }
  })
  t.equal((await reply).status, 200)
  await work()
  t.same(mastodon.posts, ['new'])
})

t.test('a delivery that was moved is sent at its new time and not at the old one', async (t) => {
  const { db, patch, mastodon, work, time } = await createScene(t)
  const { reply } = await db.transaction().execute(async (holding) => {
    await holding.selectFrom('posts').select('id').forUpdate().execute()
    const reply = patch({ scheduledAt: FUTURE })
    await untilBlocked(db)
    return { reply }
  })
  t.equal((await reply).status, 200)
  await work(HOUR)
  t.same(mastodon.posts, [])
  t.equal((await patch({ scheduledAt: null })).status, 200)
  await work(HOUR)
  t.equal((await patch({ scheduledAt: FUTURE })).status, 200)
  time.now = new Date(FUTURE)
  await work()
  t.same(mastodon.posts, ['old'])
})

t.test('a parked delivery that is moved waits for its new time', async (t) => {
  const { db, patch, mastodon, work, readDelivery, id } = await createScene(t)
  await db.updateTable('postTargets').set({ parked: true }).execute()
  t.equal((await patch({ scheduledAt: FUTURE })).status, 200)
  await work(HOUR)
  t.same(mastodon.posts, [])
  t.hasStrict(await readDelivery(id), { state: 'queued', nextAttemptAt: FUTURE })
  t.same(await db.selectFrom('postTargets').select('parked').execute(), [{ parked: false }])
})

t.test(
  'while a worker holds a delivery, a patch is rejected at each step, and the old text is sent once',
  async (t) => {
    for (const step of ['prepare', 'call'] as const) {
      const gate = Promise.withResolvers<void>()
      const scene = await createScene(t, {}, [
        { isAccepted: true, ...(step === 'call' && { beforeResponse: () => gate.promise }) },
      ])
      const { patch, mastodon, createWorker, readStatus, id } = scene
      let isPreparing = false
      const slow = beforePrepare(mastodon, () => {
        isPreparing = true
        return step === 'prepare' && gate.promise
      })
      const worker = createWorker({ networks: { mastodon: slow } })
      t.equal(await worker.claim(), 1)
      await until('the step is reached', () => (step === 'prepare' ? isPreparing : mastodon.posts.length > 0))
      for (const change of [{ caption: 'new' }, { scheduledAt: null }, { scheduledAt: FUTURE }]) {
        t.equal((await patch(change)).status, 409, `${step} ${JSON.stringify(change)}`)
      }
      gate.resolve()
      await worker.idle()
      t.same(mastodon.posts, ['old'])
      t.equal(await readStatus(id), 'published')
      t.equal((await patch({ caption: 'new' })).status, 400)
    }
  },
)

t.test(
  'a worker that dies at any step, and another one that fails, leave a post whose new text is sent once',
  async (t) => {
    const steps: [name: string, step: Step, isHeld: boolean][] = [
      ['in prepare, before the intent', { isAccepted: false }, true],
      ['in the call, which did not arrive', { isAccepted: false, beforeResponse: forever }, false],
    ]
    for (const [name, step, isHeld] of steps) {
      const { patch, mastodon, createWorker, work, readStatus, readDelivery, id } = await createScene(t, {}, [step])
      const dying = isHeld ? { mastodon: beforePrepare(scriptedNetwork(), forever) } : { mastodon }
      t.equal(await createWorker({ networks: dying }).claim(), 1)
      if (isHeld) mastodon.steps.length = 0
      else await until('the call was made', () => mastodon.acts.length === 1)
      t.equal((await patch({ caption: 'new' })).status, 409, `${name}: its lease has not ended`)
      mastodon.steps.push({ isAccepted: false, error: refusal() })
      await work(MINUTE)
      await work(MINUTE)
      t.hasStrict(await readDelivery(id), { state: 'failed', error: { code: 'content_refused' } }, name)
      t.equal(await readStatus(id), 'scheduled')
      const { history } = await readDelivery(id)
      const { status, body } = await patch({ caption: 'new' })
      t.equal(status, 200)
      const [{ delivery }] = body.targets
      t.hasStrict(delivery, { state: 'queued', error: null, attempts: history.length })
      t.strictSame(delivery.history, history, 'the history stays')
      await work(MINUTE)
      t.same(mastodon.posts, ['new'])
      t.hasStrict(await readDelivery(id), { state: 'published', attempts: history.length + 1 })
    }
  },
)

t.test('after a lost call, a post is edited only once its network has no trace of it', async (t) => {
  const { patch, mastodon, work, readStatus, id } = await createScene(t, {}, [
    { isAccepted: false, error: lostResponse() },
    { isAccepted: false, error: refusal() },
  ])
  await work()
  t.hasStrict(await patch({ caption: 'new' }), { status: 400, body: { error: 'Cannot edit published post' } })
  await work(MINUTE)
  t.equal(mastodon.reconcileCount, 1)
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await patch({ caption: 'new' })).status, 200)
  await work(MINUTE)
  t.same([mastodon.posts, mastodon.reconcileCount], [['new'], 1], 'the new text is not looked for')
})

t.test('other content gets another token and record key; a retry of the same content keeps them', async (t) => {
  const refused = { isAccepted: false, error: refusal() }
  const { ada, patch, mastodon, work, account, id } = await createScene(t, {}, [refused, refused, refused, refused])
  await work()
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work()
  t.equal((await patch({ scheduledAt: '2020-01-01T00:00:00Z' })).status, 200, 'only another time')
  await work()
  t.equal((await patch({ caption: 'new' })).status, 200)
  await work()
  t.equal((await patch({ overrides: { [account]: { fields: { visibility: 'unlisted' } } } })).status, 200)
  await work()
  t.same(mastodon.posts, ['new'])
  const keys = mastodon.acts.map(recordKey)
  t.equal(keys.length, 5)
  t.same([keys[1], keys[2]], [keys[0], keys[0]])
  t.equal(new Set(keys.slice(2)).size, 3)
  t.equal(new Set(mastodon.acts.slice(2).map(({ token }) => token)).size, 3)
})

t.test('what was prepared for the old content is not used for the new one', async (t) => {
  const { patch, mastodon, work, readDelivery, id } = await createScene(t, {}, [{ isAccepted: false, laterMs: HOUR }])
  await work()
  t.hasStrict(await readDelivery(id), { state: 'queued' })
  t.equal((await patch({ caption: 'new' })).status, 200)
  await work()
  t.same([mastodon.saved, mastodon.posts], [[null, null], ['new']])
})

t.test('failures are forgotten where the content changes, and stay where it does not', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon, bluesky })
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const id = await post({ accountIds: [first, second], caption: 'old' })
  for (const network of [mastodon, bluesky]) network.steps.push({ isAccepted: false, error: refusal() })
  await work()
  const before = await readDelivery(id, second)
  const overrides = { [first]: { captionOverride: 'new' }, [second]: { captionOverride: 'old' } }
  t.equal((await ada.call('PATCH', `/posts/${id}`, { overrides })).status, 200)
  t.hasStrict(await readDelivery(id, first), { state: 'queued', error: null })
  t.strictSame(await readDelivery(id, second), before, 'the same text is sent as before')
  await work(MINUTE)
  t.same([mastodon.posts, bluesky.posts], [['new'], []])
})

t.test('a delivery that was attempted, and is then scheduled for later, is not due before', async (t) => {
  const { ada, patch, account, id, work } = await createScene(t, {}, [{ isAccepted: false, error: refusal() }])
  await work()
  t.equal((await patch({ scheduledAt: FUTURE })).status, 200)
  t.hasStrict(await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`), {
    status: 409,
    body: { error: 'Delivery is not due yet: publish the post to send it now' },
  })
})

t.test('an account that is added gets the post, and one that is removed does not', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work, readStatus } = await createDeliveryWorld(t, { mastodon, bluesky })
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const id = await post({ accountIds: [first], caption: 'moved' })
  t.equal((await ada.call('PATCH', `/posts/${id}`, { accountIds: [second] })).status, 200)
  await work()
  t.same([mastodon.posts, bluesky.posts], [[], ['moved']])
  t.equal(await readStatus(id), 'published')
})

t.test('files are replaced, and a file that a post loses counts as used until then', async (t) => {
  const { db, ada, patch, id } = await createScene(t, { scheduledAt: FUTURE })
  const [first, second] = [await ada.media(), await ada.media()]
  t.equal((await patch({ mediaIds: [first, second] })).status, 200)
  await db
    .updateTable('media')
    .set({ lastUsedAt: new Date(0) })
    .execute()
  t.equal((await ada.call('DELETE', `/media/${first}`)).status, 409)
  const { status, body } = await patch({ mediaIds: [second] })
  t.strictSame([status, body.mediaIds], [200, [second]])
  const files = await db.selectFrom('media').select(['id', 'lastUsedAt']).execute()
  t.ok(files.find((file) => file.id === first)!.lastUsedAt!.getTime() > 0)
  t.equal((await ada.call('DELETE', `/media/${first}`)).status, 200)
  t.equal((await ada.call('GET', `/posts/${id}`)).body.mediaIds.length, 1)
})

t.test('a file that is deleted while a patch adds it is rejected', async (t) => {
  const { db, ada, patch } = await createScene(t, { scheduledAt: FUTURE })
  const media = await ada.media()
  const { reply } = await db.transaction().execute(async (deletion) => {
    await deletion.deleteFrom('media').where('id', '=', media).execute()
    const reply = patch({ mediaIds: [media] })
    await untilBlocked(db)
    return { reply }
  })
  t.hasStrict(await reply, { status: 403, body: { error: `You have no access to these mediaIds: ${media}` } })
})

t.test('of two patches at the same moment that both name an ETag, one succeeds', async (t) => {
  const { ada, id } = await createScene(t, { scheduledAt: FUTURE })
  const etag = String((await ada.call('GET', `/posts/${id}`)).headers.etag)
  const patches = ['a', 'b', 'c'].map((caption) => ada.call('PATCH', `/posts/${id}`, { caption }, { 'if-match': etag }))
  const statuses = (await Promise.all(patches)).map(({ status }) => status)
  t.same(statuses.toSorted(), [200, 412, 412])
})
