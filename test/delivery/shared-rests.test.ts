import t from 'tap'
import { readWaiting } from '../../db/queries/delivery/backlog.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

t.test('the accounts of a shared rest wait for a worker from the end of the rest', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { db, connectAccount, post, work, time } = await createDeliveryWorld(t, { telegram })
  const [first, second] = [await connectAccount('telegram'), await connectAccount('telegram')]
  await db.updateTable('accounts').set({ limitKey: 'telegram:1' }).execute()
  telegram.steps.push({
    isAccepted: false,
    error: refusal('rate_limited', { retryable: true, retryAfterMs: HOUR, limitKey: 'telegram:1' }),
  })
  await post({ accountIds: [first], caption: 'limited' })
  await work()
  await post({ accountIds: [second], caption: 'shared' })
  await work()
  t.strictSame(telegram.posts, [])
  time.now = new Date(time.now.getTime() + HOUR + 100)
  const [waiting] = await readWaiting(db, { platforms: [...PLATFORM_IDS], leaseMs: LEASE_MS, now: time.now })
  t.ok(waiting!.waitingMs < MINUTE, `waiting for ${waiting!.waitingMs} ms`)
})

t.test('a running delivery heeds a rest that its account shares', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { db, connectAccount, post, work, time, createWorker } = await createDeliveryWorld(t, { telegram })
  const [first, second] = [await connectAccount('telegram'), await connectAccount('telegram')]
  await db.updateTable('accounts').set({ limitKey: 'telegram:1' }).execute()
  await post({ accountIds: [second], postType: 'post', caption: 'one', firstComment: 'two' })
  const between = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  telegram.stepOf = ({ text }) => {
    if (text === 'one')
      return {
        isAccepted: true,
        beforeResponse: async () => {
          reached.resolve()
          await between.promise
        },
      }
    if (text === 'limited')
      return {
        isAccepted: false,
        error: refusal('rate_limited', { retryable: true, retryAfterMs: HOUR, limitKey: 'telegram:1' }),
      }
    return { isAccepted: true }
  }
  const worker = createWorker()
  await worker.claim()
  await reached.promise
  await post({ accountIds: [first], caption: 'limited' })
  await work()
  // Telegram's own rate allows the comment by now.
  time.now = new Date(time.now.getTime() + 2 * SECOND)
  await worker.renew()
  between.resolve()
  await worker.idle()
  t.strictSame(telegram.posts, ['one'], 'the comment waits for the end of the rest')
})
