import t from 'tap'
import type { Reply } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, numberEvents, startReceiver, untilReceived, type WebhookWorld } from './scene.ts'

const codeOf = ({ status, headers }: Reply) => [status, headers['x-error-code']]
const FROM = { from: '2026-01-01T00:00:00Z' }

const untilDelivered = (log: WebhookWorld['log'], id: string, count: number) =>
  until(`${count} deliveries`, () => log(id), {
    isMet: (rows) => rows.length === count && rows.every(({ state }) => state === 'delivered'),
  })

t.test('events are sent again by their ids, and all or none of a request', async (t) => {
  const { hook, emit, dispatch, log, ada } = await createWebhookWorld(t)
  const receiver = await startReceiver(t)
  const { id } = await hook(receiver, { types: ['account.disconnected'] })
  const ids = await emit(3)
  const [unwanted] = await emit(1, { type: 'account.connected' })
  dispatch(t)
  await untilDelivered(log, id, 3)
  const redeliver = (body: object) => ada.call('POST', `/webhooks/${id}/redeliver`, body)
  t.strictSame((await redeliver({ eventIds: [ids[0], ids[2], ids[0]] })).body, { queued: 2, nextCursor: null })
  await untilReceived(receiver, 5)
  t.same(new Set(receiver.ids().slice(3)), new Set([ids[0], ids[2]]))
  await untilDelivered(log, id, 3)
  for (const missing of [unwanted!, 'nothing', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893']) {
    const reply = await redeliver({ eventIds: [ids[0], missing] })
    t.strictSame(codeOf(reply), [404, 'webhook_event_not_found'])
    t.match(reply.body.error, missing)
  }
  t.strictSame(
    (await redeliver(FROM)).body,
    {
      queued: 0,
      nextCursor: null,
      reason: 'All 3 events that the webhook gets were delivered: send onlyFailed: false to send them again',
    },
    'by time, only what was not delivered',
  )
  t.strictSame((await redeliver({ ...FROM, onlyFailed: false })).body, { queued: 3, nextCursor: null })
  await untilReceived(receiver, 8)
  await untilDelivered(log, id, 3)
  for (const body of [
    {},
    { ...FROM, eventIds: ids },
    { eventIds: [] },
    { before: FROM.from },
    { ...FROM, cursor: 'a' },
  ]) {
    t.strictSame(codeOf(await redeliver(body)), [400, 'invalid_request'], JSON.stringify(body))
  }
  t.equal((await log(id)).length, 3)
  t.equal(receiver.received.length, 8)
})

t.test('a redelivery by time that queues nothing says why', async (t) => {
  const { hook, emit, ada } = await createWebhookWorld(t)
  const { id } = await hook(await startReceiver(t), { types: ['account.disconnected'] })
  await emit(2, { type: 'account.connected' })
  const reasonOf = async (body: object) => (await ada.call('POST', `/webhooks/${id}/redeliver`, body)).body.reason
  t.match(await reasonOf(FROM), /^The webhook gets none of the \d+ events that were looked at: see its types$/)
  t.equal(
    await reasonOf({ from: '2999-01-01T00:00:00Z' }),
    'There are no events in this time, or they are no longer kept',
  )
  t.equal(
    await reasonOf({ ...FROM, before: FROM.from }),
    'There are no events in this time, or they are no longer kept',
  )
})

t.test('a redelivery that has not looked at all events yet says how to read on', async (t) => {
  const { hook, emit, ada } = await createWebhookWorld(t)
  const { id } = await hook(await startReceiver(t), { types: ['account.disconnected'] })
  await emit(1_000, { type: 'account.connected' })
  await emit(1)
  const redeliver = async (body: object) => (await ada.call('POST', `/webhooks/${id}/redeliver`, body)).body
  const { queued, nextCursor, reason } = await redeliver(FROM)
  t.equal(queued, 0)
  t.equal(
    reason,
    'The webhook gets none of the 1000 events that were looked at: see its types. Later events were not looked at: send nextCursor as cursor',
  )
  t.strictSame(await redeliver({ ...FROM, cursor: nextCursor }), { queued: 1, nextCursor: null })
  t.strictSame(await redeliver({ ...FROM, cursor: '999999999' }), {
    queued: 0,
    nextCursor: null,
    reason: 'There are no more events in this time, or they are no longer kept',
  })
})

t.test('what happened while a webhook was disabled is sent by redelivery, in requests of any number', async (t) => {
  const { hook, emit, dispatch, log, ada, user } = await createWebhookWorld(t)
  const receiver = await startReceiver(t)
  const { id } = await hook(receiver, { types: ['account.*'] })
  await ada.call('PATCH', `/webhooks/${id}`, { state: 'disabled' })
  const ids = await emit(2_500)
  await emit(1, { userId: (await user()).id })
  t.equal((await log(id)).length, 0)
  let queued = 0
  let cursor: string | undefined
  for (let requests = 1; ; requests++) {
    const { body } = await ada.call('POST', `/webhooks/${id}/redeliver`, { ...FROM, ...(cursor && { cursor }) })
    queued += body.queued
    cursor = body.nextCursor
    if (!cursor) {
      t.equal(requests, 3)
      break
    }
  }
  t.equal(queued, 2_500)
  await ada.call('PATCH', `/webhooks/${id}`, { state: 'active' })
  dispatch(t)
  await untilReceived(receiver, 2_500)
  t.same(new Set(receiver.ids()), new Set(ids))
})

t.test('a test event reaches its webhook alone, whatever its types are', async (t) => {
  const { hook, dispatch, ada, db } = await createWebhookWorld(t)
  const [receiver, other] = [await startReceiver(t), await startReceiver(t)]
  const { id } = await hook(receiver, { types: ['key.*'] })
  await hook(other)
  const test = (body?: object) => ada.call('POST', `/webhooks/${id}/test`, body)
  t.equal((await test()).status, 202)
  t.equal((await test({ type: 'delivery.published' })).status, 202)
  t.equal((await test({ type: 'delivery.thing' })).status, 400)
  await numberEvents(db)
  dispatch(t)
  await untilReceived(receiver, 2)
  t.same(new Set(receiver.types()), new Set(['webhook.test', 'delivery.published']))
  t.equal(other.received.length, 0)
})

t.test('the log shows deliveries by state and event, page by page', async (t) => {
  const { hook, emit, dispatch, ada, log } = await createWebhookWorld(t)
  const receiver = await startReceiver(t)
  const { id } = await hook(receiver, { types: ['account.*'] })
  const ids = await emit(5)
  dispatch(t)
  await untilDelivered(log, id, 5)
  const read = async (query: string) => (await ada.call('GET', `/webhooks/${id}/deliveries${query}`)).body
  const first = await read('?limit=3&state=delivered')
  const second = await read(`?limit=3&state=delivered&cursor=${first.nextCursor}`)
  t.equal(second.nextCursor, null)
  const found = [...first.data, ...second.data].map(({ eventId }) => eventId)
  t.same(new Set(found), new Set(ids))
  t.equal(found.length, 5)
  t.equal((await read('?state=failed')).data.length, 0)
  t.strictSame(
    (await read(`?eventId=${ids[1]}`)).data.map((row: { eventId: string }) => row.eventId),
    [ids[1]],
  )
  for (const query of ['?state=new', '?states=failed', '?eventId=1', '?limit=101']) {
    t.equal((await ada.call('GET', `/webhooks/${id}/deliveries${query}`)).status, 400, query)
  }
})
