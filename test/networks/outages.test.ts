import t from 'tap'
import { createBlueskyWorld, MINUTE } from './bluesky-world.ts'
import { loopbackFetch } from './pds.ts'

const world = await createBlueskyWorld(t)
const { pds, post, work, readDelivery, connectNew, assertPublished } = world

t.test('a post that is due while its server is down is published later', async (t) => {
  const account = await connectNew('down-2.test')
  const id = await post({ accountIds: [account.id], caption: 'Late' })
  await pds.kill()
  for (const failures of [1, 2]) {
    await work(MINUTE)
    const found = await readDelivery(id)
    t.hasStrict(found, { state: 'queued', attempts: failures, error: { code: 'unreachable', retryable: true } })
    t.ok(found.nextAttemptAt)
  }
  await pds.restart()
  await work(MINUTE)
  await assertPublished(t, account, id, ['Late'])
  t.strictSame(
    (await readDelivery(id)).history.map(({ outcome }) => outcome),
    ['failed', 'failed', 'published'],
  )
})

t.test('a call whose server goes down before its response is reconciled later', async (t) => {
  const account = await connectNew('lost-2.test')
  const id = await post({ accountIds: [account.id], caption: 'Did it arrive?' })
  const failing: typeof fetch = async (url, init) => {
    const response = await loopbackFetch(url, init)
    if (!String(url).includes('putRecord')) return response
    await pds.kill()
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
  }
  const worker = world.createWorker({ fetch: failing })
  await worker.claim()
  await worker.idle()
  t.hasStrict(await readDelivery(id), {
    state: 'queued',
    error: { code: 'disconnected' },
    history: [{ outcome: 'unknown' }],
  })
  await work(MINUTE)
  t.match(await readDelivery(id), { state: 'queued', error: { code: /^(?:unreachable|disconnected)$/ } })
  await pds.restart()
  await work(MINUTE)
  await assertPublished(t, account, id, ['Did it arrive?'])
  t.hasStrict((await readDelivery(id)).history, [{ act: 1, outcome: 'found' }])
})
