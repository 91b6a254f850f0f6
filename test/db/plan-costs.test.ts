import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { Connection } from '../../db/connection.ts'
import { NO_ID, newId } from '../../db/id.ts'
import { preparedStatements } from '../../db/prepared.ts'
import type { PostConditions } from '../../db/queries/find/conditions.ts'
import { findDeliveries } from '../../db/queries/find/deliveries.ts'
import type { DeliverySource } from '../../db/queries/find/delivery-sources.ts'
import { findPosts } from '../../db/queries/find/posts.ts'
import type { PostSource } from '../../db/queries/find/sources.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { readConditions } from '../../src/features/posts/filters.ts'
import { type SweptRequest, sweptOperations } from '../auth/sweep-requests.ts'
import { createConnection, createFuzzWorld } from '../faults/fuzz/caller.ts'
import { IMAGES } from '../faults/fuzz/forms.ts'
import { copyDatabase } from '../helpers/database.ts'
import { readAllEvents } from '../helpers/events.ts'
import { fillWithMonth } from '../helpers/full-month.ts'
import { upload } from '../helpers/upload.ts'

/** Postgres compiles a plan from 100,000 on, which takes longer than the statement. */
const COST_MAX = 20_000

const POST_SOURCES: Record<PostSource, true> = {
  all: true,
  unpublished: true,
  reference: true,
  scheduled: true,
  updated: true,
  words: true,
  account: true,
  troubled: true,
}
const DELIVERY_SOURCES: Record<DeliverySource, true> = {
  all: true,
  troubled: true,
  account: true,
  changed: true,
  scheduled: true,
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

/** The unnamed statements of all operations: each is sent with the examples of the document. */
async function recordUnnamed(t: Test): Promise<string[]> {
  const world = await createFuzzWorld(t)
  const ada = await world.user()
  const organization = await world.organization(ada)
  await world.promote(organization, ada)
  const account = await ada.account('sandbox', { organizationId: organization })
  const tenant = await world.user()
  const { body: file } = await upload(world.app, ada, [['file', IMAGES[0]!]])
  const { body: post } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a', mediaIds: [file.id] })
  const { body: hook } = await ada.call('POST', '/webhooks', { url: 'https://receiver.example' })
  const { id: key } = await createKey(world.db, { userId: ada.id, name: null, expiresAt: null })
  const connection = await createConnection(world, ada, false, 'a')
  const [event] = await readAllEvents(world.db, ada, '')
  const named = {
    account,
    post: post.id,
    media: file.id,
    webhook: hook.id,
    key,
    connection,
    event: event!.id,
    organization,
    tenant: tenant.id,
    tenantOrganization: await world.organization(tenant),
    tenantKey: newId(),
    platform: 'tiktok',
  }
  const statements = new Set<string>()
  const { query } = Connection.prototype
  t.intercept(Connection.prototype, 'query', {
    value(this: Connection, ...args: never[]) {
      statements.add(args[0] as unknown as string)
      return query.apply(this, args)
    },
  })
  const sent = sweptOperations.flatMap(({ requests }) => requests(named))
  const headers = { authorization: `Bearer ${ada.key}` }
  // Deletions come last, so that the others find something.
  for (const { operation, path, body } of sent.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    await world.app.inject({ method: operation.method as 'GET', url: path, headers, ...(body && { payload: body }) })
  }
  return [...statements].filter((text) => /^\s*(?:with|select|insert|update|delete)\b/.test(text))
}

const rankOf = ({ operation: { method } }: SweptRequest) => (method === 'DELETE' ? 2 : method === 'GET' ? 0 : 1)

t.test('no statement has a plan that Postgres would compile, with the data of a month', async (t) => {
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
  const check = async (name: string, text: string, parameters: number) => {
    const cost = await costOf(text, parameters)
    if (cost > COST_MAX) expensive.push(`${name} costs ${Math.round(cost)}: ${text}`)
  }
  for (const [name, compile] of preparedStatements) {
    const { sql, parameters } = compile(db)
    await check(name, sql, parameters.length)
  }
  const unnamed = await recordUnnamed(t)
  for (const text of unnamed) {
    const numbers = text.matchAll(/\$(\d+)/g).map(([, number]) => Number(number))
    await check('an unnamed statement', text, Math.max(0, ...numbers))
  }
  t.ok(unnamed.length > 100, `${unnamed.length} unnamed statements are sent`)
  t.ok(preparedStatements.size > 150, `${preparedStatements.size} statements are known`)
  t.strictSame(expensive, [])
})
