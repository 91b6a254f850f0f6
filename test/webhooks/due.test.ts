import t from 'tap'
import { samplesOf } from '../helpers/scrape.ts'
import { createWebhookWorld, startReceiver, untilReceived } from './scene.ts'

const MINUTE = 60_000
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE)

t.test('the age of the oldest delivery that waits for a worker is shown, not that of webhooks that rest', async (t) => {
  const { app, db, hook, emit, dispatch } = await createWebhookWorld(t)
  const readMinutes = async () => {
    const { payload } = await app.inject('/metrics')
    return Math.floor(samplesOf(payload).postroom_webhooks_due_seconds! / 60)
  }
  const receiver = await startReceiver(t)
  const { id } = await hook(receiver)
  const change = (values: object) => db.updateTable('webhooks').set(values).where('id', '=', id).execute()
  t.equal(await readMinutes(), 0)

  await emit(3)
  await db
    .updateTable('webhookDeliveries')
    .set({ dueAt: ago(40) })
    .execute()
  t.ok((await readMinutes()) >= 40)
  await change({ restsUntil: ago(-60) })
  t.equal(await readMinutes(), 0, 'it rests')
  await change({ restsUntil: ago(20) })
  const sinceRest = await readMinutes()
  t.ok(sinceRest >= 20 && sinceRest < 40, 'it has rested until then')
  await change({ leasedUntil: ago(-60) })
  t.equal(await readMinutes(), 0, 'a worker sends to it')
  await change({ leasedUntil: ago(1), disabledAt: ago(1), disabledReason: 'owner' })
  t.equal(await readMinutes(), 0, 'it is disabled')
  await change({ disabledAt: null, disabledReason: null })
  t.ok((await readMinutes()) >= 20)

  dispatch(t)
  await untilReceived(receiver, 3)
  t.equal(await readMinutes(), 0, 'it is sent')
})
