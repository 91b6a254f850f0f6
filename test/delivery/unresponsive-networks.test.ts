import { mock } from 'node:test'
import t from 'tap'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'

t.test('an adapter that never returns does not hold its account forever', async (t) => {
  for (const isIntended of [false, true]) {
    const telegram = scriptedNetwork('at-most-once')
    const { connectAccount, post, createWorker, readDelivery } = await createDeliveryWorld(t, { telegram })
    const id = await post({ accountIds: [await connectAccount('telegram')], caption: 'stuck' })
    let begun = false
    const stuck = () => {
      begun = true
      return new Promise(() => {})
    }
    const worker = createWorker({
      networks: {
        telegram: { ...telegram, [isIntended ? 'publish' : 'prepare']: stuck },
      },
    })
    await worker.claim()
    await until('the adapter was called', () => begun)
    await worker.drain()
    t.hasStrict(await readDelivery(id), { state: isIntended ? 'unconfirmed' : 'queued' })
  }
})

t.test('a call that gets no response ends with the time limit of its act', async (t) => {
  const limits: number[] = []
  const over = mock.method(AbortSignal, 'timeout', (ms: number) => {
    limits.push(ms)
    return AbortSignal.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  })
  t.teardown(() => over.mock.restore())
  const telegram = scriptedNetwork('at-most-once')
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, {
    telegram: {
      ...telegram,
      prepare: async () => ({ ready: { attempt: 1 } }),
      publish: async (_act, { signal }) => {
        signal.throwIfAborted()
        return { id: '1', url: null }
      },
    },
  })
  const id = await post({ accountIds: [await connectAccount('telegram')], caption: 'hanging' })
  await work()
  t.same(limits, [60_000])
  t.hasStrict(await readDelivery(id), { state: 'unconfirmed', attempts: 1 })
})
