import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { listPosts } from '../../db/queries/posts/list.ts'
import { CURSOR_OF_FIRST_PAGE } from '../../schemas/shared.ts'
import { REQUEST_STATEMENT_MS } from '../../src/run/runtime/database.ts'
import { createFolder } from '../helpers/app.ts'
import { postroom, runService } from '../helpers/command.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import { missingPooler, openPooler } from '../helpers/pooler.ts'
import { createPerson } from '../helpers/service.ts'
import { openTcpProxy } from '../helpers/tcp-proxy.ts'
import { until } from '../helpers/until.ts'
import { put, videoOf } from '../media/upload-scene.ts'

const MIB = 2 ** 20
const TRANSACTIONS = { pool_mode: 'transaction' }
/** PgBouncer before 1.21 cannot pass them on. */
const preparedStatements = false

const readSettings = sql<{ limit: string; idle: string; jit: string }>`
  select current_setting('statement_timeout') as limit, current_setting('jit') as jit,
    current_setting('idle_in_transaction_session_timeout') as idle`

t.test('behind a pooler', { skip: missingPooler }, async (t) => {
  const server = await startOwnPostgres(t)
  const admin = connect({ url: server.url, poolMax: 2 })
  t.teardown(() => admin.destroy())
  await migrate(admin)

  for (const [what, settings] of [
    ['refuses settings', TRANSACTIONS],
    [
      'drops settings',
      { ...TRANSACTIONS, ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout,jit' },
    ],
  ] as const) {
    await t.test(`that ${what}, statements have their limits, and other clients do not`, async (t) => {
      // One connection to the server, so that every client gets the same one.
      const pooler = await openPooler(server.url, { ...settings, default_pool_size: '1' })
      t.teardown(pooler.close)
      const db = connect({ url: pooler.url, poolMax: 2, preparedStatements, statementTimeoutMs: REQUEST_STATEMENT_MS })
      const other = connect({ url: pooler.url, poolMax: 1, preparedStatements })
      t.teardown(() => Promise.all([db.destroy(), other.destroy()]))
      const limits = { limit: `${REQUEST_STATEMENT_MS}ms`, jit: 'off', idle: `${REQUEST_STATEMENT_MS}ms` }
      for (const round of ['first', 'second']) {
        t.strictSame((await readSettings.execute(db)).rows, [limits], `${round} statement`)
        t.strictSame(
          await db.transaction().execute(async (db) => {
            await sql`select ${1}::integer`.execute(db)
            return (await readSettings.execute(db)).rows
          }),
          [limits],
          `${round} transaction`,
        )
        t.match((await readSettings.execute(other)).rows, [{ limit: '0', idle: '0' }], 'another client')
      }
      await t.rejects(sql`select pg_sleep(600)`.execute(db), { code: '57014' }, 'Postgres ends a long statement')
      await t.rejects(sql`select 1 / ${0}::integer`.execute(db), { code: '22012' })
      t.strictSame((await readSettings.execute(db)).rows, [limits], 'after an error')
    })
  }

  await t.test(
    'that loses prepared statements, none are used after the first loss, and the operator is told',
    async (t) => {
      const pooler = await openPooler(server.url, { ...TRANSACTIONS, default_pool_size: '2' })
      t.teardown(pooler.close)
      let told = 0
      const onNamesLost = () => void told++
      const db = connect({ url: pooler.url, poolMax: 4, statementTimeoutMs: REQUEST_STATEMENT_MS, onNamesLost })
      t.teardown(() => db.destroy())
      const page = { userId: randomUUID(), limit: 1, offset: 0, cursor: CURSOR_OF_FIRST_PAGE }
      for (let round = 0; round < 5; round++) {
        t.strictSame(await Promise.all(Array.from({ length: 8 }, () => listPosts(db, page))), Array(8).fill([]))
      }
      t.equal(told, 1)
      const env = { DATABASE_URL: pooler.url, CREDENTIALS_KEY: randomBytes(32).toString('base64') }
      const { code, stdout } = await postroom(['doctor'], env)
      t.equal(code, 0)
      t.match(stdout, /loses prepared statements.*set DATABASE_PREPARED_STATEMENTS=off/)
    },
  )

  await t.test('far away, the service serves and publishes', async (t) => {
    const pooler = await openPooler(server.url, TRANSACTIONS)
    t.teardown(pooler.close)
    const link = await openTcpProxy(pooler.url)
    t.teardown(async () => link.close())
    const { key } = await createPerson(admin)
    link.delay(150)
    const env = {
      DATABASE_URL: link.url,
      DATABASE_PREPARED_STATEMENTS: 'off',
      CREDENTIALS_KEY: randomBytes(32).toString('base64'),
      MEDIA_DIR: await createFolder(t),
      MEDIA_QUOTA: '100000000',
    }
    const [serve, worker] = await Promise.all([runService('serve', env), runService('worker', env)])
    t.teardown(() => Promise.all([serve, worker].map((service) => service.stop('SIGKILL'))))
    const call = async (method: string, path: string, body?: object, more?: object) => {
      const headers = { authorization: `Bearer ${key}`, ...more, ...(body && { 'content-type': 'application/json' }) }
      const response = await fetch(`${serve.facts.api}${path}`, { method, headers, body: JSON.stringify(body) ?? null })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
      return { status: response.status, body: (await response.json()) as any }
    }
    await until('the service has connected', async () => (await call('GET', '/posts')).status === 200)
    const credentials = { username: 'ada' }
    const account = await call('POST', '/accounts', { platform: 'sandbox', credentials })
    t.equal(account.status, 201)
    const scheduledAt = new Date().toISOString()
    const post = await call('POST', '/posts', { accountIds: [account.body.id], caption: 'far', scheduledAt })
    t.equal(post.status, 201)
    const read = () => call('GET', `/posts/${post.body.id}`)
    await until('the post is published', read, { isMet: ({ body }) => body.status === 'published' })
    t.equal((await call('GET', '/posts?include=targets')).status, 200)

    const video = videoOf(9 * MIB)
    const request = { fileName: 'clip.mp4', bytes: video.length, sha256: randomBytes(32).toString('hex') }
    const headers = { 'idempotency-key': 'one' }
    const unchecked = await call('POST', '/media/uploads', request, headers)
    t.equal(unchecked.status, 201)
    t.equal((await call('POST', '/media/uploads', request, headers)).status, 201)
    const checksum = await put(unchecked.body.uploadUrl, video)
    t.hasStrict(checksum, { status: 400, code: 'upload_checksum' })
    const { uploadUrl } = (await call('POST', '/media/uploads', { fileName: 'clip.mp4' })).body
    const [first, second] = [`bytes 0-${MIB - 1}/${video.length}`, `bytes ${MIB}-${video.length - 1}/${video.length}`]
    t.hasStrict(await put(uploadUrl, video.subarray(0, MIB), first), { status: 200, offset: String(MIB) })
    t.hasStrict(await put(uploadUrl, video.subarray(MIB), second), { status: 200, complete: '?1' })

    const doctor = await postroom(['doctor'], env)
    t.match(
      doctor.stdout,
      /PostgreSQL .* responds in \d+ ms, and a round trip takes \d+ ms; a pooler drops the settings/,
    )
  })
})
