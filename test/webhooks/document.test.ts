import t from 'tap'
import { EVENT_TYPES } from '../../schemas/event.ts'
import { readDocument, type Schema, validatorOf } from '../helpers/document.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, numberEvents, startReceiver } from './scene.ts'

interface Received {
  post: { requestBody: { content: { 'application/json': { schema: Schema; examples: Record<string, unknown> } } } }
}

const document = readDocument() as ReturnType<typeof readDocument> & { webhooks: Record<string, Received> }
const problemWith = validatorOf(document)

t.test('each type of event has a body with one example in the section `webhooks`', async (t) => {
  t.strictSame(Object.keys(document.webhooks), EVENT_TYPES)
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    t.equal(Object.keys(post.requestBody.content['application/json'].examples).length, 1, type)
  }
})

t.test('what receivers get is as the section `webhooks` of the document says', async (t) => {
  const { ada, db, hook, dispatch } = await createWebhookWorld(t)
  const receiver = await startReceiver(t)
  const { id } = await hook(receiver)
  const account = await ada.account('sandbox', { credentials: { username: 'ada' } })
  const post = {
    accountIds: [account],
    caption: 'words of ada',
    scheduledAt: '2999-01-01T00:00:00Z',
    metadata: { order: '7' },
  }
  const { body: created } = await ada.call('POST', '/posts', post)
  await ada.call('PATCH', `/posts/${created.id}`, { caption: 'other words of ada' })
  await ada.call('POST', `/posts/${created.id}/deliveries/${account}/cancel`)
  await ada.call('DELETE', `/posts/${created.id}`)
  const { body: key } = await ada.call('POST', '/keys', { name: 'a', scopes: ['posts:read'] })
  await ada.call('POST', `/keys/${key.id}/rotate`, {})
  await ada.call('DELETE', `/keys/${key.id}`)
  await ada.call('DELETE', `/accounts/${account}`)
  await numberEvents(db)
  for (const type of EVENT_TYPES) await ada.call('POST', `/webhooks/${id}/test`, { type })
  await numberEvents(db)
  dispatch(t)
  await until('each type has been received', () => EVENT_TYPES.filter((type) => !receiver.types().includes(type)), {
    isMet: (missing) => missing.length === 0,
  })
  for (const { body, text } of receiver.received) {
    const { schema } = document.webhooks[body.type]!.post.requestBody.content['application/json']
    t.equal(problemWith(schema, body), '', text)
    t.ok(text.length < 20_000)
    t.notOk(text.includes('words of ada'), 'no caption is sent')
  }
})
