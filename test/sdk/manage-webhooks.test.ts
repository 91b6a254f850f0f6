import t from 'tap'
import { InvalidSignature, NotFound, Postroom } from '../../src/clients/sdk/index.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, numberEvents, type Received, startReceiver, untilReceived } from '../webhooks/scene.ts'

const verifyWith =
  (client: Postroom, secret: string) =>
  ({ text, headers }: Received) =>
    client.webhooks.verify(text, headers, secret)

t.test('the client creates a webhook, tests it, rotates its secret, sends events again, and deletes it', async (t) => {
  const { app, ada, db, emit, dispatch } = await createWebhookWorld(t)
  const client = new Postroom({ key: ada.key, baseUrl: await app.listen({ host: '127.0.0.1', port: 0 }) })
  const { webhooks } = client
  const receiver = await startReceiver(t)
  const { received } = receiver
  const deliveries = async (id: string) => (await webhooks.deliveries(id)).data
  const untilDelivered = (count: number) =>
    until(`${count} events are delivered`, () => deliveries(created.id), {
      isMet: (rows) => rows.length === count && rows.every(({ state }) => state === 'delivered'),
    })

  const { secret, ...created } = await webhooks.create({ url: receiver.url, types: ['delivery.*'] })
  recordSecrets('key', secret)
  t.strictSame((await webhooks.list()).data, [created])
  const changed = await webhooks.update(created.id, { types: ['account.*'] })
  t.strictSame(changed, { ...created, types: ['account.*'] })
  t.strictSame(await webhooks.get(created.id), changed)

  dispatch(t)
  t.strictSame(await webhooks.test(created.id), { queued: 1, nextCursor: null })
  await numberEvents(db)
  await untilReceived(receiver, 1)
  const test = await verifyWith(client, secret)(received[0]!)
  t.equal(test.type, 'webhook.test')
  const [row] = await untilDelivered(1)
  t.hasStrict(row, { eventId: test.id, attempts: 1, response: { status: 200, body: 'thanks' }, error: null })

  const rotated = await webhooks.rotateSecret(created.id, { overlapSeconds: 3600 })
  recordSecrets('key', rotated.secret)
  t.not(rotated.secret, secret)
  t.equal(rotated.secrets.length, 2)
  const [eventId] = await emit()
  await untilReceived(receiver, 2)
  for (const each of [secret, rotated.secret]) t.equal((await verifyWith(client, each)(received[1]!)).id, eventId)
  await untilDelivered(2)

  await webhooks.endPreviousSecret(created.id)
  t.strictSame(await webhooks.redeliver(created.id, { eventIds: [eventId!] }), { queued: 1, nextCursor: null })
  await untilReceived(receiver, 3)
  t.equal((await verifyWith(client, rotated.secret)(received[2]!)).id, eventId)
  await t.rejects(verifyWith(client, secret)(received[2]!), InvalidSignature)
  await untilDelivered(2)
  const paged = []
  for await (const { eventId } of webhooks.deliveries(created.id, { limit: 1 })) paged.push(eventId)
  t.strictSame(paged, [eventId, test.id], 'newest first, over pages')

  await webhooks.delete(created.id)
  t.strictSame((await webhooks.list()).data, [])
  await t.rejects(webhooks.get(created.id), NotFound)
})
