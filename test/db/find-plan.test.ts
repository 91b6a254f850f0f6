import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { findPosts } from '../../db/queries/find/posts.ts'
import type { PostSource } from '../../db/queries/find/sources.ts'
import { insertUser } from '../../db/queries/people.ts'
import { createDatabase } from '../helpers/database.ts'
import { withRecordedStatements } from '../helpers/settlement.ts'

const USERS = 10
const POSTS_PER_USER = 4_000
const NO_CONDITIONS = {
  ...{ organizationId: undefined, statuses: null, postType: null, externalReference: null, states: null },
  ...{ scheduledFrom: null, scheduledBefore: null, createdFrom: null, createdBefore: null, updatedFrom: null },
  ...{ updatedBefore: null, errorCode: null, accountId: null, platform: null },
}
const EVERYTHING = {
  ...{ startTime: 'infinity', startId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
  ...{ endTime: '-infinity', endId: '00000000-0000-0000-0000-000000000000' },
}

t.test('a page with filters is read in the order of an index, and stops when it is full', async (t) => {
  const db = connect({ url: await createDatabase(t) })
  t.teardown(() => db.destroy())
  const userIds = Array.from({ length: USERS }, newId)
  for (const id of userIds) await insertUser(db, { id, name: 'a user' })
  // In turns, as posts of many users are.
  await sql`
    insert into posts (user_id, id, caption, post_type, status, scheduled_at)
    select (${userIds}::uuid[])[1 + number % ${USERS}], gen_random_uuid(), repeat('a', 100), 'post', 'scheduled',
      now() + number * interval '1 minute'
    from generate_series(1, ${USERS * POSTS_PER_USER}) as number`.execute(db)
  await sql`analyze posts`.execute(db)
  for (const source of ['all', 'unpublished', 'scheduled', 'updated'] satisfies PostSource[]) {
    const recorded = withRecordedStatements(db)
    const conditions = { ...NO_CONDITIONS, postType: 'post', statuses: ['scheduled' as const] }
    const query = { source, order: 'desc' as const, hasTargetConditions: false }
    const page = await findPosts(recorded.db, query, {
      ...{ ...conditions, ...EVERYTHING, userId: userIds[0]!, limit: 25 },
    })
    t.equal(page.length, 25)
    // `connect` plans prepared statements without looking at their values.
    const plan = await sql<{
      'QUERY PLAN': string
    }>`explain (generic_plan) ${sql.raw(recorded.statements[0]!)}`.execute(db)
    const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
    t.notMatch(lines, /Sort|Bitmap/, `${source}\n${lines}`)
  }
})
