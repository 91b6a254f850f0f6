import t from 'tap'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, type Receiver, startReceiver, untilReceived } from './scene.ts'

t.test('receivers that misbehave hold up no other one', async (t) => {
  const { hook, emit, dispatch, log } = await createWebhookWorld(t)
  const chunk = Buffer.alloc(65_536, 'a')
  const misbehaviours: Record<string, [respond: Receiver['respond'], error: string | null, status: number | null]> = {
    hangs: [() => {}, 'timeout', null],
    'hangs after the headers': [(response) => response.writeHead(200).write('a'), null, 200],
    resets: [(response) => response.destroy(), 'unreachable', null],
    'sends no HTTP': [(response) => response.socket!.end('what?'), 'unreachable', null],
    redirects: [(response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 'redirect', 302],
    'redirects for good': [(response) => response.writeHead(308, { location: '/a' }).end(), 'redirect', 308],
    fails: [(response) => response.writeHead(500).end('no'), 'status', 500],
    'sends a gigabyte': [
      async (response) => {
        response.on('error', () => {}).writeHead(200)
        const sendMore = () => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', sendMore)
        }
        sendMore()
      },
      null,
      200,
    ],
    'sends huge headers': [
      (response) => response.writeHead(200, { a: 'a'.repeat(100_000) }).end(),
      'unreachable',
      null,
    ],
    'sends a NUL': [(response) => response.writeHead(400).end('a\0b'), 'status', 400],
  }
  const hooks = new Map<string, string>()
  for (const [name, [respond]] of Object.entries(misbehaviours)) {
    hooks.set(name, (await hook(await startReceiver(t, respond), { types: ['account.*'] })).id)
  }
  const good = await startReceiver(t)
  await hook(good)
  await emit()
  dispatch(t)
  await untilReceived(good, 1)
  await emit(100)
  await untilReceived(good, 101)
  for (const [name, [, error, status]] of Object.entries(misbehaviours)) {
    const rows = await until(
      `an attempt ends: ${name}`,
      async () => (await log(hooks.get(name)!)).filter(({ attempts }) => attempts > 0),
      { isMet: ({ length }) => length > 0 },
    )
    const row = rows.at(-1)!
    t.strictSame([row.error, row.response?.status ?? null], [error, status], name)
    t.ok((row.response?.body.length ?? 0) <= 1_024, 'at most 1 kB is kept')
  }
})
