import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { VERSION } from '../../src/base/version.ts'
import { postroom, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'
import { get, untilSettled } from './service-scene.ts'

t.test('after SIGTERM, running requests are finished and new ones are refused', async (t) => {
  const service = await runService('start', { DATABASE_URL: await createDatabase(t) })
  t.teardown(() => service.stop('SIGKILL'))
  const { api, key } = service.facts as { api: string; key: string }
  const { data } = (await get(`${api}/accounts`, key)).body

  const body = JSON.stringify({ accountIds: [data[0].id], caption: 'in time' })
  const { hostname, port } = new URL(api)
  const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname)
  await once(socket, 'connect')
  const head = `POST /api/v1/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head + body.slice(0, 5))
  await get(`${api}/accounts`, key)
  const stopped = service.stop('SIGTERM')
  await untilRefused(api)
  socket.write(body.slice(5))
  let response = ''
  for await (const chunk of socket) response += chunk
  t.match(response, /^HTTP\/1.1 201 /)
  t.equal(await stopped, 0)
})

/** Waits until the service no longer accepts connections. */
const untilRefused = (api: string) =>
  until('connections are refused', () =>
    fetch(new URL('/healthz', api), { headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    ),
  )

t.test('SIGTERM reaches the service through npm', async (t) => {
  const service = await runService('serve', { DATABASE_URL: await createDatabase(t) }, { throughNpm: true })
  const health = new URL('/healthz', service.facts.api)
  t.equal((await fetch(health)).status, 200)
  await service.stop('SIGTERM')
  await untilRefused(service.facts.api ?? '')
})

t.test('several workers publish due posts, and the others continue after one is killed', async (t) => {
  const env = { DATABASE_URL: await createDatabase(t), CREDENTIALS_KEY: randomBytes(32).toString('base64') }
  const user = JSON.parse((await postroom(['user', 'create', '--name', 'Ada', '--json'], env)).stdout)
  const { key } = JSON.parse((await postroom(['key', 'create', '--user', user.id, '--json'], env)).stdout)
  const [serve, worker, other] = await Promise.all([
    runService('serve', env),
    runService('worker', env),
    runService('worker', env),
  ])
  t.teardown(() => Promise.all([serve, worker, other].map((each) => each?.stop('SIGKILL'))))
  const { api } = serve.facts as { api: string }
  const send = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) ?? null })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
    return (await reply.json()) as any
  }
  const { id: account } = await send('/accounts', { platform: 'sandbox', credentials: { username: 'ada' } })
  const publish = async (caption: string) => {
    const { id } = await send('/posts', { accountIds: [account], caption })
    await send(`/posts/${id}/publish`)
    return untilSettled(`${api}/posts/${id}`, key)
  }
  const one = await publish('one')
  t.strictSame([one.status, one.targets[0].delivery.state], ['published', 'published'])
  await worker.stop('SIGKILL')
  t.equal((await publish('two')).status, 'published')
  t.equal(await other.stop(), 0)
  const { body } = await get(`${api}/sandbox/calls`, key)
  t.same(
    body.data.map(({ text }: { text: string }) => text),
    ['two', 'one'],
  )
  for (const { stdout, stderr } of [worker.output, other.output]) {
    t.equal(stdout, '{"worker":"up"}\n')
    t.notMatch(stderr, /"level":[456]0/, 'no warning or error is logged')
  }
  const messages = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  await serve.stop()
  for (const [command, { output }] of Object.entries({ serve, worker: other })) {
    const lines = messages(output.stderr)
    t.hasStrict(
      lines.find(({ msg }) => msg === 'started'),
      { level: 30, command, version: VERSION, node: process.version },
    )
    t.strictSame(
      lines.slice(-2).map(({ msg }) => msg),
      ['stopping', 'stopped'],
      command,
    )
  }
})
