import t from 'tap'
import { createRoom } from '../../src/base/http/room.ts'

t.test('who has least is next, and who has its part waits', async (t) => {
  const room = createRoom({ max: 4, perOwner: 3 })
  const order: string[] = []
  const take = async (owner: string, amount: number) => {
    const giveBack = await room.take(owner, amount)
    order.push(`${owner} ${amount}`)
    return giveBack
  }
  await take('ada', 2)
  const giveBack = await take('bob', 2)
  const waiting = [take('ada', 1), take('cleo', 1), take('ada', 1)]
  giveBack()
  await Promise.all(waiting.slice(0, 2))
  t.strictSame(order, ['ada 2', 'bob 2', 'cleo 1', 'ada 1'])
  await t.rejects(waiting[2]!, { code: 'service_busy' }, 'ada has her part')
})

t.test('who gets no room within a second is told to come back', async (t) => {
  const room = createRoom({ perOwner: 1 })
  const giveBack = await room.take('ada', 1)
  await t.rejects(room.take('ada', 1), { statusCode: 503, code: 'service_busy' })
  giveBack()
  t.type(await room.take('ada', 1), 'function')
})
