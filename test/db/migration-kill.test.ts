import { once } from 'node:events'
import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { checkSchema, loadMigrations, MIGRATION_NAMES } from '../../db/migrate.ts'
import { applyMigrations } from '../../db/migration-runner.ts'
import { postroom, spawnPostroom } from '../helpers/command.ts'
import { copyDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'

t.test('a migration that is killed while it waits for a table is completed by the next one', async (t) => {
  const url = await copyDatabase(t, 'template0')
  const db = connect({ url, poolMax: 2 })
  t.teardown(() => db.destroy())
  await applyMigrations(db, Object.fromEntries(Object.entries(await loadMigrations()).slice(0, 7)), () => {})

  await db.transaction().execute(async (dump) => {
    await sql`lock table accounts in access share mode`.execute(dump)
    const child = spawnPostroom(['migrate'], { DATABASE_URL: url })
    const exited = once(child, 'exit')
    t.teardown(() => child.kill('SIGKILL'))
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    await until('the migration waits for the table', () => stderr)
    t.equal(
      stderr,
      '0008_network_waits waits for a table that another transaction uses, and tries again until it is free\n',
    )
    child.kill('SIGKILL')
    await exited
    const [row] = await db.selectFrom('schemaMigrations').selectAll().where('name', '=', '0008_network_waits').execute()
    t.match(row, { stepsDone: 1, appliedAt: null }, 'the first step is done')
  })
  t.equal(await checkSchema(db), 'outdated')

  const { code, stdout, stderr } = await postroom(['migrate', '--json'], { DATABASE_URL: url })
  t.equal(code, 0, stderr)
  t.strictSame(JSON.parse(stdout), { applied: MIGRATION_NAMES.slice(7) })
  t.equal(await checkSchema(db), 'ready')
})
