import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { NO_ID, newId } from '../../db/id.ts'
import { preparedStatements } from '../../db/prepared.ts'
import type { PostConditions } from '../../db/queries/find/conditions.ts'
import { findDeliveries } from '../../db/queries/find/deliveries.ts'
import type { DeliverySource } from '../../db/queries/find/delivery-sources.ts'
import { findPosts } from '../../db/queries/find/posts.ts'
import type { PostSource } from '../../db/queries/find/sources.ts'
import { readConditions } from '../../src/posts/filters.ts'
import { copyDatabase } from '../helpers/database.ts'
import { fillWithMonth } from '../helpers/full-month.ts'

/** Postgres compiles a plan from 100,000 on, which takes longer than the statement. */
const COST_MAX = 20_000

const POST_SOURCES: Record<PostSource, true> = {
  ...{ all: true, unpublished: true, reference: true, scheduled: true, updated: true },
  ...{ words: true, account: true, troubled: true },
}
const DELIVERY_SOURCES: Record<DeliverySource, true> = {
  ...{ all: true, troubled: true, account: true, changed: true, scheduled: true },
}

/** Prepares lists with filters: each set of filters has a statement of its own. */
async function prepareLists(db: Db): Promise<void> {
  const none = readConditions({ userId: newId(), rights: { scopes: null, accountIds: null } }, {})
  const base: PostConditions = {
    ...none,
    statuses: ['draft'],
    externalReference: 'a',
    words: ['a'],
    accountId: newId(),
  }
  const variants: Partial<PostConditions>[] = [
    {},
    { states: ['failed'], errorCode: 'timeout' },
    { organizationId: newId(), isMarked: true },
    { organizationId: newId(), listedAccountIds: [newId()], createdFrom: new Date() },
  ]
  const ends = { startTime: 'infinity', startId: newId(), endTime: '-infinity', endId: NO_ID }
  for (const variant of variants) {
    const values = { ...base, ...variant, ...ends, limit: 25 }
    for (const source of Object.keys(POST_SOURCES) as PostSource[]) {
      // The words of the posts of an organisation are no index of their own.
      if (source === 'words' && variant.organizationId) continue
      for (const order of ['asc', 'desc'] as const) await findPosts(db, { source, order }, values)
    }
    const place = { afterTime: 'infinity', afterPostId: newId(), afterAccountId: newId() }
    for (const source of Object.keys(DELIVERY_SOURCES) as DeliverySource[])
      await findDeliveries(db, source, { ...values, ...place })
  }
}

t.test('no prepared statement has a plan that Postgres would compile, with the data of a month', async (t) => {
  for (const file of globSync('db/queries/**/*.ts')) await import(resolve(file))
  const url = await copyDatabase(t)
  const db = connect({ url, poolMax: 1 })
  const client = new pg.Client(url)
  await client.connect()
  t.teardown(() => Promise.all([db.destroy(), client.end()]))
  await fillWithMonth(db)
  await prepareLists(db)

  /** The estimated cost of the plan that Postgres uses for all values. */
  async function costOf(text: string, parameters: number): Promise<number> {
    await client.query(`prepare statement as ${text}`)
    const values = parameters > 0 ? `(${Array(parameters).fill('null').join()})` : ''
    const { rows } = await client.query(`explain (format json) execute statement${values}`)
    await client.query('deallocate statement')
    return rows[0]['QUERY PLAN'][0].Plan['Total Cost']
  }

  await client.query('set plan_cache_mode = force_generic_plan')
  const expensive: string[] = []
  for (const [name, compile] of preparedStatements) {
    const { sql, parameters } = compile(db)
    const cost = await costOf(sql, parameters.length)
    if (cost > COST_MAX) expensive.push(`${name} costs ${Math.round(cost)}: ${sql}`)
  }
  t.ok(preparedStatements.size > 150, `${preparedStatements.size} statements are known`)
  t.strictSame(expensive, [])
})
