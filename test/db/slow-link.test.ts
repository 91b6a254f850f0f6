import t from 'tap'
import { assertUnavailable, PRODUCTION_TIMEOUT, startService, startServiceWithPerson } from '../helpers/service.ts'
import { openTcpProxy } from '../helpers/tcp-proxy.ts'
import { until } from '../helpers/until.ts'

t.test('a database behind 150 ms in each direction is used, and is a 503 while it is away', async (t) => {
  const { url, key, account } = await startServiceWithPerson(t)
  const link = await openTcpProxy(url)
  t.teardown(async () => link.close())
  link.delay(150)
  const { send } = await startService(t, link.url, PRODUCTION_TIMEOUT)
  const list = () => send(key, 'GET', '/posts')
  const untilServed = () => until('the service serves', async () => (await list()).status === 200)
  // The first request may end before its connection is open, which then serves the next one.
  await untilServed()
  for (const connections of ['with open connections', 'with new ones']) {
    const { status, body } = await send(key, 'POST', '/posts', { accountIds: [account] })
    t.equal(status, 201, connections)
    t.equal((await send(key, 'GET', `/posts/${body.id}`)).status, 200, connections)
    t.equal((await send(key, 'PATCH', `/posts/${body.id}`, { caption: 'changed' })).status, 200, connections)
    t.equal((await send(key, 'DELETE', `/posts/${body.id}`)).status, 200, connections)
    link.reset()
  }
  link.dropAll()
  assertUnavailable(t, await list(), 'the database is away')
  link.restore()
  link.delay(150)
  await untilServed()
})
