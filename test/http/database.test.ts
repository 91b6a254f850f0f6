import { once } from 'node:events'
import fs from 'node:fs'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { withDatabaseBudget } from '../../db/budget.ts'
import { type ConnectOptions, connect, type Db } from '../../db/client.ts'
import { openEmbedded } from '../../db/embedded/server.ts'
import { newId } from '../../db/id.ts'
import { migrate } from '../../db/migrate.ts'
import { insertAccount } from '../../db/queries/accounts.ts'
import { insertUser } from '../../db/queries/people.ts'
import { SQLSTATE } from '../../db/sqlstate.ts'
import { buildApp } from '../../src/app.ts'
import { createKey } from '../../src/auth/create-key.ts'
import { generateKey } from '../../src/auth/key.ts'
import { deletePost } from '../../src/posts/delete.ts'
import { REQUEST_STATEMENT_MS } from '../../src/runtime/database.ts'
import { createLoggerOptions, serializeError } from '../../src/runtime/logging.ts'
import { call, mediaOptions, networkOptions, type Reply } from '../helpers/app.ts'
import { createDatabase } from '../helpers/database.ts'
import { processesOf } from '../helpers/processes.ts'
import { openTcpProxy } from '../helpers/tcp-proxy.ts'

/** As the service has it. */
const LIMITED = { statementTimeoutMs: REQUEST_STATEMENT_MS }

const NO_DATABASE = { status: 503, body: { error: 'Database not available' } }

/** The service on the database at `url`, with connections of its own; `log` is all that it logs. */
async function serve(t: Test, url: string, options: Partial<ConnectOptions> = {}) {
  const log: string[] = []
  const db = connect({ url, poolMax: 4, ...options })
  const stream = { write: (line: string) => log.push(line) }
  const app = await buildApp({
    db,
    logger: { ...((await createLoggerOptions('trace')) as object), stream },
    corsOrigins: [],
    media: mediaOptions('.'),
    ...networkOptions(db),
  })
  t.teardown(async () => {
    await app.close()
    await db.destroy()
  })
  const ask = async (key: string, ...request: [method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown]) => {
    const { status, body } = await call(app, key, ...request)
    return { status, body }
  }
  return { app, db, log, ask }
}

/** A user with an account, made through `db`. */
async function createPerson(db: Db) {
  const id = newId()
  await insertUser(db, { id, name: 'ada' })
  const { key } = await createKey(db, { userId: id, name: null, expiresAt: null })
  const account = { id: newId(), platform: 'bluesky' as const, username: 'ada', displayName: null, userId: id }
  await insertAccount(db, { ...account, organizationId: null })
  return { id, key, account: account.id }
}

/** The service with one person in it, and a second connection to its database, as a superuser has it. */
async function createTarget(t: Test, options: Partial<ConnectOptions> = {}) {
  const url = await createDatabase(t)
  const admin = connect({ url, poolMax: 2 })
  t.teardown(() => admin.destroy())
  const person = await createPerson(admin)
  const service = await serve(t, url, options)
  const ask = (...request: [method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown]) =>
    service.ask(person.key, ...request)
  const create = (caption = 'hello') => ask('POST', '/posts', { accountIds: [person.account], caption })
  const stored = () => admin.selectFrom('posts').select(['id', 'caption']).execute()
  return { ...service, ...person, url, admin, ask, create, stored }
}

/** Waits until `count` connections of the service wait for a lock, and gives their backends. */
async function waitingBackends(admin: Db, count = 1): Promise<number[]> {
  for (;;) {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(admin)
    if (rows.length >= count) return rows.map(({ pid }) => pid)
    await sleep(10)
  }
}

/** Keeps a table locked while `work` runs, so that each statement on it waits. */
async function whileLocked<T>(admin: Db, table: string, work: () => Promise<T>): Promise<T> {
  return admin.transaction().execute(async (transaction) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction)
    return work()
  })
}

function isUnavailable(t: Test, reply: Pick<Reply, 'status' | 'body'>, name: string) {
  t.strictSame(reply, NO_DATABASE, name)
}

