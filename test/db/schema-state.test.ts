import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect } from '../../db/client.ts'
import { checkSchema, loadMigrations, migrate, MIGRATION_NAMES as NAMES, readSchema } from '../../db/migrate.ts'
import { applyMigrations } from '../../db/migration-runner.ts'
import manifest from '../../package.json' with { type: 'json' }
import { copyDatabase } from '../helpers/database.ts'

const RELEASED = Object.fromEntries(Object.entries(await loadMigrations()).slice(0, 7))

async function open(t: Test, template?: string) {
  const db = connect({ url: await copyDatabase(t, template), poolMax: 1 })
  t.teardown(() => db.destroy())
  return db
}

const addMigration = (name: string, servesFrom: string | null) => ({
  name,
  stepsDone: 1,
  appliedAt: new Date(),
  servesFrom,
})

t.test('a schema that lacks a migration, or a step of one, is outdated', async (t) => {
  const db = await open(t, 'template0')
  t.equal(await checkSchema(db), 'outdated', 'an empty database')
  await applyMigrations(db, RELEASED, () => {})
  t.hasStrict(await readSchema(db), {
    state: 'outdated',
    version: manifest.version,
    applied: NAMES.slice(0, 7),
    pending: NAMES.slice(7),
  })
  t.strictSame(await migrate(db), NAMES.slice(7))
  t.equal(await checkSchema(db), 'ready')
  t.strictSame(await migrate(db), [], 'nothing is left')

  await db.updateTable('schemaMigrations').set({ appliedAt: null }).where('name', '=', NAMES.at(-1)!).execute()
  t.equal(await checkSchema(db), 'outdated')
})

t.test('a schema with newer migrations is ready until one of them needs newer code', async (t) => {
  const db = await open(t)
  await db.insertInto('schemaMigrations').values(addMigration('9001_expand', null)).execute()
  t.equal(await checkSchema(db), 'ready')
  await db.insertInto('schemaMigrations').values(addMigration('9002_contract', manifest.version)).execute()
  t.hasStrict(await readSchema(db), {
    state: 'ready',
    newer: ['9001_expand', '9002_contract'],
    servesFrom: manifest.version,
  })
  t.strictSame(await migrate(db), [], 'older code has nothing to apply')

  // Numbers, not text: version 10 is newer than version 9.
  for (const version of ['999.9.0', '999.10.0']) {
    await db
      .insertInto('schemaMigrations')
      .values(addMigration(`9_${version}`, version))
      .execute()
  }
  t.hasStrict(await readSchema(db), { state: 'too_new', servesFrom: '999.10.0' })
  await t.rejects(migrate(db), {
    message: `The schema of the database serves Postroom 999.10.0 or newer, and this is ${manifest.version}. Run the newer version`,
  })
})

t.test('migrate refuses to apply a migration that a newer version has skipped', async (t) => {
  const db = await open(t)
  await db.deleteFrom('schemaMigrations').where('name', '=', NAMES.at(-1)!).execute()
  await db.insertInto('schemaMigrations').values(addMigration('9001_other', null)).execute()
  await t.rejects(migrate(db), { message: /has 00\S+, which another version has skipped when it applied 9001_other/ })
})

t.test('the history of Postroom 1.0 is taken over, and stays as it is for processes of 1.0', async (t) => {
  const db = await open(t, 'template0')
  await applyMigrations(db, RELEASED, () => {})
  await sql`drop table schema_migrations`.execute(db)
  await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(db)
  for (const name of NAMES.slice(0, 7)) {
    await sql`insert into kysely_migration values (${name}, '2026-11-21T20:49:15.123Z')`.execute(db)
  }
  t.hasStrict(await readSchema(db), { state: 'outdated', applied: NAMES.slice(0, 7), pending: NAMES.slice(7) })
  t.strictSame(await migrate(db), NAMES.slice(7))
  t.equal(await checkSchema(db), 'ready')
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  t.strictSame(
    rows.map(({ name }) => name),
    NAMES.slice(0, 7),
    'which /readyz of 1.0 compares with its own list',
  )
  const taken = await db
    .selectFrom('schemaMigrations')
    .select('appliedAt')
    .where('name', '=', NAMES[0]!)
    .executeTakeFirst()
  t.strictSame(taken?.appliedAt, new Date('2026-11-21T20:49:15.123Z'))
})
