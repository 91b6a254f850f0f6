import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { createScene, errorOf } from '../helpers/queue.ts'

const FRONT = { schedule: { queue: 'front' } }
const HOURLY = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`)
const hoursTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

/** An account with a slot each hour, and a queued post in the first one. */
async function createQueue(t: Test) {
  const scene = await createScene(t)
  const id = await scene.account(...HOURLY)
  const create = (more?: object) => scene.create([id], more)
  const queue = async (more?: object): Promise<string> => (await create(more)).body.id
  return { ...scene, id, create, queue, first: await queue() }
}

/** Queues copies of the first post in slots that are a number of hours later. */
const copyTo = (db: Db, hours: number[]) =>
  sql`
    with copy as (
      select gen_random_uuid() as id, hour * interval '1 hour' as later from unnest(${hours}::integer[]) as hour
    ),
    post as (
      insert into posts
      select (jsonb_populate_record(posts, jsonb_build_object('id', copy.id, 'scheduled_at', scheduled_at + later))).*
      from posts cross join copy
    )
    insert into post_targets
    select (jsonb_populate_record(post_targets, jsonb_build_object('post_id', copy.id, 'due_at', due_at + later,
      'claimable_at', claimable_at + later, 'slot_at', slot_at + later, 'token', gen_random_uuid()))).*
    from post_targets cross join copy`.execute(db)

/** The posts of the account by the time of their slots. */
const listPosts = (db: Db) => db.selectFrom('postTargets').select(['postId', 'slotAt']).orderBy('slotAt')

t.test('300 queued posts make room for four at the front, each in a slot of its own', async (t) => {
  const { db, create } = await createQueue(t)
  await copyTo(db, hoursTo(299))
  const before = await listPosts(db).execute()
  const replies = await Promise.all(Array.from({ length: 4 }, () => create(FRONT)))
  t.strictSame(
    replies.map(({ status }) => status),
    Array(4).fill(201),
  )
  const after = await listPosts(db).execute()
  t.strictSame(new Set(after.slice(0, 4).map(({ postId }) => postId)), new Set(replies.map(({ body }) => body.id)))
  t.strictSame(
    after.slice(4).map(({ postId }) => postId),
    before.map(({ postId }) => postId),
  )
  t.strictSame(
    after.slice(0, 300).map(({ slotAt }) => slotAt),
    before.map(({ slotAt }) => slotAt),
  )
  t.equal(new Set(after.map(({ slotAt }) => slotAt!.getTime())).size, 304)
})

t.test('posts behind the first free slot are not locked', async (t) => {
  const { db, id, first, queue, slots } = await createQueue(t)
  await copyTo(
    db,
    hoursTo(50).filter((hour) => hour !== 3 && hour !== 5),
  )
  const order = async () => (await slots(id, 51)).map(({ postId }) => postId ?? null)
  const before = await order()
  const fronts = [await queue(FRONT), await queue(FRONT)]
  const after = await order()
  t.strictSame(after, [...fronts.reverse(), first, before[1], before[2], before[4], ...before.slice(6)])
  // A row lock stays in the row when its transaction has ended.
  const locked = await listPosts(db).where(sql<boolean>`xmax <> 0`).execute()
  t.strictSame(
    locked.map(({ postId }) => postId),
    after.slice(1, 6),
  )
})

t.test('a queue that is too long for one statement is a conflict, and nothing moves', async (t) => {
  const { db, id, ada, create } = await createQueue(t)
  await copyTo(db, hoursTo(500))
  const before = (await ada.call('GET', `/accounts/${id}/slots?limit=100`)).body
  const refused = await create(FRONT)
  t.strictSame(errorOf(refused), [409, 'queue_full'])
  t.match(refused.body.error, 'More than 500 posts of the accounts are queued')
  t.strictSame((await ada.call('GET', `/accounts/${id}/slots?limit=100`)).body, before)
  t.equal((await create()).status, 201)
})