t.test('backends that die while nobody uses them are replaced', async (t) => {
  const { ask, create, admin } = await createTarget(t)
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 4 }, () => ask('GET', '/posts')))
    // It waits until they have ended: one that takes longer would be met by the last request.
    await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(admin)
    if (round % 2 === 0) await sleep(50)
    for (const reply of await Promise.all(Array.from({ length: 8 }, () => create()))) {
      if (reply.status !== 201) isUnavailable(t, reply, 'a request that met a dying backend')
    }
    t.equal((await ask('GET', '/posts')).status, 200)
  }
})

t.test('a backend that dies in the middle of a statement is 503, and nothing is stored', async (t) => {
  const { ask, create, admin, stored } = await createTarget(t)
  const { id } = (await create('first')).body
  await whileLocked(admin, 'posts', async () => {
    const replies = [create('second'), ask('GET', '/posts'), ask('DELETE', `/posts/${id}`)]
    for (const pid of await waitingBackends(admin, 3)) await sql`select pg_terminate_backend(${pid})`.execute(admin)
    for (const reply of await Promise.all(replies)) isUnavailable(t, reply, 'terminated')
  })
  t.strictSame(await stored(), [{ id, caption: 'first' }])
  t.equal((await ask('GET', '/posts')).status, 200)
})

t.test('a backend that dies between two statements of a transaction is 503', async (t) => {
  const { app, ask, db, admin } = await createTarget(t)
  app.get('/test', () =>
    db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(admin)
      await sleep(50)
      return (await sql`select 1`.execute(transaction)).rows
    }),
  )
  for (let round = 0; round < 5; round++) isUnavailable(t, await ask('GET', '/test'), `round ${round}`)
  t.equal((await ask('GET', '/posts')).status, 200)
})

t.test('a connection on which a backend has said its last word is handed to nobody else', async (t) => {
  const { db, admin } = await createTarget(t, { poolMax: 1 })
  await whileLocked(admin, 'posts', async () => {
    const dying = sql`select from posts`.execute(db)
    const next = sql`select 1 as n`.execute(db)
    const both = Promise.allSettled([dying, next])
    for (const pid of await waitingBackends(admin)) await sql`select pg_terminate_backend(${pid})`.execute(admin)
    t.hasStrict(await both, [{ reason: { code: SQLSTATE.ADMIN_SHUTDOWN } }, { value: { rows: [{ n: 1 }] } }])
  })
})

t.test('a connection on which a statement may still run is handed to nobody else', async (t) => {
  const { db } = await createTarget(t, { poolMax: 1 })
  const backend = async () =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows.map(({ pid }) => pid)
  const before = await backend()
  // The time of the one who asked is over, and not that of the statement.
  await t.rejects(
    withDatabaseBudget({ remainingMs: 200 }, () => sql`select pg_sleep(3)`.execute(db)),
    { message: 'Query read timeout' },
  )
  t.notSame(await backend(), before)
})

