import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { migrate } from '../../db/migrate.ts'
import { insertUser } from '../../db/queries/people.ts'
import { generateKey } from '../../src/features/auth/key.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import {
  assertUnavailable,
  createPerson,
  startService,
  startServiceWithPerson,
  withTableLocked,
} from '../helpers/service.ts'
import { until, untilBlocked } from '../helpers/until.ts'

t.test('cancelled statements, timeouts, a read-only database and too many connections are a 503', async (t) => {
  const { send, create, admin, url, stored } = await startServiceWithPerson(t)
  const database = sql.ref(new URL(url).pathname.slice(1))
  /** Runs `work` with a service whose connections have this setting. */
  const withSetting = async (
    name: string,
    value: string,
    work: (service: Awaited<ReturnType<typeof startService>>) => Promise<void>,
  ) => {
    await sql`alter database ${database} set ${sql.raw(name)} = ${sql.lit(value)}`.execute(admin)
    await work(await startService(t, url))
    await sql`alter database ${database} reset ${sql.raw(name)}`.execute(admin)
  }
  const { key, account } = await createPerson(admin)
  const post = { accountIds: [account] }

  await withTableLocked(admin, 'posts', async () => {
    const reply = create()
    for (const pid of await untilBlocked(admin)) await sql`select pg_cancel_backend(${pid})`.execute(admin)
    assertUnavailable(t, await reply, 'a cancelled statement (57014)')
  })
  await withSetting('statement_timeout', '200ms', async (service) => {
    await withTableLocked(admin, 'posts', async () => {
      assertUnavailable(t, await service.send(key, 'POST', '/posts', post), 'a statement timeout (57014)')
      assertUnavailable(t, await service.send(key, 'GET', '/posts'), 'a statement timeout (57014)')
    })
  })
  await withSetting('lock_timeout', '100ms', async (service) => {
    await withTableLocked(admin, 'posts', async () => {
      assertUnavailable(t, await service.send(key, 'POST', '/posts', post), 'a lock timeout (55P03)')
    })
  })
  await withSetting('default_transaction_read_only', 'on', async (service) => {
    assertUnavailable(t, await service.send(key, 'POST', '/posts', post), 'read-only (25006)')
    t.equal((await service.send(key, 'GET', '/posts')).status, 200, 'reads are served')
  })

  const role = `limited_${newId().replaceAll('-', '')}`
  await sql`create role ${sql.ref(role)} login superuser password 'right'`.execute(admin)
  await sql`alter role ${sql.ref(role)} nosuperuser connection limit 0`.execute(admin)
  t.teardown(() => sql`drop role ${sql.ref(role)}`.execute(admin))
  const limited = new URL(url)
  limited.username = role
  limited.password = 'right'
  const { send: sendLimited } = await startService(t, limited.href)
  assertUnavailable(t, await sendLimited(key, 'GET', '/posts'), 'too many connections (53300)')

  t.strictSame(await stored(), [])
  t.equal((await create()).status, 201)
  t.equal((await send('GET', '/posts')).status, 200)
})

t.test('requests that wait too long for a connection are a 503, the others are served', async (t) => {
  const { send, create, db, stored } = await startServiceWithPerson(t, { poolMax: 1 })
  await db.connection().execute(async () => assertUnavailable(t, await send('GET', '/accounts'), 'no connection'))
  const createUntilServed = () =>
    until('the post is created', () => create(), { isMet: ({ status }) => status !== 503 })
  const replies = await Promise.all(Array.from({ length: 5 }, createUntilServed))
  t.strictSame(
    replies.map(({ status }) => status),
    Array(5).fill(201),
  )
  const ids = (await stored()).map(({ id }) => id)
  for (const { body } of replies) t.ok(ids.includes(body.id), 'every acknowledged post is stored')
})

