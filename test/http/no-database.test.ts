import { once } from 'node:events'
import fs from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { VERSION } from '../../src/base/version.ts'
import { generateKey } from '../../src/features/auth/key.ts'
import { copyDatabase } from '../helpers/database.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import { assertUnavailable, startService } from '../helpers/service.ts'

t.test('without a reachable database, the service listens and responds with 503', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  const webServer = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  t.teardown(async () => {
    silent.close()
    webServer.close()
  })
  await Promise.all([silent, webServer].map((server) => server.listening || once(server, 'listening')))
  const portOf = (server: typeof silent) => (server.address() as AddressInfo).port
  const hba = join(fs.mkdtempSync(join(tmpdir(), 'postroom-test-')), 'hba')
  fs.chmodSync(dirname(hba), 0o755)
  fs.writeFileSync(hba, 'local all postgres trust\nlocal all barred reject\nlocal all all scram-sha-256\n', {
    mode: 0o644,
  })
  const server = await startOwnPostgres(t, { hba_file: hba, fsync: 'off' })
  t.teardown(async () => fs.rmSync(dirname(hba), { recursive: true }))
  const admin = connect({ url: server.url, poolMax: 1 })
  await sql`create role service login password 'right'`.execute(admin)
  await admin.destroy()
  const socket = new URL(server.url).searchParams.get('host') ?? ''
  const urlFor = (user: string, database = 'postroom') =>
    `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(socket)}`

  for (const [name, url] of [
    ['a port without a listener', 'postgresql://a@127.0.0.1:1/x'],
    ['an unknown host', 'postgresql://a@nowhere.invalid/x'],
    ['an unreachable network', 'postgresql://a@255.255.255.255/x'],
    ['a missing socket folder', 'postgresql://a@localhost/x?host=/no/such'],
    ['a socket folder that is a file', 'postgresql://a@localhost/x?host=/etc/passwd'],
    ['a missing certificate', 'postgresql://a@127.0.0.1/x?sslmode=verify-full&sslrootcert=/no/such'],
    ['a server that sends nothing', `postgresql://a@127.0.0.1:${portOf(silent)}/x`],
    ['a web server', `postgresql://a@127.0.0.1:${portOf(webServer)}/x`],
    ['a server without TLS', `postgresql://a@127.0.0.1:${portOf(webServer)}/x?sslmode=verify-full`],
    ['a wrong password', urlFor('service:wrong')],
    ['no password', urlFor('service')],
    ['a rejected user', urlFor('barred:x')],
    ['an unknown database', urlFor('service:right', 'nowhere')],
  ] as const) {
    const { app, send } = await startService(t, url)
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    t.equal((await fetch(`${address}/healthz`)).status, 200, `${name}: listens`)
    const key = generateKey()
    const replies = [
      send(key, 'GET', '/posts'),
      send(key, 'GET', '/accounts'),
      send(key, 'POST', '/posts', { accountIds: ['x'] }),
      send(key, 'DELETE', '/posts/x'),
      send(key, 'GET', '/readyz'),
    ]
    for (const reply of await Promise.all(replies)) assertUnavailable(t, reply, name)
    t.strictSame(await send('mistyped', 'GET', '/posts'), { status: 401, body: { error: 'Invalid API key' } })
  }
})

t.test('a missing schema has its own error', async (t) => {
  const url = await copyDatabase(t, 'template0')
  const { send, db } = await startService(t, url)
  const key = generateKey()
  const notInitialized = { status: 503, body: { error: 'Auth not initialized' } }
  t.strictSame(await send(key, 'GET', '/posts'), notInitialized)
  t.strictSame(await send(key, 'GET', '/accounts'), notInitialized)
  t.strictSame(await send(key, 'POST', '/posts', {}), notInitialized)
  t.strictSame(await send(key, 'DELETE', '/posts/x'), notInitialized)
  t.strictSame(await send('mistyped', 'GET', '/posts'), { status: 401, body: { error: 'Invalid API key' } })
  t.strictSame(await send(key, 'GET', '/readyz'), {
    status: 503,
    body: { error: 'Database schema is not at the version that this service needs' },
  })
  t.strictSame(await send(key, 'GET', '/healthz'), {
    status: 200,
    body: { status: 'ok', version: VERSION },
  })

  await migrate(db)
  t.equal((await send(key, 'GET', '/readyz')).status, 200, 'after the migration the service is ready')
  t.equal((await send(key, 'GET', '/posts')).status, 401)
})