t.test('a database that says that it cannot now is 503', async (t) => {
  const { ask, create, admin, url, stored } = await createTarget(t)
  const database = sql.ref(new URL(url).pathname.slice(1))
  /** A setting of new connections, for the time of `work`. */
  const withSetting = async (
    name: string,
    value: string,
    work: (service: Awaited<ReturnType<typeof serve>>) => Promise<void>,
  ) => {
    await sql`alter database ${database} set ${sql.raw(name)} = ${sql.lit(value)}`.execute(admin)
    await work(await serve(t, url))
    await sql`alter database ${database} reset ${sql.raw(name)}`.execute(admin)
  }
  const { key, account } = await createPerson(admin)
  const post = { accountIds: [account] }

  await whileLocked(admin, 'posts', async () => {
    const reply = create()
    for (const pid of await waitingBackends(admin)) await sql`select pg_cancel_backend(${pid})`.execute(admin)
    isUnavailable(t, await reply, 'a statement that was cancelled (57014)')
  })
  await withSetting('statement_timeout', '200ms', async (service) => {
    await whileLocked(admin, 'posts', async () => {
      isUnavailable(t, await service.ask(key, 'POST', '/posts', post), 'out of time (57014)')
      isUnavailable(t, await service.ask(key, 'GET', '/posts'), 'out of time (57014)')
    })
  })
  await withSetting('lock_timeout', '100ms', async (service) => {
    await whileLocked(admin, 'posts', async () => {
      isUnavailable(t, await service.ask(key, 'POST', '/posts', post), 'a lock that was not had (55P03)')
    })
  })
  await withSetting('default_transaction_read_only', 'on', async (service) => {
    isUnavailable(t, await service.ask(key, 'POST', '/posts', post), 'read-only (25006)')
    t.equal((await service.ask(key, 'GET', '/posts')).status, 200, 'reading goes on')
  })

  const role = `limited_${newId().replaceAll('-', '')}`
  await sql`create role ${sql.ref(role)} login superuser password 'right'`.execute(admin)
  await sql`alter role ${sql.ref(role)} nosuperuser connection limit 0`.execute(admin)
  t.teardown(() => sql`drop role ${sql.ref(role)}`.execute(admin))
  const limited = new URL(url)
  limited.username = role
  limited.password = 'right'
  const { ask: askLimited } = await serve(t, limited.href)
  isUnavailable(t, await askLimited(key, 'GET', '/posts'), 'too many connections (53300)')

  t.strictSame(await stored(), [])
  t.equal((await create()).status, 201)
  t.equal((await ask('GET', '/posts')).status, 200)
})

t.test('more requests than connections: those that wait too long are 503, the others are served', async (t) => {
  const { ask, create, db, stored } = await createTarget(t, { poolMax: 1 })
  await db.connection().execute(async () => isUnavailable(t, await ask('GET', '/accounts'), 'no connection for long'))
  const replies = await Promise.all(Array.from({ length: 5 }, () => create()))
  t.strictSame(
    replies.map(({ status }) => status),
    Array(5).fill(201),
  )
  t.equal((await stored()).length, 5)
})

t.test('a serialisation failure or deadlock is tried again', async (t) => {
  const { create, admin, db, id: userId, url, key, stored } = await createTarget(t)
  const database = sql.ref(new URL(url).pathname.slice(1))

  await t.test('a real serialisation failure (40001)', async (t) => {
    const { id } = (await create()).body
    await sql`alter database ${database} set default_transaction_isolation = 'serializable'`.execute(admin)
    const service = await serve(t, url)
    const deleted = await admin.transaction().execute(async (transaction) => {
      await transaction.updateTable('posts').set({ caption: 'changed' }).where('id', '=', id).execute()
      const reply = service.ask(key, 'DELETE', `/posts/${id}`)
      await waitingBackends(admin)
      return { reply }
    })
    t.strictSame(await deleted.reply, { status: 200, body: { success: true } })
    await sql`alter database ${database} reset default_transaction_isolation`.execute(admin)
  })

  await t.test('a real deadlock (40P01)', async (t) => {
    const { id } = (await create()).body
    const deleted = await admin.transaction().execute(async (transaction) => {
      // The service gives up first: it looks for deadlocks after a second. No request waits for so long.
      await sql`set local deadlock_timeout = '1min'`.execute(transaction)
      await sql`select from post_targets where post_id = ${id} for update`.execute(transaction)
      const reply = deletePost(db, userId, id)
      await waitingBackends(admin)
      await sql`select from posts where id = ${id} for update`.execute(transaction)
      return { reply }
    })
    t.strictSame(await deleted.reply, { success: true })
    t.strictSame(await stored(), [])
  })

  await t.test('three times at most', async (t) => {
    await sql`create sequence attempts`.execute(admin)
    const failing = (times: number, code: string) =>
      sql`create or replace function fail() returns trigger language plpgsql as $$ begin
        if nextval('attempts') <= ${sql.lit(times)} then raise exception 'try again' using errcode = ${sql.lit(code)}; end if;
        return new; end $$; alter sequence attempts restart`.execute(admin)
    await failing(0, SQLSTATE.SERIALIZATION_FAILURE)
    await sql`create trigger fail before insert on posts for each row execute function fail()`.execute(admin)
    for (const code of [SQLSTATE.SERIALIZATION_FAILURE, SQLSTATE.DEADLOCK_DETECTED]) {
      await failing(3, code)
      t.equal((await create(code)).status, 201, `${code} three times`)
      await failing(4, code)
      t.strictSame(await create('never'), { status: 500, body: { error: 'Failed to create post' } })
      const { rows } = await sql<{ n: number }>`select last_value as n from attempts`.execute(admin)
      t.equal(rows[0]?.n, 4, `${code}: four attempts and no more`)
    }
    t.strictSame(
      (await stored()).map(({ caption }) => caption).sort(),
      [SQLSTATE.SERIALIZATION_FAILURE, SQLSTATE.DEADLOCK_DETECTED],
      'each is stored once',
    )
  })
})

