import type { ServerResponse } from 'node:http'
import t from 'tap'
import { createSlots } from '../../src/base/slots.ts'
import { until } from '../helpers/until.ts'
import { createWebhookWorld, ok, startReceiver, untilReceived } from './scene.ts'

t.test('receivers of one user that hang leave slots to the unproven webhooks of others', async (t) => {
  const { user, hook, emit, dispatch } = await createWebhookWorld(t)
  const held: ServerResponse[] = []
  t.teardown(async () => {
    for (const response of held) ok(response)
  })
  const tarpit = await startReceiver(t, (response) => held.push(response))
  for (let count = 0; count < 20; count++) await hook(tarpit)
  await emit()
  dispatch(t)
  await until('as many attempts hang as one user may have', () => held.length === 5)

  const bob = await user()
  const receiver = await startReceiver(t)
  await hook(receiver, {}, bob)
  await emit(1, { userId: bob.id })
  await untilReceived(receiver, 1)
  t.equal(tarpit.received.length, 5, 'no other attempt of the first user has begun')
})

t.test('slots go to callers in their order, except for users who have as many as they may', async (t) => {
  const slots = createSlots({ max: 3, perUser: 2 })
  const order: string[] = []
  const take = async (name: string) => {
    const giveBack = await slots.take(name[0]!)
    order.push(name)
    return giveBack
  }
  const [a1] = await Promise.all([take('a1'), take('a2')])
  void take('a3')
  const b1 = await take('b1')
  void take('b2')
  void take('c1')
  t.strictSame(order, ['a1', 'a2', 'b1'])
  b1()
  b1()
  await until('b2 gets the slot', () => order.length === 4)
  t.strictSame(order, ['a1', 'a2', 'b1', 'b2'], 'a3 is passed over')
  a1()
  await until('a3 gets the slot', () => order.length === 5)
  t.strictSame(order, ['a1', 'a2', 'b1', 'b2', 'a3'], 'and c1 still waits: all slots are taken')
})