t.test('an error of a pooler is a 503, a protocol violation that Postgres reports is a 500', async (t) => {
  const message = (type: string, payload: string) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(payload.length + 4)
    return Buffer.concat([Buffer.from(type), length, Buffer.from(payload, 'latin1')])
  }
  const authenticated = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I')])
  for (const [fields, status] of [
    ['SFATAL\0VFATAL\0C08P01\0Mserver conn crashed?\0', 503],
    ['SFATAL\0VFATAL\0C08P01\0Minvalid frontend message type 120\0Fpostgres.c\0L400\0RSocketBackend\0', 500],
  ] as const) {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write(authenticated)
        socket.once('data', () => socket.end(message('E', `${fields}\0`)))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const { send } = await startService(t, `postgresql://a@127.0.0.1:${(server.address() as AddressInfo).port}/x`)
    t.equal((await send(generateKey(), 'GET', '/posts')).status, status)
  }
})

t.test('a commit that may be missing on the synchronous standby is not acknowledged', async (t) => {
  const server = await startOwnPostgres(t, { fsync: 'off' })
  // Writes of the test itself do not wait for the standby, which does not exist.
  const admin = connect({ url: `${server.url}&options=-c%20synchronous_commit%3Dlocal`, poolMax: 1 })
  t.teardown(() => admin.destroy())
  await migrate(admin)
  const { key, account } = await createPerson(admin)
  const post = { accountIds: [account] }
  const { app, db, send } = await startService(t, server.url, { statementTimeoutMs: 1_000 })
  app.get('/test', () => db.transaction().execute((db) => insertUser(db, { id: newId(), name: 'bob' })))
  const { id } = (await send(key, 'POST', '/posts', post)).body
  await sql`alter system set synchronous_standby_names = 'nobody'`.execute(admin)
  await sql`select pg_reload_conf()`.execute(admin)

  /** Cancels all waits for the standby until the response is there. Postgres reports such a commit as successful. */
  const cancelWaits = async <T>(reply: Promise<T>): Promise<T> => {
    let isDone = false
    void reply.finally(() => {
      isDone = true
    })
    for (; !isDone; await sleep(10)) {
      await sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`.execute(admin)
    }
    return reply
  }
  const sendOnAllConnections = () => Promise.all(Array.from({ length: 4 }, () => send(key, 'GET', '/test')))
  await until('all backends apply the setting', () => cancelWaits(sendOnAllConnections()), {
    isMet: (replies) => replies.every(({ status }) => status !== 200),
  })
  for (const [method, path, body] of [
    ['POST', '/posts', post],
    ['DELETE', `/posts/${id}`, undefined],
    ['GET', '/test', undefined],
  ] as const) {
    assertUnavailable(t, await cancelWaits(send(key, method, path, body)), `${method} ${path}`)
  }
  t.equal((await send(key, 'GET', '/posts')).status, 200, 'the connection stays usable')

  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'one' }
  const createOnce = () => app.inject({ method: 'POST', url: '/api/v1/posts', headers, payload: post })
  for (const name of ['with a key', 'again, when the response is stored locally']) {
    const reply = await cancelWaits(createOnce().then((reply) => reply))
    assertUnavailable(t, { status: reply.statusCode, body: reply.json() }, name)
  }

  assertUnavailable(t, await send(key, 'POST', '/posts', post), 'a standby that does not respond in time')
})

t.test('each 503 says when to try again', async (t) => {
  const { app } = await startService(t, 'postgresql://nobody@127.0.0.1:1/missing')
  const requests = [
    { method: 'GET', url: '/api/v1/posts', headers: { authorization: `Bearer ${generateKey()}` } },
    { method: 'GET', url: '/readyz' },
    {
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'grant_type=refresh_token&refresh_token=a&client_id=00000000-0000-4000-8000-000000000000',
    },
  ] as const
  const replies = await Promise.all(requests.map((request) => app.inject(request)))
  t.strictSame(
    replies.map(({ statusCode, headers }) => [statusCode, headers['retry-after']]),
    Array(3).fill([503, '1']),
  )
})
