import t from 'tap'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, isSigned, ok, startReceiver, untilReceived } from './scene.ts'

t.test('a webhook gets each event, signed as the public library verifies it', async (t) => {
  const { hook, emit, dispatch, log } = await createWebhookWorld(t)
  const receiver = await startReceiver(t)
  const { id, secret } = await hook(receiver)
  const [eventId] = await emit()
  dispatch(t)
  await untilReceived(receiver, 1)
  const [request] = receiver.received
  t.ok(isSigned(secret, request!))
  t.equal(request!.headers['webhook-id'], eventId)
  t.match(request!.headers['content-type'], /^application\/json/)
  t.hasStrict(request!.body, { id: eventId, type: 'account.disconnected', position: 2 })
  const [row] = await until('it is settled', () => log(id), { isMet: ([row]) => row?.state === 'delivered' })
  t.hasStrict(row, {
    eventId,
    attempts: 1,
    nextAttemptAt: null,
    response: { status: 200, body: 'thanks' },
    error: null,
  })
})

t.test('a failed attempt is repeated with the same id and a new signature', async (t) => {
  const { hook, emit, dispatch, log, time } = await createWebhookWorld(t)
  time.now = new Date(Date.now() + 120_000)
  const receiver = await startReceiver(t, (response, _request, count) =>
    count === 1 ? response.writeHead(500).end('no') : ok(response),
  )
  const { id } = await hook(receiver)
  await emit()
  const { stop } = dispatch(t)
  const [row] = await until('the failure is stored', () => log(id), { isMet: ([row]) => row?.attempts === 1 })
  t.hasStrict(row, { state: 'pending', response: { status: 500, body: 'no' }, error: 'status' })
  const delayMs = Date.parse(row!.nextAttemptAt!) - time.now.getTime()
  t.ok(delayMs >= 4_500 && delayMs <= 5_500, `${delayMs} ms: 5 s, with jitter`)
  // Before the time advances: the rest begins when the worker gives the webhook back.
  await stop()
  time.now = new Date(time.now.getTime() + 6_000)
  dispatch(t)
  await until('it is delivered', () => log(id), { isMet: ([row]) => row?.state === 'delivered' })
  const [first, second] = receiver.received
  t.equal(first!.headers['webhook-id'], second!.headers['webhook-id'])
  t.equal(Number(second!.headers['webhook-timestamp']) - Number(first!.headers['webhook-timestamp']), 6)
  t.not(first!.headers['webhook-signature'], second!.headers['webhook-signature'])
  t.equal(receiver.forged.length, 0)
})
