import t from 'tap'
import type { Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, type Person } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'
import { ACCOUNT, createWebhookWorld, numberEvents, startReceiver, untilReceived } from './scene.ts'

t.test('a webhook gets its types and accounts, as far as the scopes of its key go', async (t) => {
  const { ada, db, app, hook, emit, dispatch, user } = await createWebhookWorld(t)
  const account = await ada.account()
  const keyWith = async (scopes: Scope[], accountIds: string[] | null = null): Promise<Person> => {
    const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes, accountIds })
    return { ...ada, call: (...request) => call(app, key, ...request) }
  }
  const hooks = {
    all: await startReceiver(t),
    families: await startReceiver(t),
    exact: await startReceiver(t),
    posts: await startReceiver(t),
    account: await startReceiver(t),
    ofLimitedKey: await startReceiver(t),
    ofBob: await startReceiver(t),
  }
  await hook(hooks.all)
  await hook(hooks.families, { types: ['delivery.*', 'account.*'] })
  await hook(hooks.exact, { types: ['delivery.failed'] })
  await hook(hooks.posts, {}, await keyWith(['webhooks:manage', 'posts:read']))
  await hook(hooks.account, { accountIds: [account] })
  await hook(hooks.ofLimitedKey, {}, await keyWith(['webhooks:manage', 'posts:read'], [account]))
  await hook(hooks.ofBob, {}, await user('bob'))

  const emitted: [type: string, accountIds: string[] | null][] = [
    ['post.created', [account]],
    ['post.created', [account, ACCOUNT]],
    ['delivery.published', [account]],
    ['delivery.failed', [ACCOUNT]],
    ['account.expiring', [account]],
    ['key.expiring', null],
    ['webhook.failing', null],
  ]
  for (const [type, accountIds] of emitted) await emit(1, { type, accountIds })
  dispatch(t)
  const expected: Record<keyof typeof hooks, number[]> = {
    all: [0, 1, 2, 3, 4, 5, 6],
    families: [2, 3, 4],
    exact: [3],
    posts: [0, 1, 2, 3, 6],
    account: [0, 2, 4],
    ofLimitedKey: [0, 2],
    ofBob: [],
  }
  for (const [name, indexes] of Object.entries(expected)) {
    const receiver = hooks[name as keyof typeof hooks]
    const wanted = indexes.map((index) => emitted[index]![0]).sort()
    const types = () =>
      receiver
        .types()
        .filter((type) => emitted.some(([emittedType]) => type === emittedType))
        .sort()
    await until(`${name} gets ${wanted}`, types, { isMet: ({ length }) => length >= wanted.length })
    t.same(types(), wanted, name)
  }
})

t.test('an event of more than 20,000 bytes is sent without its metadata', async (t) => {
  const { ada, db, hook, dispatch } = await createWebhookWorld(t)
  const account = await ada.account()
  const receiver = await startReceiver(t)
  await hook(receiver, { types: ['post.created'] })
  const texts = (character: string) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`name ${index}`, character.repeat(500)]))
  const events = []
  for (const metadata of [texts('a'), texts('界')]) {
    await ada.call('POST', '/posts', { accountIds: [account], externalReference: 'order-7', metadata })
    await numberEvents(db)
    events.push((await ada.call('GET', '/events?types=post.created')).body.data.at(-1))
  }
  dispatch(t)
  await untilReceived(receiver, 2)
  const bodies = events.map(({ id }) => receiver.received.find(({ body }) => body.id === id)!)
  t.strictSame(bodies[0]!.body, events[0])
  const { metadata, ...data } = events[1].data
  t.strictSame(metadata, texts('界'), 'getEvent has it')
  t.strictSame(bodies[1]!.body, { ...events[1], data })
  t.ok(Buffer.byteLength(bodies[1]!.text) < 20_000)
})

t.test('a thin payload has ids only', async (t) => {
  const { hook, emit, dispatch } = await createWebhookWorld(t)
  const receiver = await startReceiver(t)
  await hook(receiver, { types: ['account.disconnected'], payload: 'thin' })
  const [id] = await emit()
  dispatch(t)
  await untilReceived(receiver, 1)
  const { body } = receiver.received[0]!
  t.strictSame(body, { ...body, id, type: 'account.disconnected', data: { accountId: ACCOUNT } })
  t.strictSame(Object.keys(body), ['id', 'type', 'timestamp', 'position', 'data'])
})
