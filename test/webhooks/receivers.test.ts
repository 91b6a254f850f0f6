import { createServer } from 'node:http'
import t from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { createSend } from '../../src/features/webhooks/send.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, listen, ok, startReceiver, untilReceived } from './scene.ts'

t.test('after a 429, nothing is sent to the receiver before Retry-After', async (t) => {
  const { hook, emit, dispatch, log, time } = await createWebhookWorld(t)
  time.now = new Date(Date.now() + 100_000)
  const receiver = await startReceiver(t, (response, _request, count) =>
    count === 1 ? response.writeHead(429, { 'retry-after': '120' }).end() : ok(response),
  )
  const { id } = await hook(receiver)
  await emit(3)
  const { stop } = dispatch(t)
  await until('the attempt is stored', () => log(id), { isMet: (rows) => rows.some(({ attempts }) => attempts === 1) })
  // Before the time advances: the rest begins when the worker gives the webhook back.
  await stop()
  time.now = new Date(time.now.getTime() + 60_000)
  const second = dispatch(t)
  const other = await startReceiver(t)
  await hook(other)
  await emit()
  await untilReceived(other, 1)
  t.equal(receiver.received.length, 1, 'others are sent to')
  time.now = new Date(time.now.getTime() + 61_000)
  await untilReceived(receiver, 5)
  await second.stop()
  t.equal(new Set(receiver.ids()).size, 4)
})

t.test('a 410 disables the webhook, says so, and loses nothing', async (t) => {
  const { hook, emit, dispatch, log, ada } = await createWebhookWorld(t)
  let isGone = true
  const receiver = await startReceiver(t, (response) => (isGone ? response.writeHead(410).end() : ok(response)))
  const observer = await startReceiver(t)
  const { id } = await hook(receiver, { types: ['account.*'] })
  await hook(observer, { types: ['webhook.*'] })
  const [first] = await emit()
  dispatch(t)
  const disabled = await until('it is disabled', async () => (await ada.call('GET', `/webhooks/${id}`)).body, {
    isMet: ({ state }) => state === 'disabled',
  })
  t.equal(disabled.disabledReason, 'gone')
  t.strictSame([(await ada.call('POST', `/webhooks/${id}/test`)).status], [409])
  const [second] = await emit()
  await untilReceived(observer, 1)
  t.hasStrict(observer.received[0]!.body, { type: 'webhook.disabled', data: { webhookId: id, reason: 'gone' } })
  isGone = false
  receiver.received.length = 0
  const from = observer.received[0]!.body.data.failingSince
  const { status, body } = await ada.call('POST', `/webhooks/${id}/redeliver`, { from, onlyFailed: true })
  t.strictSame([status, body], [202, { queued: 2, nextCursor: null }])
  t.equal((await ada.call('PATCH', `/webhooks/${id}`, { state: 'active' })).body.failingSince, null)
  await untilReceived(receiver, 2)
  t.same(new Set(receiver.ids()), new Set([first, second]))
  await until('both are delivered', () => log(id), {
    isMet: (rows) => rows.every(({ state }) => state === 'delivered'),
  })
})

t.test('each attempt checks the host again: none connects to one that is not public', async (t) => {
  const { hook, emit, dispatch, log } = await createWebhookWorld(t)
  let connections = 0
  const server = createServer().on('connection', () => connections++)
  const port = await listen(t, server)
  const receiver = await startReceiver(t)
  const { id } = await hook({ ...receiver, url: `http://127.0.0.1:${port}/` })
  await emit()
  dispatch(t, { send: createSend(createPublicClient().dispatcher) })
  const [row] = await until('the attempt ends', () => log(id), { isMet: ([row]) => row?.attempts === 1 })
  t.strictSame([row!.error, row!.state], ['not_public', 'pending'])
  t.equal(connections, 0)
})