t.test(
  'what a pooler says for itself is 503, and a protocol violation that Postgres complains of is ours',
  async (t) => {
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
      const { ask } = await serve(t, `postgresql://a@127.0.0.1:${(server.address() as AddressInfo).port}/x`)
      t.equal((await ask(generateKey(), 'GET', '/posts')).status, status)
    }
  },
)

t.test('what nobody expects is an opaque 500', async (t) => {
  const { ask, create, admin, log } = await createTarget(t)
  t.equal((await create()).status, 201)
  await sql`alter table posts rename to gone`.execute(admin)
  t.strictSame(await ask('GET', '/posts'), { status: 500, body: { error: 'Internal server error' } })
  t.strictSame(await ask('DELETE', `/posts/${newId()}`), { status: 500, body: { error: 'Internal server error' } })
  t.strictSame(await create(), { status: 500, body: { error: 'Failed to create post' } })
  const failures = log.filter((line) => line.includes('request failed')).map((line) => JSON.parse(line))
  t.match(
    failures,
    Array(3).fill({ level: 50, reqId: String, err: { code: SQLSTATE.UNDEFINED_TABLE, severity: 'ERROR' } }),
  )
})

t.test('a schema that is not there yet is told apart from a database that is not', async (t) => {
  const url = await createDatabase(t, 'template0')
  const { ask, db } = await serve(t, url)
  const key = generateKey()
  const notInitialized = { status: 503, body: { error: 'Auth not initialized' } }
  t.strictSame(await ask(key, 'GET', '/posts'), notInitialized)
  t.strictSame(await ask(key, 'GET', '/accounts'), notInitialized)
  t.strictSame(await ask(key, 'POST', '/posts', {}), notInitialized)
  t.strictSame(await ask(key, 'DELETE', '/posts/x'), notInitialized)
  t.strictSame(await ask('mistyped', 'GET', '/posts'), { status: 401, body: { error: 'Invalid API key' } })
  t.strictSame(await ask(key, 'GET', '/readyz'), {
    status: 503,
    body: { error: 'Database schema is not at the version that this service needs' },
  })
  t.strictSame(await ask(key, 'GET', '/healthz'), { status: 200, body: { status: 'ok' } })

  await migrate(db)
  t.equal((await ask(key, 'GET', '/readyz')).status, 200, 'once it is migrated, all is well')
  t.equal((await ask(key, 'GET', '/posts')).status, 401)
})

