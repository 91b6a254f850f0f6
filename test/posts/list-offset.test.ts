import { sql } from 'kysely'
import t from 'tap'
import { createWorld, type Person } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'

t.test('an offset skips at most 100,000 posts: past them, the error names the cursor', async (t) => {
  const { db, user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  // The triggers, which would write as many events, are left out.
  await db.transaction().execute(async (db) => {
    await sql`set local session_replication_role = replica`.execute(db)
    await sql`
      insert into posts (user_id, id, caption, post_type, status)
      select ${ada.id}, gen_random_uuid(), '', 'post', 'draft' from generate_series(1, 100001)`.execute(db)
  })
  const get = async (person: Person, offset: number) =>
    until('the list is read', () => person.call('GET', `/posts?limit=1&offset=${offset}`), {
      isMet: ({ status }) => status !== 503,
    })
  t.equal((await get(ada, 100_000)).body.data.length, 1)
  const { status, body } = await get(ada, 1_000_000_000)
  t.strictSame([status, body.details.length, body.details[0].path], [400, 1, ['offset']])
  t.match(body.details[0].message, 'cursor')
  t.strictSame((await get(bob, 1_000_000_000)).body.data, [], 'nothing is skipped in a short list')
})
