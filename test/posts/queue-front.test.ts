import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, type Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { readAllEvents } from '../helpers/events.ts'
import { createScene, daily, errorOf, timesOf } from '../helpers/queue.ts'
import { untilBlocked } from '../helpers/until.ts'

const NEXT = { schedule: { queue: 'next' } }
const FRONT = { schedule: { queue: 'front' } }
const TOGETHER = { schedule: { queue: 'together' } }

async function createQueues(t: Test) {
  const scene = await createScene(t)
  const queue = async (accountIds: string[], more: object = NEXT, person?: Person): Promise<string> => {
    const reply = await scene.create(accountIds, more, person)
    t.equal(reply.status, 201, JSON.stringify(reply.body))
    return reply.body.id
  }
  /** The posts in the first slots, as the account's owner sees them. */
  const order = async (id: string, limit: number) => (await scene.slots(id, limit)).map(({ postId }) => postId ?? null)
  return { ...scene, queue, order }
}

t.test('a post at the front moves the queued posts up to the next free slot', async (t) => {
  const { db, ada, account, slots, create, queue, order } = await createQueues(t)
  const id = await account('09:00', '17:00')
  const times = (await slots(id)).map(({ scheduledAt }) => scheduledAt)
  const [one, two, three, four] = [await queue([id]), await queue([id]), await queue([id]), await queue([id])]
  await ada.call('DELETE', `/posts/${three}`)
  const etag = (await ada.call('GET', `/posts/${two}`)).headers.etag

  const reply = await create([id], FRONT)
  t.strictSame(timesOf(reply), [times[0]])
  t.strictSame(await order(id, 5), [reply.body.id, one, two, four, null], 'the post behind the free slot stays')
  const moved = await ada.call('GET', `/posts/${two}`)
  t.strictSame([moved.body.scheduledAt, moved.body.targets[0].scheduledAt], [times[2], null])
  t.not(moved.headers.etag, etag)
  const events = await readAllEvents(db, ada, '&types=post.updated')
  t.strictSame(
    events.map(({ data }) => data),
    [one, two].map((postId, index) => ({
      postId,
      accountIds: [id],
      status: 'scheduled',
      scheduledAt: times[index + 1],
      changed: ['scheduledAt'],
    })),
  )

  await queue([id], FRONT)
  const empty = await account('10:00')
  t.strictSame(timesOf(await create([empty], FRONT)), [(await slots(empty, 1))[0]!.scheduledAt])
  t.strictSame(errorOf(await create([await account()], FRONT)), [409, 'queue_without_slots'])
})

t.test('posts that share a slot after a retry move on together', async (t) => {
  const { ada, account, slots, create, queue } = await createQueues(t)
  const id = await account('09:00')
  const times = (await slots(id)).map(({ scheduledAt }) => scheduledAt)
  const first = await queue([id])
  await ada.call('POST', `/posts/${first}/deliveries/${id}/cancel`)
  const posts = [first, await queue([id]), await queue([id])]
  t.equal((await ada.call('POST', `/posts/${first}/deliveries/${id}/retry`)).status, 202)
  t.strictSame(timesOf(await create([id], FRONT)), [times[0]])
  const now = await Promise.all(posts.map(async (post) => (await ada.call('GET', `/posts/${post}`)).body.scheduledAt))
  t.strictSame(now, [times[1], times[1], times[2]])
})

t.test('posts that are not in slots, begun or shared by accounts at one time stay where they are', async (t) => {
  const { db, account, slots, create, queue, order } = await createQueues(t)
  const id = await account('09:00')
  const times = (await slots(id)).map(({ scheduledAt }) => scheduledAt)
  const byHand = await queue([id], { scheduledAt: times[0]! })
  const moving = await queue([id])
  const together = await queue([id, await account('09:00')], TOGETHER)
  const begun = await queue([id])
  await db.updateTable('postTargets').set({ failures: 1 }).where('postId', '=', begun).execute()
  const reply = await create([id], FRONT)
  t.strictSame(timesOf(reply), [times[1]])
  t.strictSame(await order(id, 6), [byHand, reply.body.id, together, begun, moving, null])
})

t.test('a post for several accounts is at the front of each, and moves others on each', async (t) => {
  const { ada, account, slots, queue, order } = await createQueues(t)
  const [one, other] = [await account('09:00'), await account('10:00')]
  const first = (await slots(one)).map(({ scheduledAt }) => scheduledAt)
  const second = (await slots(other)).map(({ scheduledAt }) => scheduledAt)
  const both = await queue([one, other])
  const alone = await queue([other])
  const front = await queue([one, other], FRONT)
  t.strictSame(
    [await order(one, 3), await order(other, 4)],
    [
      [front, both, null],
      [front, both, alone, null],
    ],
  )
  const { body } = await ada.call('GET', `/posts/${both}`)
  const wanted = [first[1]!, second[1]!]
  t.strictSame(
    [
      body.scheduledAt,
      ...body.targets.map((target: { scheduledAt: string | null }) => target.scheduledAt ?? body.scheduledAt),
    ],
    [wanted.toSorted()[0], ...wanted],
  )
  const last = await queue([other], FRONT)
  t.strictSame(
    [await order(one, 2), await order(other, 4)],
    [
      [front, both],
      [last, front, both, alone],
    ],
  )
})

