import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { loadMigrations, migrate } from '../../db/migrate.ts'
import { applyMigrations } from '../../db/migration-runner.ts'
import manifest from '../../package.json' with { type: 'json' }
import { generateKey, hashKey, startOfKey } from '../../src/features/auth/key.ts'
import { runService, type Service } from '../helpers/command.ts'
import { copyDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'

/** A database with the schema of Postroom 1.0, and one person in it. */
async function createOutdated(t: Test) {
  const url = await copyDatabase(t, 'template0')
  const db = connect({ url, poolMax: 2 })
  t.teardown(() => db.destroy())
  await applyMigrations(db, Object.fromEntries(Object.entries(await loadMigrations()).slice(0, 7)), () => {})
  const env = { DATABASE_URL: url, CREDENTIALS_KEY: randomBytes(32).toString('base64') }
  // By its own statements: those of today name columns that this schema does not have.
  const user = newId()
  const key = generateKey()
  await sql`insert into users (id, name) values (${user}, 'ada')`.execute(db)
  await sql`insert into api_keys (id, user_id, hash, start) values (${newId()}, ${user}, ${hashKey(key)}, ${startOfKey(key)})`.execute(
    db,
  )
  return { db, env, key }
}

async function runBoth(t: Test, env: Record<string, string>) {
  const serve = await runService('serve', env)
  t.teardown(() => serve.stop('SIGKILL'))
  const worker = await runService('worker', env)
  t.teardown(() => worker.stop('SIGKILL'))
  return { serve, worker }
}

const errorsOf = ({ output }: Service) =>
  output.stderr
    .split('\n')
    .filter((line) => line.includes('"level":50'))
    .map((line) => JSON.parse(line))
    // On a busy machine, a connection may take longer than a request may.
    .filter(({ err }) => !err)
    .map(({ msg }) => msg)

t.test('processes that start before the migration wait for it, say so once, and need no restart', async (t) => {
  const { db, env, key } = await createOutdated(t)
  const { serve, worker } = await runBoth(t, env)
  const send = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${serve.facts.api}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
    return { status: reply.status, code: reply.headers.get('x-error-code'), body: (await reply.json()) as any }
  }
  const outdated = {
    status: 503,
    code: 'schema_outdated',
    body: { error: 'Database schema is not at the version that this service needs' },
  }
  for (let count = 0; count < 3; count++) {
    t.strictSame(await send('GET', '/posts'), outdated)
    t.strictSame(await send('POST', '/posts', { accountIds: [], caption: 'hello' }), outdated)
    t.strictSame(await send('GET', '/../../readyz'), outdated)
  }
  const line = 'the schema of the database is outdated: run `postroom migrate`'
  for (const process of [serve, worker]) {
    await until('the process reports the schema', () => process.output.stderr.includes(line))
  }

  await migrate(db)
  const account = await send('POST', '/accounts', { platform: 'sandbox', credentials: { username: 'ada' } })
  t.equal(account.status, 201)
  const post = await send('POST', '/posts', {
    accountIds: [account.body.id],
    caption: 'hello',
    scheduledAt: '2026-01-01T00:00:00Z',
  })
  await until('the worker publishes', async () => {
    const { body } = await send('GET', `/posts/${post.body.id}`)
    return ['published', 'missed'].includes(body.targets[0].delivery.state)
  })
  for (const process of [serve, worker]) t.strictSame(errorsOf(process), [line])
})

t.test('processes that a later migration leaves behind say so and stop, and others do not start', async (t) => {
  const { db, env } = await createOutdated(t)
  await migrate(db)
  const { serve, worker } = await runBoth(t, env)
  const add = (name: string, servesFrom: string | null) =>
    db.insertInto('schemaMigrations').values({ name, stepsDone: 1, appliedAt: new Date(), servesFrom }).execute()

  await add('9001_expand', null)
  t.equal((await fetch(new URL('/readyz', serve.facts.api))).status, 200, 'a newer schema that serves this version')

  const ends = [serve, worker].map(({ child }) => once(child, 'exit'))
  await add('9002_contract', '999.0.0')
  t.strictSame(await Promise.all(ends), [
    [1, null],
    [1, null],
  ])
  const line = `error: The schema of the database serves Postroom 999.0.0 or newer, and this is ${manifest.version}. Run the newer version`
  for (const { output } of [serve, worker]) {
    await until('the reason is on stderr', () => output.stderr.trim().split('\n').at(-1) === line)
  }
  const late = await runService('worker', env)
  t.teardown(() => late.stop('SIGKILL'))
  await until('a worker that starts later stops', () => late.child.exitCode === 1)
})
