import t from 'tap'
import { createBlueskyDesk, MINUTE } from './bluesky-desk.ts'
import { loopbackFetch } from './pds.ts'

const desk = await createBlueskyDesk(t)
const { pds, post, work, delivery, connectNew, assertPublished } = desk

t.test('a post that is due while its server is down is published later', async (t) => {
  const account = await connectNew('down-2.test')
  const id = await post({ accountIds: [account.id], caption: 'Late' })
  await pds.kill()
  for (const failures of [1, 2]) {
    await work(MINUTE)
    const found = await delivery(id)
    t.hasStrict(found, { state: 'queued', attempts: failures, error: { code: 'unreachable', retryable: true } })
    t.ok(found.nextAttemptAt)
  }
  await pds.restart()
  await work(MINUTE)
  await assertPublished(t, account, id, ['Late'])
  t.strictSame(
    (await delivery(id)).history.map(({ outcome }) => outcome),
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
  const worker = desk.publisher({ fetch: failing })
  await worker.claim()
  await worker.idle()
  t.hasStrict(await delivery(id), {
    state: 'queued',
    error: { code: 'disconnected' },
    history: [{ outcome: 'unknown' }],
  })
  await work(MINUTE)
  t.match(await delivery(id), { state: 'queued', error: { code: /^(?:unreachable|disconnected)$/ } })
  await pds.restart()
  await work(MINUTE)
  await assertPublished(t, account, id, ['Did it arrive?'])
  t.hasStrict((await delivery(id)).history, [{ act: 1, outcome: 'found' }])
})