t.test('neither a key nor a caption ever gets into the log', async (t) => {
  const { app, create, ask, admin, log, key, account, url } = await createTarget(t)
  const SECRET = 'the launch is on friday'
  const caption = `${SECRET}\n    at ${SECRET}`
  t.equal((await create(caption)).status, 201)
  await ask('POST', '/posts', { accountIds: [account], firstComment: caption, postType: SECRET, [SECRET]: 1 })
  await ask('POST', '/posts', `{"caption":"${SECRET}`)
  await ask('POST', '/posts', { accountIds: [SECRET] })
  await ask('GET', `/posts?key=${key}&caption=${encodeURIComponent(SECRET)}`)
  await call(app, `${key}x`, 'GET', '/posts')

  // Postgres quotes the row that it refuses, and passes on what a trigger says of it.
  await sql`alter table posts add constraint never check (false) not valid`.execute(admin)
  t.equal((await create(caption)).status, 500)
  await sql`alter table posts drop constraint never`.execute(admin)
  await sql`create function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'not %', new.caption using detail = new.caption, hint = new.caption; end $$`.execute(admin)
  await sql`create trigger refuse before insert on posts for each row execute function refuse()`.execute(admin)
  t.equal((await create(caption)).status, 500)
  await sql`drop trigger refuse on posts`.execute(admin)

  const { ask: askReadOnly, log: other } = await serve(
    t,
    `${url}${url.includes('?') ? '&' : '?'}options=-c%20default_transaction_read_only=on`,
  )
  t.equal((await askReadOnly(key, 'POST', '/posts', { accountIds: [account], caption })).status, 503)
  await whileLocked(admin, 'posts', async () => {
    const reply = create(caption)
    for (const pid of await waitingBackends(admin)) await sql`select pg_terminate_backend(${pid})`.execute(admin)
    isUnavailable(t, await reply, 'terminated')
  })

  const text = [...log, ...other].join('')
  t.notMatch(text, /friday/, 'no caption')
  t.notOk(text.includes(key) || text.includes(encodeURIComponent(SECRET)), 'no key, no query')
  const failures = [...log, ...other].map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request failed')
  t.strictSame(
    failures.map(({ err }) => err.code),
    [SQLSTATE.CHECK_VIOLATION, SQLSTATE.RAISE_EXCEPTION, SQLSTATE.ADMIN_SHUTDOWN, SQLSTATE.READ_ONLY_SQL_TRANSACTION],
    'but what happened is there',
  )
  for (const { err } of failures) t.match(err.stack, /^\n {4}at .*create\.ts:\d+/s, 'with the place in the code')
})

t.test('an error that is not of Postgres is logged as it is', async (t) => {
  t.match(serializeError(new TypeError('x is not a function')), {
    type: 'TypeError',
    message: 'x is not a function',
    stack: /^TypeError: x is not a function\n {4}at /,
  })
})

/** An embedded server of this test alone, that can be stopped and started. */
async function startPostgres(t: Test, settings: Record<string, string> = {}) {
  const top = fs.mkdtempSync(join(tmpdir(), 'postroom-test-'))
  fs.chmodSync(top, 0o755)
  const dataDir = join(top, 'data')
  let server = await openEmbedded({ dataDir, settings })
  t.teardown(async () => {
    await server.close()
    const real = fs.realpathSync(dataDir)
    if (real !== join(fs.realpathSync(top), 'data')) fs.rmSync(dirname(real), { recursive: true, force: true })
    fs.rmSync(top, { recursive: true, force: true })
  })
  const postmaster = () => Number.parseInt(fs.readFileSync(join(dataDir, 'postmaster.pid'), 'utf8'), 10)
  return {
    url: server.url,
    postmaster,
    /** The postmaster, and all that it has started. */
    processes: () => processesOf(postmaster()),
    stop: () => server.close(),
    start: async () => {
      server = await openEmbedded({ dataDir, settings })
    },
    top,
  }
}

