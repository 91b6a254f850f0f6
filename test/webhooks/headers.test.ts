import t from 'tap'
import { recordSecrets } from '../helpers/log-record.ts'
import { collectProblems } from '../helpers/problems.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, startReceiver } from './scene.ts'

const SECRET = 'Bearer the-secret-of-a-gateway'
recordSecrets('credentials', SECRET)

t.test('the headers of the owner go with each event, and no response contains them', async (t) => {
  const { ada, hook, emit, dispatch } = await createWebhookWorld(t)
  const receiver = await startReceiver(t)
  const { id } = await hook(receiver, { headers: { Authorization: SECRET, 'X-Team': 'a b' } })
  dispatch(t)
  const receive = async (count: number) => {
    await emit()
    await until('the event is received', () => receiver.received.length === count)
    const { authorization = null, 'x-team': team = null, 'webhook-id': eventId } = receiver.received.at(-1)!.headers
    t.equal(eventId, receiver.received.at(-1)!.body.id)
    return [authorization, team]
  }
  t.strictSame(await receive(1), [SECRET, 'a b'])

  const rotated = await ada.call('POST', `/webhooks/${id}/rotate-secret`, { overlapSeconds: 60 })
  receiver.secrets.unshift(rotated.body.secret)
  recordSecrets('key', rotated.body.secret)
  t.strictSame(await receive(2), [SECRET, 'a b'], 'a new secret leaves them')
  t.equal((await ada.call('PATCH', `/webhooks/${id}`, { headers: { 'x-team': 'c' } })).status, 200)
  t.strictSame(await receive(3), [null, 'c'], 'new ones replace all')
  t.equal((await ada.call('PATCH', `/webhooks/${id}`, { headers: {} })).status, 200)
  t.strictSame(await receive(4), [null, null])

  const created = await ada.call('POST', '/webhooks', { url: receiver.url, headers: { authorization: SECRET } })
  recordSecrets('key', created.body.secret)
  const shown = [created, await ada.call('GET', `/webhooks/${created.body.id}`), await ada.call('GET', '/webhooks')]
  t.notOk(JSON.stringify(shown.map(({ body }) => body)).includes('gateway'))
})

t.test('a webhook takes its headers to another host only if they are sent again', async (t) => {
  const { ada, hook } = await createWebhookWorld(t)
  const [first, second] = [await startReceiver(t), await startReceiver(t)]
  const { id } = await hook(first, { headers: { authorization: SECRET } })
  const change = async (body: object) => (await ada.call('PATCH', `/webhooks/${id}`, body)).status
  t.equal(await change({ url: `${first.url}?other` }), 200)
  t.equal(await change({ url: second.url }), 400)
  t.equal(await change({ url: second.url, headers: {} }), 200)
  t.equal(await change({ url: first.url }), 200, 'there are none any more')
})

t.test('headers that the service or the connection sets, and malformed ones, are refused', async (t) => {
  const { ada } = await createWebhookWorld(t)
  const receiver = await startReceiver(t)
  const { problems, check } = collectProblems()
  const refused: Record<string, string>[] = [
    ...['webhook-id', 'Webhook-Signature', 'webhook-x', 'content-type', 'Content-Length', 'host', 'connection'],
    ...['transfer-encoding', 'te', 'upgrade', 'expect', 'proxy-authorization', 'keep-alive', 'user-agent'],
    ...['a b', 'a:b', 'a\r\nb', '', 'ü', 'a'.repeat(101)],
  ].map((name) => ({ [name]: 'value' }))
  refused.push({ a: '' }, { a: 'b\r\nc: d' }, { a: 'b\0' }, { a: 'ü' }, { a: ' b' }, { a: 'b', A: 'c' })
  refused.push(
    { a: 'b'.repeat(4_000) },
    Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`a${index}`, 'b'])),
  )
  for (const headers of refused) {
    const { status } = await ada.call('POST', '/webhooks', { url: receiver.url, headers })
    check(status, 400, JSON.stringify(headers).slice(0, 60))
  }
  t.strictSame(problems, [])
  t.strictSame((await ada.call('GET', '/webhooks')).body.data, [])
})
