import { type Kysely, sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import { Connection } from '../../db/connection.ts'
import { concurrentIndex, type Migration } from '../../db/migration.ts'
import { applyMigrations } from '../../db/migration-runner.ts'
import { copyDatabase } from '../helpers/database.ts'
import { collectProblems } from '../helpers/problems.ts'
import { until, untilBlocked } from '../helpers/until.ts'

const THINGS: Migration = {
  steps: [
    (db) => sql`create table things (id integer primary key, name text not null)`.execute(db),
    (db) => sql`insert into things select n, 'thing ' || n from generate_series(1, 1000) n`.execute(db),
  ],
}
const MIGRATIONS: Record<string, Migration> = {
  '0001_things': THINGS,
  '0002_index': { steps: [concurrentIndex('things_name', sql`things (name)`, { unique: true })] },
  '0003_more': {
    steps: [
      (db) => sql`alter table things add column size integer`.execute(db),
      (db) => sql`create table others (id integer primary key)`.execute(db),
    ],
    servesFrom: '1.0.0',
  },
}

async function openEmpty(t: Test) {
  const url = await copyDatabase(t, 'template0')
  const open = (poolMax = 1) => {
    const db = connect({ url, poolMax })
    t.teardown(() => db.destroy())
    return db
  }
  return { open, admin: open(2) }
}

const run = (db: Db, migrations = MIGRATIONS, lines: string[] = []) =>
  applyMigrations(db, migrations, (line) => lines.push(line))

const columnsIn = async (db: Db) => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_name in ('things', 'others') order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

const indexState = async (db: Db) => {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass('things_name')`.execute(db)
  return rows[0]?.valid
}

/** Reads what the migrations left in a database. */
async function readMigrated(db: Db) {
  const { rows: things } = await sql`select count(*)::integer as count from things`.execute(db)
  const history = await db.selectFrom('schemaMigrations').selectAll().orderBy('name').execute()
  return {
    columns: await columnsIn(db),
    isIndexed: await indexState(db),
    things,
    history: history.map(({ name, stepsDone, appliedAt, servesFrom }) => [
      name,
      stepsDone,
      appliedAt instanceof Date,
      servesFrom,
    ]),
  }
}

/** All of MIGRATIONS are applied, each once. */
const MIGRATED = {
  columns: ['others.id', 'things.id', 'things.name', 'things.size'],
  isIndexed: true,
  things: [{ count: 1000 }],
  history: [
    ['0001_things', 2, true, null],
    ['0002_index', 1, true, null],
    ['0003_more', 2, true, '1.0.0'],
  ],
}

t.test('a run that loses its connection after any statement is completed by the next run', async (t) => {
  const { query } = Connection.prototype
  t.teardown(() => {
    Connection.prototype.query = query
  })
  const { problems, check } = collectProblems()
  let cuts = 0
  for (let cutAfter = 1, isWhole = false; !isWhole; cutAfter++) {
    const { open } = await openEmpty(t)
    let sent = 0
    // As if the process were killed: Postgres has carried the statement out, and sees the end of the connection.
    Connection.prototype.query = async function (this: Connection, ...args: never[]) {
      const result = await query.apply(this, args)
      if (++sent === cutAfter) this.destroy()
      return result
    } as never
    isWhole = await run(open()).then(
      () => sent < cutAfter,
      () => false,
    )
    Connection.prototype.query = query
    const db = open()
    await run(db)
    check(await readMigrated(db), MIGRATED, `cut after statement ${cutAfter}`)
    cuts = cutAfter
  }
  t.strictSame(problems, [])
  t.ok(cuts > 20, 'every statement was the last one once')
})

t.test('several runs at once apply each migration once', async (t) => {
  const { open, admin } = await openEmpty(t)
  const applied = await Promise.all([1, 2, 3].map(() => run(open())))
  t.strictSame(applied.flat().toSorted(), Object.keys(MIGRATIONS))
  t.strictSame(await readMigrated(admin), MIGRATED, 'three runs')
})

t.test('a run that waits for another one does not hold up its index', async (t) => {
  const { open, admin } = await openEmpty(t)
  await run(admin, { '0001_things': THINGS })
  const first = await admin.connection().execute(async (other) => {
    await sql`begin isolation level repeatable read`.execute(other)
    await sql`select 1`.execute(other)
    const first = run(open())
    await untilBlocked(admin)
    return { first, second: await waitingRun(open()), end: await sql`commit`.execute(other) }
  })
  t.strictSame(await first.first, ['0002_index', '0003_more'])
  t.strictSame(await first.second.applied, [])
  t.strictSame(await readMigrated(admin), MIGRATED, 'the second run waited')
})

/** Starts a run, and returns it when it waits for another one. */
async function waitingRun(db: Db) {
  const lines: string[] = []
  const applied = run(db, MIGRATIONS, lines)
  await until('the run waits for the other one', () => lines.length > 0)
  return { applied }
}

t.test('an index whose build was interrupted is dropped and built again', async (t) => {
  const { open, admin } = await openEmpty(t)
  await run(admin, { '0001_things': THINGS })
  await admin.connection().execute(async (other) => {
    await sql`begin isolation level repeatable read`.execute(other)
    await sql`select 1`.execute(other)
    const interrupted = t.rejects(run(open()))
    const [pid] = await untilBlocked(admin)
    await sql`select pg_terminate_backend(${pid})`.execute(admin)
    await interrupted
    await sql`commit`.execute(other)
  })
  t.equal(await indexState(admin), false, 'the interrupted build leaves an invalid index')
  await run(open())
  t.strictSame(await readMigrated(admin), MIGRATED, 'after the second run')
})

t.test('a table that a transaction uses is waited for without holding up others', async (t) => {
  const { open, admin } = await openEmpty(t)
  await run(admin, { '0001_things': THINGS })
  const lines: string[] = []
  const { applied } = await admin.transaction().execute(async (dump) => {
    // A dump holds this lock until its end.
    await sql`lock table things in access share mode`.execute(dump)
    const applied = run(open(), { '0001_things': THINGS, '0003_more': MIGRATIONS['0003_more']! }, lines)
    await until('the migration tries again', () => lines.length > 0)
    // Behind a lock that is waited for without a limit, this would wait for the dump.
    await admin.connection().execute(async (request) => {
      await sql`set statement_timeout = '20s'`.execute(request)
      for (let count = 0; count < 20; count++) await sql`select from things limit 1`.execute(request)
      await sql`reset statement_timeout`.execute(request)
    })
    return { applied }
  })
  t.strictSame(await applied, ['0003_more'])
  t.match(lines, [/^0003_more waits for a table/])
})

t.test('a step may take longer than the database allows a statement', async (t) => {
  const { open, admin } = await openEmpty(t)
  const limit = '2s'
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(admin)
  await sql`alter database ${sql.ref(rows[0]!.name)} set statement_timeout = ${sql.lit(limit)}`.execute(admin)
  const slow: Migration = { steps: [(db) => sql`select pg_sleep(2.5)`.execute(db)] }
  const db = open()
  t.strictSame((await sql`show statement_timeout`.execute(db)).rows, [{ statementTimeout: limit }])
  t.strictSame(await run(db, { '0001_slow': slow }), ['0001_slow'])
})

t.test('a step that deadlocks with another transaction runs again', async (t) => {
  const { open, admin } = await openEmpty(t)
  const others = (db: Kysely<unknown>) => sql`create table others (id integer)`.execute(db)
  await run(admin, { '0001_things': THINGS, '0002_others': { steps: [others] } })
  let attempts = 0
  const both: Migration = {
    steps: [
      async (db) => {
        attempts++
        // Longer than it takes Postgres to detect a deadlock.
        await sql`set local lock_timeout = '1min'`.execute(db)
        await sql`alter table things add column color text`.execute(db)
        await sql`alter table others add column color text`.execute(db)
      },
    ],
  }
  const { applied } = await admin.transaction().execute(async (worker) => {
    // The other order. The worker waits for longer before it looks for a deadlock, so that the migration is the victim.
    await sql`set local deadlock_timeout = '1min'`.execute(worker)
    await sql`lock table others in row exclusive mode`.execute(worker)
    const applied = run(open(), { '0001_things': THINGS, '0002_others': { steps: [others] }, '0003_both': both })
    await untilBlocked(admin)
    await sql`lock table things in row exclusive mode`.execute(worker)
    return { applied }
  })
  t.strictSame(await applied, ['0003_both'])
  t.ok(attempts > 1)
})