t.test('where no database is, the service listens and answers 503', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  const rude = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  t.teardown(async () => {
    silent.close()
    rude.close()
  })
  await sleep(0)
  const portOf = (server: typeof silent) => (server.address() as AddressInfo).port
  const hba = join(fs.mkdtempSync(join(tmpdir(), 'postroom-test-')), 'hba')
  fs.chmodSync(dirname(hba), 0o755)
  fs.writeFileSync(hba, 'local all postgres trust\nlocal all barred reject\nlocal all all scram-sha-256\n', {
    mode: 0o644,
  })
  const server = await startPostgres(t, { hba_file: hba, fsync: 'off' })
  t.teardown(async () => fs.rmSync(dirname(hba), { recursive: true }))
  const admin = connect({ url: server.url, poolMax: 1 })
  await sql`create role service login password 'right'`.execute(admin)
  await admin.destroy()
  const socket = new URL(server.url).searchParams.get('host') ?? ''
  const at = (who: string, database = 'postroom') =>
    `postgresql://${who}@localhost/${database}?host=${encodeURIComponent(socket)}`

  for (const [name, url] of [
    ['a port where nobody listens', 'postgresql://a@127.0.0.1:1/x'],
    ['an unknown host', 'postgresql://a@nowhere.invalid/x'],
    ['a network that is not reached', 'postgresql://a@255.255.255.255/x'],
    ['a missing socket folder', 'postgresql://a@localhost/x?host=/no/such'],
    ['a socket folder that is none', 'postgresql://a@localhost/x?host=/etc/passwd'],
    ['a certificate that is missing', 'postgresql://a@127.0.0.1/x?sslmode=verify-full&sslrootcert=/no/such'],
    ['somebody who says nothing', `postgresql://a@127.0.0.1:${portOf(silent)}/x`],
    ['somebody who speaks HTTP', `postgresql://a@127.0.0.1:${portOf(rude)}/x`],
    ['a server without TLS', `postgresql://a@127.0.0.1:${portOf(rude)}/x?sslmode=verify-full`],
    ['a wrong password', at('service:wrong')],
    ['no password', at('service')],
    ['a user who is barred', at('barred:x')],
    ['an unknown database', at('service:right', 'nowhere')],
  ] as const) {
    const { app, ask } = await serve(t, url)
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    t.equal((await fetch(`${address}/healthz`)).status, 200, `${name}: listens`)
    const key = generateKey()
    const replies = [
      ask(key, 'GET', '/posts'),
      ask(key, 'GET', '/accounts'),
      ask(key, 'POST', '/posts', { accountIds: ['x'] }),
      ask(key, 'DELETE', '/posts/x'),
      ask(key, 'GET', '/readyz'),
    ]
    for (const reply of await Promise.all(replies)) isUnavailable(t, reply, name)
    t.strictSame(await ask('mistyped', 'GET', '/posts'), { status: 401, body: { error: 'Invalid API key' } })
  }
})

