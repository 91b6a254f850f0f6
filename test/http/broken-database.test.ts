import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { migrate } from '../../db/migrate.ts'
import { generateKey } from '../../src/features/auth/key.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import {
  assertUnavailable,
  createPerson,
  PRODUCTION_TIMEOUT,
  startService,
  startServiceWithPerson,
} from '../helpers/service.ts'
import { openTcpProxy } from '../helpers/tcp-proxy.ts'
import { until } from '../helpers/until.ts'

t.test('a frozen database is a 503, and the service recovers with it', async (t) => {
  const server = await startOwnPostgres(t, { fsync: 'off' })
  const admin = connect({ url: server.url, poolMax: 1 })
  await migrate(admin)
  const { key, account } = await createPerson(admin)
  await admin.destroy()
  const { send } = await startService(t, server.url, PRODUCTION_TIMEOUT)
  const post = { accountIds: [account] }
  const requests = () => [
    send(key, 'GET', '/posts'),
    send(key, 'GET', '/accounts'),
    send(key, 'POST', '/posts', post),
    send(key, 'DELETE', `/posts/${newId()}`),
    send(key, 'GET', '/readyz'),
    send(generateKey(), 'GET', '/posts'),
  ]
  const statuses = async () => (await Promise.all(requests())).map(({ status }) => status)
  // On a busy machine, opening connections takes long.
  const untilServed = () =>
    until('the service answers', statuses, {
      isMet: (all) => isDeepStrictEqual(all, [200, 200, 201, 404, 200, 401]),
    })
  await untilServed()

  const pids = server.pids()
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    // Once with the open connections, once without any.
    for (const reply of [...(await Promise.all(requests())), ...(await Promise.all(requests()))]) {
      assertUnavailable(t, reply, 'the database is frozen')
    }
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
  await untilServed()
})

t.test('a connection that silently drops everything', async (t) => {
  const { url, key, account, stored } = await startServiceWithPerson(t)
  const link = await openTcpProxy(url)
  t.teardown(async () => link.close())
  const { app, db, send } = await startService(t, link.url, PRODUCTION_TIMEOUT)
  app.get('/test', () =>
    db.transaction().execute(async (transaction) => {
      await sql`lock table posts in access exclusive mode`.execute(transaction)
      link.dropAll()
      return (await sql`select 1`.execute(transaction)).rows
    }),
  )
  const list = () => send(key, 'GET', '/posts')
  const fill = async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, list))
    for (const { status } of replies) t.equal(status, 200)
  }

  await t.test('one failed statement makes the pool discard all idle connections', async (t) => {
    await fill()
    link.dropAll()
    link.restore()
    assertUnavailable(t, await list(), 'the first request on a dead connection')
    t.equal((await list()).status, 200, 'the next one has a new connection')
  })

  await t.test('every request is a 503 until the network is back', async (t) => {
    link.dropAll()
    const replies = await Promise.all(Array.from({ length: 12 }, list))
    for (const reply of [...replies, await list()]) assertUnavailable(t, reply, 'the network is away')
    link.restore()
    await until('the service recovers', async () => (await list()).status === 200)
    await fill()
  })

  await t.test('a transaction is a 503, and its locks are released', async (t) => {
    assertUnavailable(t, await send(key, 'GET', '/test'), 'the transaction')
    link.restore()
    const create = () => send(key, 'POST', '/posts', { accountIds: [account] })
    await until('the lock is released', async () => (await create()).status === 201)
    t.equal((await stored()).length, 1)
  })
})
