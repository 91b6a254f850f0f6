import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { checkSchema, migrate, readSchema } from '../../db/migrate.ts'
import { OPEN_STATES } from '../../schemas/delivery-states.ts'
import { copyDatabase } from '../helpers/database.ts'

async function open(t: Test, poolMax = 1) {
  const db = connect({ url: await copyDatabase(t), poolMax })
  t.teardown(() => db.destroy())
  return db
}

/** The functions of the database with their comments, by name. */
async function readFunctions(db: Db): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string; comment: string }>`
    select proname as name, obj_description(oid, 'pg_proc') as comment from pg_proc
    where pronamespace = 'public'::regnamespace order by 1`.execute(db)
  return Object.fromEntries(rows.map(({ name, comment }) => [name, comment]))
}

const isBroken = async (db: Db) =>
  (await sql<{ time: string }>`select api_time(now()) as time`.execute(db)).rows[0]!.time === 'broken'

/** Replaces a function, under the comment of `version`. */
async function breakFunction(db: Db, version: string): Promise<void> {
  await sql`create or replace function api_time(at timestamptz) returns text language sql as $$ select 'broken' $$`.execute(
    db,
  )
  await sql`comment on function api_time is ${sql.lit(`Postroom ${version}, 0000`)}`.execute(db)
}

t.test('every function of the database comes from its file', async (t) => {
  const db = await open(t)
  const files = readdirSync('db/functions').map((file) => file.replace('.sql', ''))
  t.strictSame(Object.keys(await readFunctions(db)), files.sort())
})

t.test('functions know the same open states as the schema', async (t) => {
  const texts = ['write_delivery_events', 'settled_post'].map((name) =>
    readFileSync(`db/functions/${name}.sql`, 'utf8'),
  )
  const lists = texts.flatMap((text) => [...text.matchAll(/ in \(([^()]*'queued'[^()]*)\)/g)].map(([, list]) => list))
  t.strictSame([...new Set(lists)], [OPEN_STATES.map((state) => `'${state}'`).join(', ')])
})

t.test('a function from another file is replaced, and the schema is outdated until then', async (t) => {
  const db = await open(t, 4)
  const before = await readFunctions(db)
  for (const version of ['1.0.0', (await readSchema(db)).version]) {
    await breakFunction(db, version)
    t.hasStrict(await readSchema(db), { state: 'outdated', pending: [], pendingFunctions: ['api_time'] })
    t.strictSame(await Promise.all([migrate(db), migrate(db)]), [[], []], 'simultaneously')
    t.equal(await checkSchema(db), 'ready')
    t.notOk(await isBroken(db))
    t.strictSame(await readFunctions(db), before)
  }
})

t.test('a function without a comment, such as one of a restored copy, is replaced', async (t) => {
  const db = await open(t)
  await sql`comment on function event_actor is null`.execute(db)
  await sql`drop function settled_post`.execute(db)
  t.strictSame((await readSchema(db)).pendingFunctions, ['event_actor', 'settled_post'])
  await migrate(db)
  t.equal(await checkSchema(db), 'ready')
})

t.test('a function of a later version stays', async (t) => {
  const db = await open(t)
  await breakFunction(db, '999.10.0')
  t.equal(await checkSchema(db), 'ready')
  await migrate(db)
  t.ok(await isBroken(db))
})