t.test('posts of a batch are at the front in their order, and a change moves a post to the front', async (t) => {
  const { ada, account, queue, order } = await createQueues(t)
  const id = await account('09:00')
  const [one, two, three] = [await queue([id]), await queue([id]), await queue([id])]
  const posts = [FRONT, NEXT, FRONT].map((schedule) => ({ accountIds: [id], caption: 'hi', ...schedule }))
  const { body } = await ada.call('POST', '/posts/batch', { posts })
  const [first, last, second] = body.data.map((post: { id: string }) => post.id)
  t.strictSame(await order(id, 7), [first, second, one, two, three, last, null])
  const valid = await ada.call('POST', '/posts/validate', { accountIds: [id], caption: 'hi', ...FRONT })
  t.strictSame(valid.body.create.status, 201)
  await ada.call('PATCH', `/posts/${two}`, FRONT)
  t.strictSame(await order(id, 7), [two, first, second, one, three, last, null], 'its own slot is free for another')
  const etag = (await ada.call('GET', `/posts/${two}`)).headers.etag
  t.equal((await ada.call('PATCH', `/posts/${two}`, FRONT)).headers.etag, etag, 'the first stays the first')
  t.strictSame(await order(id, 7), [two, first, second, one, three, last, null])
})

t.test('nobody moves the posts of others, except for an admin of their organisation', async (t) => {
  const { db, app, ada, user, organization, promote, slots, account, create, queue } = await createQueues(t)
  const bob = await user()
  const organizationId = await organization(ada, bob)
  const shared = await ada.account('x', { organizationId })
  await ada.call('PUT', `/accounts/${shared}/schedule`, daily('09:00'))
  const times = (await slots(shared)).map(({ scheduledAt }) => scheduledAt)
  const mine = await queue([shared])
  t.strictSame(timesOf(await create([shared], FRONT, bob)), [times[1]])
  await promote(organizationId, bob)
  const front = await create([shared], FRONT, bob)
  t.strictSame(timesOf(front), [times[0]])
  t.equal((await ada.call('GET', `/posts/${mine}`)).body.scheduledAt, times[1])

  const wide = await queue([shared, await account('09:00')])
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, accountIds: [shared] })
  const limited = { ...ada, call: (...request: Parameters<Person['call']>) => call(app, key, ...request) }
  const before = (await ada.call('GET', `/posts/${wide}`)).body.targets[0].scheduledAt
  t.strictSame(timesOf(await create([shared], FRONT, limited)), [times[1]], 'after the posts of the other')
  t.equal((await ada.call('GET', `/posts/${wide}`)).body.targets[0].scheduledAt, before)
})

t.test('parallel posts at the front take each slot once, and a repeated request moves nothing', async (t) => {
  const { ada, account, queue, order } = await createQueues(t)
  const id = await account('00:00', '06:00', '12:00', '18:00')
  const queued = [await queue([id]), await queue([id])]
  const body = { accountIds: [id], caption: 'hi', ...FRONT }
  const { call } = repeating(ada)
  const send = (key: string) => call('POST', '/posts', body, { 'idempotency-key': key })
  const keys = Array.from({ length: 24 }, (_, index) => `front-${index % 12}`)
  const replies = await Promise.all(keys.map(send))
  t.strictSame(new Set(replies.map(({ status }) => status)), new Set([201]))
  const ids = new Set(replies.map(({ body }) => body.id))
  t.equal(ids.size, 12)
  const taken = await order(id, 15)
  t.strictSame(new Set(taken), new Set([...ids, ...queued, null]))
  t.strictSame(taken.slice(12), [...queued, null])
  await Promise.all(keys.map(send))
  t.strictSame(await order(id, 15), taken)
})

t.test('the key that has scheduled a post goes on paying for it', async (t) => {
  const { db, app, ada, account, queue } = await createQueues(t)
  const id = await account('09:00')
  const first = await queue([id])
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  const other = { ...ada, call: (...request: Parameters<Person['call']>) => call(app, key, ...request) }
  const keyOf = async (postId: string) =>
    (await db.selectFrom('postTargets').select('keyId').where('postId', '=', postId).executeTakeFirstOrThrow()).keyId
  const before = await keyOf(first)
  const front = await queue([id], FRONT, other)
  await other.call('PATCH', `/posts/${await queue([id], NEXT, other)}`, FRONT)
  t.strictSame(await keyOf(first), before)
  t.not(await keyOf(front), before)
})

t.test('posts that come to the front at one moment move the others once', async (t) => {
  const { db, account, create, queue, order } = await createQueues(t)
  const id = await account('09:00', '12:00', '17:00')
  const queued = [await queue([id]), await queue([id]), await queue([id])]
  const replies = await Promise.all(Array.from({ length: 6 }, () => create([id], FRONT)))
  t.strictSame(
    replies.map(({ status }) => status),
    Array(6).fill(201),
  )
  const [first, ...rest] = await order(id, 10)
  t.strictSame(new Set([first, ...rest.slice(0, 5)]), new Set(replies.map(({ body }) => body.id)))
  t.strictSame(rest.slice(5), [...queued, null])
  const { rows } = await sql<{ transactions: string }>`
    select count(distinct xmin::text) as transactions from post_targets where account_id = ${id}`.execute(db)
  t.ok(Number(rows[0]!.transactions) <= 3, `${rows[0]!.transactions} transactions`)
})

t.test('a repeated request at the front gets its response while others hold the queue', async (t) => {
  const { db, account, create, ada } = await createQueues(t)
  const id = await account('09:00')
  const body = { accountIds: [id], caption: 'hi', ...FRONT }
  const send = () => ada.call('POST', '/posts', body, { 'idempotency-key': 'front' })
  const first = await send()
  t.equal(first.status, 201)
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (db) => {
    await sql`select from account_schedules for update`.execute(db)
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const waiting = create([id], FRONT)
  await untilBlocked(db)
  const repeated = await send()
  held.resolve()
  await holding
  t.strictSame(
    [repeated.status, repeated.body.id, repeated.headers['idempotent-replayed']],
    [201, first.body.id, 'true'],
  )
  await waiting
})