t.test('what is committed here, and perhaps not on the standby that it waits for, is not acknowledged', async (t) => {
  const server = await startPostgres(t, { fsync: 'off' })
  // Nothing that the test itself writes waits for the standby, which does not exist.
  const admin = connect({ url: `${server.url}&options=-c%20synchronous_commit%3Dlocal`, poolMax: 1 })
  t.teardown(() => admin.destroy())
  await migrate(admin)
  const { key, account } = await createPerson(admin)
  const post = { accountIds: [account] }
  const { app, db, ask } = await serve(t, server.url, { statementTimeoutMs: 1_000 })
  app.get('/test', () => db.transaction().execute((db) => insertUser(db, { id: newId(), name: 'bob' })))
  const { id } = (await ask(key, 'POST', '/posts', post)).body
  await sql`alter system set synchronous_standby_names = 'nobody'`.execute(admin)
  await sql`select pg_reload_conf()`.execute(admin)

  /** Until the answer is there, cancels what waits for the standby: Postgres takes that for a commit that went well. */
  const cancelWaits = async <T>(answer: Promise<T>): Promise<T> => {
    let isAnswered = false
    void answer.finally(() => {
      isAnswered = true
    })
    for (; !isAnswered; await sleep(10)) {
      await sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`.execute(admin)
    }
    return answer
  }
  // Postgres takes a moment to know of its new setting.
  while ((await cancelWaits(ask(key, 'GET', '/test'))).status === 200);
  for (const [method, path, body] of [
    ['POST', '/posts', post],
    ['DELETE', `/posts/${id}`, undefined],
    ['GET', '/test', undefined],
  ] as const) {
    isUnavailable(t, await cancelWaits(ask(key, method, path, body)), `${method} ${path}`)
  }
  t.equal((await ask(key, 'GET', '/posts')).status, 200, 'the connection serves on')

  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'one' }
  const createOnce = () => app.inject({ method: 'POST', url: '/api/v1/posts', headers, payload: post })
  for (const name of ['with a key', 'again, when its answer is kept here']) {
    const reply = await cancelWaits(createOnce().then((reply) => reply))
    isUnavailable(t, { status: reply.statusCode, body: reply.json() }, name)
  }

  isUnavailable(t, await ask(key, 'POST', '/posts', post), 'a standby that does not answer in time')
})

t.test('a backend that hangs is given up, and its connection with it', async (t) => {
  const server = await startPostgres(t, { fsync: 'off' })
  const admin = connect({ url: server.url, poolMax: 1 })
  t.teardown(() => admin.destroy())
  await migrate(admin)
  const { key } = await createPerson(admin)
  const { ask, db } = await serve(t, server.url, { poolMax: 1, statementTimeoutMs: 200 })
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  const pid = rows[0]!.pid
  process.kill(pid, 'SIGSTOP')
  try {
    isUnavailable(t, await ask(key, 'GET', '/posts'), 'no word from the backend')
    t.equal((await ask(key, 'GET', '/posts')).status, 200, 'the next request has another backend')
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})

t.test('a database that stands still is 503, and the service is back with it', async (t) => {
  const server = await startPostgres(t, { fsync: 'off' })
  const admin = connect({ url: server.url, poolMax: 1 })
  await migrate(admin)
  const { key, account } = await createPerson(admin)
  await admin.destroy()
  const { ask } = await serve(t, server.url, LIMITED)
  const post = { accountIds: [account] }
  const requests = () => [
    ask(key, 'GET', '/posts'),
    ask(key, 'GET', '/accounts'),
    ask(key, 'POST', '/posts', post),
    ask(key, 'DELETE', `/posts/${newId()}`),
    ask(key, 'GET', '/readyz'),
    ask(generateKey(), 'GET', '/posts'),
  ]
  const statuses = async () => (await Promise.all(requests())).map(({ status }) => status)
  t.strictSame(await statuses(), [200, 200, 201, 404, 200, 401])

  const processes = server.processes()
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  try {
    // Once with connections that were there, once without.
    for (const reply of [...(await Promise.all(requests())), ...(await Promise.all(requests()))]) {
      isUnavailable(t, reply, 'stands still')
    }
  } finally {
    for (const pid of processes) process.kill(pid, 'SIGCONT')
  }
  for (let tries = 0; (await ask(key, 'GET', '/posts')).status !== 200; tries++) {
    if (tries > 100) throw new Error('the service did not recover')
  }
  t.strictSame(await statuses(), [200, 200, 201, 404, 200, 401])
})

t.test('the statements of a request have one limit together', async (t) => {
  const { app, ask, db, key, create } = await createTarget(t, LIMITED)
  let begun = 0
  const sleepOften = async () => {
    for (begun = 0; begun < 10; ) {
      begun++
      await sql`select pg_sleep(0.4)`.execute(db)
    }
    return {}
  }
  app.get('/test', sleepOften)
  app.post('/test', sleepOften)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
  const send = async (method: string, body: (request: ClientRequest) => void) => {
    const request = httpRequest(`${address}/test`, { method, headers })
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    body(request)
    const [reply] = await answered
    isUnavailable(t, { status: reply.statusCode!, body: await json(reply) }, 'took too long in all')
    t.ok(begun > 1 && begun < 5, `${begun} statements were begun`)
  }
  await send('GET', (request) => request.end())
  await send('POST', (request) => request.end('{}'))
  await send('POST', (request) => {
    app.server.once('request', () => setImmediate(() => request.end('{}')))
    request.flushHeaders()
  })
  t.equal((await create()).status, 201)
  t.equal((await ask('GET', '/posts')).status, 200)
})

t.test('waiting for a connection takes from the time that a request has, too', async (t) => {
  const { db } = await createTarget(t, { poolMax: 1 })
  // With less time than waiting for a connection may take, and with more.
  for (const ms of [9_000, 60_000]) {
    const left = { remainingMs: ms }
    let asked: Promise<unknown> | undefined
    let heldMs = 0
    await db.connection().execute(async () => {
      asked = withDatabaseBudget(left, () => sql`select 1`.execute(db))
      await sleep(0)
      const askedBefore = performance.now()
      while (heldMs < 100) {
        await sleep(20)
        heldMs = performance.now() - askedBefore
      }
    })
    await asked
    t.ok(left.remainingMs <= ms - heldMs, `${left.remainingMs} of ${ms} are left after ${heldMs}`)
  }
})

t.test('a link that breaks without a word', async (t) => {
  const { url, key, account, stored } = await createTarget(t)
  const link = await openTcpProxy(url)
  t.teardown(async () => link.close())
  const { app, db, ask } = await serve(t, link.url, LIMITED)
  app.get('/test', () =>
    db.transaction().execute(async (transaction) => {
      await sql`lock table posts in access exclusive mode`.execute(transaction)
      link.dropAll()
      return (await sql`select 1`.execute(transaction)).rows
    }),
  )
  const list = () => ask(key, 'GET', '/posts')
  const fill = async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, list))
    for (const { status } of replies) t.equal(status, 200)
  }

  await t.test('one statement finds out for all idle connections', async (t) => {
    await fill()
    link.dropAll()
    link.restore()
    isUnavailable(t, await list(), 'sent into the dark')
    t.equal((await list()).status, 200, 'the next one has a new connection')
  })

  await t.test('while it lasts, everything is 503', async (t) => {
    link.dropAll()
    const replies = await Promise.all(Array.from({ length: 12 }, list))
    for (const reply of [...replies, await list()]) isUnavailable(t, reply, 'in the dark')
    link.restore()
    for (let tries = 0; (await list()).status !== 200; tries++) {
      if (tries > 100) throw new Error('the service did not recover')
    }
    await fill()
  })

  await t.test('in the middle of a transaction: 503, and its locks are given back', async (t) => {
    isUnavailable(t, await ask(key, 'GET', '/test'), 'given up')
    link.restore()
    const create = () => ask(key, 'POST', '/posts', { accountIds: [account] })
    for (let tries = 0; (await create()).status !== 201; tries++) {
      if (tries > 100) throw new Error('the lock is held for ever')
    }
    t.equal((await stored()).length, 1)
  })
})

t.test('Postgres stops, starts and crashes under load: 2xx or 503, and no acknowledged post is lost', async (t) => {
  const server = await startPostgres(t)
  const admin = connect({ url: server.url, poolMax: 1 })
  await migrate(admin)
  const { key, account } = await createPerson(admin)
  await admin.destroy()
  const { ask } = await serve(t, server.url, { statementTimeoutMs: 5_000 })

  const acknowledged: string[] = []
  const seen = new Map<string, number>()
  let running = true
  const worker = async () => {
    for (let turn = 0; running; turn++) {
      const isRead = turn % 4 === 3
      const reply = isRead
        ? await ask(key, 'GET', '/posts?limit=1')
        : await ask(key, 'POST', '/posts', { accountIds: [account], caption: 'under load' })
      if (reply.status === 201) acknowledged.push(reply.body.id)
      const text = `${isRead ? 'GET' : 'POST'} ${reply.status} ${reply.status < 300 ? '' : JSON.stringify(reply.body)}`
      seen.set(text, (seen.get(text) ?? 0) + 1)
      await sleep(5)
    }
  }
  const workers = Array.from({ length: 6 }, worker)
  const storing = async () => {
    const before = acknowledged.length
    for (let waited = 0; acknowledged.length < before + 20; waited += 20) {
      if (waited > 60_000) throw new Error('the service did not recover')
      await sleep(20)
    }
  }
  await storing()
  await server.stop()
  await sleep(500)
  await server.start()
  await storing()
  process.kill(server.postmaster(), 'SIGQUIT')
  await sleep(500)
  await storing()
  running = false
  await Promise.all(workers)

  const allowed = [
    'GET 200 ',
    'POST 201 ',
    ...['GET', 'POST'].map((m) => `${m} 503 ${JSON.stringify(NO_DATABASE.body)}`),
  ]
  t.strictSame([...seen.keys()].sort(), allowed.sort(), 'both kinds of answer, and no others')

  const found = new Set<string>()
  for (let offset = 0, page: { id: string }[] = []; offset === 0 || page.length > 0; offset += 100) {
    page = (await ask(key, 'GET', `/posts?limit=100&offset=${offset}`)).body.data
    for (const { id } of page) found.add(id)
  }
  t.strictSame(
    acknowledged.filter((id) => !found.has(id)),
    [],
    `${acknowledged.length} acknowledged posts are there`,
  )
  t.equal((await ask(key, 'GET', '/readyz')).status, 200)
})
