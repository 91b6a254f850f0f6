import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'
import { DAY_MS, sweepNow } from '../helpers/sweeps.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const RETENTION = { postsMs: 30 * DAY_MS }

async function createScene(t: Test) {
  const [bluesky, telegram] = [scriptedNetwork('exactly-once'), scriptedNetwork('at-most-once')]
  const world = await createDeliveryWorld(t, { bluesky, telegram })
  const [one, other] = [await world.connectAccount('bluesky'), await world.connectAccount('telegram')]
  const ids = async () => (await world.ada.call('GET', '/posts')).body.data.map(({ id }: { id: string }) => id)
  const sweep = async () => (await sweepNow(world, { retention: RETENTION }))?.posts
  const wait = (days: number) => {
    world.time.now = new Date(world.time.now.getTime() + days * DAY_MS)
  }
  return { ...world, bluesky, telegram, one, other, ids, sweep, wait }
}

const countRows = async (db: Db) => {
  const { rows } = await sql<{ counts: number[] }>`
    select array[(select count(*) from posts), (select count(*) from post_targets), (select count(*) from post_media),
      (select count(*) from delivery_attempts)]::integer[] as counts`.execute(db)
  return rows[0]!.counts
}

t.test('a published post is removed with everything that hangs on it, and not before its time', async (t) => {
  const { db, ada, app, one, other, post, work, ids, sweep, wait } = await createScene(t)
  const { body: file } = await upload(app, ada, [['file', await jpeg()]])
  const old = await post({ accountIds: [one, other], caption: 'old', mediaIds: [file.id] })
  await work()
  t.strictSame(await countRows(db), [1, 2, 1, 2])
  wait(29)
  t.equal(await sweep(), 0)
  const fresh = await post({ accountIds: [one], caption: 'fresh' })
  await work()
  wait(2)
  t.equal(await sweep(), 1)
  t.strictSame(await ids(), [fresh])
  t.strictSame(await countRows(db), [1, 1, 0, 1])
  t.equal((await ada.call('GET', `/posts/${old}`)).status, 404)
  t.equal((await ada.call('GET', `/media/${file.id}`)).status, 200, 'its files stay')
})

t.test('drafts, scheduled posts and posts with an open delivery are never removed', async (t) => {
  const { db, ada, bluesky, telegram, one, other, post, readDelivery, work, ids, sweep, wait } = await createScene(t)
  const create = async (body: object) => (await ada.call('POST', '/posts', body)).body.id
  const draft = await create({ accountIds: [one], caption: 'draft' })
  const later = await create({ accountIds: [one], caption: 'later', scheduledAt: '2090-01-01T00:00:00Z' })
  telegram.steps.push({ isAccepted: true, error: lostResponse() })
  const unconfirmed = await post({ accountIds: [one, other], caption: 'unconfirmed' })
  await work()
  bluesky.steps.push({ isAccepted: false, error: refusal() })
  const failed = await post({ accountIds: [one], caption: 'failed' })
  await work(1_000)
  bluesky.steps.push({ isAccepted: false, error: refusal() })
  const halfFailed = await post({ accountIds: [one, other], caption: 'half failed' })
  await work(1_000)
  t.match(await readDelivery(halfFailed, other), { state: 'published' })
  wait(10_000)
  t.equal(await sweep(), 1)
  t.strictSame(await ids(), [failed, unconfirmed, later, draft], 'a post that was published in part is over')
  t.notOk((await ids()).includes(halfFailed))
  // The worker died in the middle of a call.
  await sql`
    update post_targets set state = 'publishing', intent = 1 where state = 'unconfirmed'`.execute(db)
  t.equal(await sweep(), 0)
  await sql`update post_targets set state = 'published' where state = 'publishing'`.execute(db)
  t.equal(await sweep(), 1)
  t.strictSame(await ids(), [failed, later, draft])
})

t.test('the time counts from the newest end of a delivery, not from the creation', async (t) => {
  const { one, other, bluesky, ada, time, post, work, ids, sweep, wait } = await createScene(t)
  const later = await post({
    accountIds: [one],
    caption: 'later',
    scheduledAt: new Date(time.now.getTime() + 100 * DAY_MS).toISOString(),
  })
  bluesky.steps.push({ isAccepted: false, error: refusal('content_refused', { retryable: true }) })
  await post({ accountIds: [one, other], caption: 'partly' })
  await work()
  wait(100)
  await work()
  wait(20)
  t.equal(await sweep(), 1)
  t.strictSame(await ids(), [later], 'a missed delivery was over when it was due')
  wait(11)
  t.equal(await sweep(), 1)
  t.strictSame(await ids(), [])
  t.equal((await ada.call('GET', `/posts/${later}`)).status, 404)
})

t.test('a sweep walks through any number of users and posts', async (t) => {
  const { db, user, ada, ids, sweep, wait } = await createScene(t)
  const ben = await user('Ben')
  for (const person of [ada, ben]) {
    const account = await person.account('bluesky')
    await sql`
      with post as (
        insert into posts (user_id, id, caption, post_type, status, created_at, updated_at)
        select ${person.id}::uuid, overlay(gen_random_uuid()::text placing '0190' from 1)::uuid, n::text, 'post',
          case when n % 3 = 0 then 'draft' else 'published' end, now() - interval '1 year', now() - interval '1 year'
        from generate_series(1, 1500) as n
        returning *)
      insert into post_targets (user_id, post_id, account_id, platform, state, due_at, published_at)
      select user_id, id, ${account}::uuid, 'bluesky', case when status = 'draft' then 'waiting' else 'published' end,
        case when status = 'published' then created_at end, case when status = 'published' then created_at end
      from post`.execute(db)
  }
  await sql`insert into users (id, name) select gen_random_uuid(), 'nobody' from generate_series(1, 1200)`.execute(db)
  wait(1)
  t.equal(await sweep(), 2_000)
  t.strictSame(await countRows(db), [1_000, 1_000, 0, 0])
  t.equal((await ids()).length, 25)
  t.equal(await sweep(), 0)
})

t.test('a sweep skips posts that somebody else has locked, and finds their new state afterwards', async (t) => {
  const { db, bluesky, one, other, post, work, ids, sweep, wait } = await createScene(t)
  bluesky.steps.push({ isAccepted: false, error: refusal() })
  const retried = await post({ accountIds: [one, other], caption: 'retried' })
  await work()
  await post({ accountIds: [one], caption: 'other' })
  await work()
  wait(40)
  await db.transaction().execute(async (db) => {
    await sql`
      update post_targets set state = 'queued', claimable_at = now() where post_id = ${retried} and state = 'failed'`.execute(
      db,
    )
    t.equal(await sweep(), 1, 'the sweep does not wait')
  })
  t.strictSame(await ids(), [retried])
  t.equal(await sweep(), 0, 'the retried delivery is open again')
})
