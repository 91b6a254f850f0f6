import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertUser } from '../../db/queries/people.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase, urlOf } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'

/** Settings that a role or a database may have. Each changes how Postgres writes or reads values, or what it locks. */
const SETTINGS: Record<string, string> = {
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  timezone: 'Asia/Kathmandu',
  bytea_output: 'escape',
  extra_float_digits: '0',
  standard_conforming_strings: 'off',
  default_transaction_isolation: 'serializable',
  lc_messages: 'C',
}

t.test('posts are created, listed and published whatever settings the role has', async (t) => {
  const DATABASE_URL = await createDatabase(t)
  const db = connect({ url: DATABASE_URL })
  t.teardown(() => db.destroy())
  const id = newId()
  await insertUser(db, { id, name: 'Ada' })
  const { key } = await createKey(db, { userId: id, name: null, expiresAt: null })
  const name = sql.ref(new URL(DATABASE_URL).pathname.slice(1))
  for (const [setting, value] of Object.entries(SETTINGS)) {
    await sql`alter database ${name} set ${sql.ref(setting)} = ${sql.lit(value)}`.execute(db)
  }

  const env = { DATABASE_URL, CREDENTIALS_KEY: randomBytes(32).toString('base64') }
  const [serve, worker] = await Promise.all([runService('serve', env), runService('worker', env)])
  t.teardown(() => Promise.all([serve, worker].map((service) => service.stop('SIGKILL'))))
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(`${serve.facts.api}${path}`, { method, headers, body: JSON.stringify(body) ?? null })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
    return (await response.json()) as any
  }
  const account = await call('POST', '/accounts', { platform: 'sandbox', credentials: { username: 'ada' } })
  const scheduledAt = '2025-02-03T04:05:06.789Z'
  const post = await call('POST', '/posts', { accountIds: [account.id], caption: 'back\\slash', scheduledAt })
  const read = () => call('GET', `/posts/${post.id}`)
  const published = await until('the post is published', read, { isMet: ({ status }) => status === 'published' })
  t.equal(published.caption, 'back\\slash')
  const { data } = await call('GET', '/posts')
  t.strictSame([data.length, data[0].id, data[0].scheduledAt], [1, post.id, scheduledAt])
  t.notMatch(worker.output.stderr, /"level":[456]0/)
})

t.test(
  'pg_stat_activity tells serve from worker and from commands, unless the URL names the connections',
  async (t) => {
    const url = await createDatabase(t)
    const named = new URL(url)
    named.searchParams.set('application_name', 'mine')
    const env = { DATABASE_URL: url, CREDENTIALS_KEY: randomBytes(32).toString('base64') }
    const services = await Promise.all([
      runService('serve', env),
      runService('worker', env),
      runService('worker', { ...env, DATABASE_URL: named.href }),
    ])
    t.teardown(() => Promise.all(services.map((service) => service.stop('SIGKILL'))))
    const db = connect({ url: urlOf(new URL(url).pathname.slice(1)), applicationName: 'test' })
    t.teardown(() => db.destroy())
    const readNames = async () => {
      // An idle connection is closed.
      await fetch(new URL('/readyz', services[0]!.facts.api))
      const { rows } = await sql<{ name: string }>`
      select distinct application_name as name from pg_stat_activity
      where datname = current_database() and application_name <> 'test' order by 1`.execute(db)
      return rows.map((row) => row.name).join()
    }
    await until('all are connected', readNames, { isMet: (names) => names === 'mine,postroom serve,postroom worker' })
  },
)
