import t from 'tap'
import type { SandboxFault } from '../../schemas/sandbox.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

t.test('sandbox: each fault ends as on a real network, and every call is listed', async (t) => {
  const { ada, connect, readAccount, uploadFile, post, work, readDelivery, readStatus } = await createNetworkWorld(t)
  const account = await connect('sandbox')
  const mediaIds = [await uploadFile(await jpeg(), 'A lighthouse')]
  interface Ending {
    /** The delivery after the first attempt. */
    first: object
    state: 'published' | 'failed' | 'unconfirmed'
    outcomes: string[]
    /** Whether the sandbox accepted each call, in order. */
    accepted: boolean[]
    error?: object
  }
  const endings: Record<SandboxFault, Ending> = {
    rate_limited: {
      first: { state: 'queued', error: { code: 'rate_limited' } },
      state: 'published',
      outcomes: ['failed', 'published'],
      accepted: [false, true],
    },
    server_error: {
      first: { state: 'queued', error: { code: 'server_error' } },
      state: 'published',
      outcomes: ['absent', 'published'],
      accepted: [false, true],
    },
    server_error_after: {
      first: { state: 'queued', error: { code: 'server_error' } },
      state: 'published',
      outcomes: ['found'],
      accepted: [true],
    },
    timeout_after: {
      first: { state: 'queued', error: { code: 'timeout' } },
      state: 'published',
      outcomes: ['found'],
      accepted: [true],
    },
    unknown: {
      first: { state: 'queued', error: { code: 'timeout' } },
      state: 'unconfirmed',
      outcomes: ['unknown'],
      accepted: [true],
      error: { code: 'unknown_outcome' },
    },
    expired_token: {
      first: { state: 'failed' },
      state: 'failed',
      outcomes: ['failed'],
      accepted: [false],
      error: { code: 'unauthorized', retryable: false },
    },
    content_refused: {
      first: { state: 'failed' },
      state: 'failed',
      outcomes: ['failed'],
      accepted: [false],
      error: { code: 'content_refused', retryable: false },
    },
    slow_media: {
      first: { state: 'queued', attempts: 0, error: null },
      state: 'published',
      outcomes: ['published'],
      accepted: [true],
    },
  }
  for (const [fault, { first, state, outcomes, accepted, error = null }] of Object.entries(endings)) {
    const accountOverrides = [{ accountId: account, fields: { fault } }]
    const id = await post({ accountIds: [account], caption: fault, mediaIds, accountOverrides })
    await work()
    t.hasStrict(await readDelivery(id), first, fault)
    for (const ms of [MINUTE, MINUTE, HOUR, DAY]) await work(ms)
    const ended = await readDelivery(id)
    t.hasStrict(ended, { state, nextAttemptAt: null, attempts: outcomes.length, error }, fault)
    t.hasStrict(
      ended.history,
      outcomes.map((outcome) => ({ act: 1, outcome })),
      fault,
    )
    t.equal(ended.history.length, outcomes.length, fault)
    t.equal(await readStatus(id), state === 'failed' ? 'scheduled' : 'published', fault)

    const { data } = (await ada.call('GET', '/sandbox/calls')).body
    const calls = data.filter(({ text }: { text: string }) => text === fault).toReversed()
    t.same(
      calls.map((call: { accepted: boolean }) => call.accepted),
      accepted,
      fault,
    )
    t.hasStrict(calls[0], { accountId: account, fault, kind: 'post', media: [{ altText: 'A lighthouse' }] }, fault)
    if (state === 'published') {
      const externalUrl = `https://sandbox.invalid/posts/${calls.at(-1).id}`
      t.hasStrict(ended, { externalId: calls.at(-1).id, externalUrl }, fault)
    } else t.equal(ended.externalId, null, fault)
    const { attention } = await readAccount(account)
    if (fault === 'expired_token') t.hasStrict(attention, { code: 'unauthorized' })
    // Attention ends when something is sent. A post that is refused for its content does not end it.
    else if (fault === 'content_refused') t.hasStrict(attention, { code: 'unauthorized' })
    else t.equal(attention, undefined, fault)
  }
})

t.test('sandbox: a fault hits the act that faultAct names, as often as faultTimes says', async (t) => {
  const { ada, connect, post, work, readDelivery } = await createNetworkWorld(t)
  const account = await connect('sandbox')
  const accountOverrides = (fields: object) => [{ accountId: account, fields }]
  const commented = await post({
    accountIds: [account],
    caption: 'post',
    firstComment: 'comment',
    accountOverrides: accountOverrides({ fault: 'timeout_after', faultAct: 2 }),
  })
  await work()
  t.hasStrict(await readDelivery(commented), { state: 'queued', acts: [{}], error: { code: 'timeout' } })
  await work(MINUTE)
  t.hasStrict(await readDelivery(commented), { state: 'published', acts: [{}, {}], error: null })
  const { data } = (await ada.call('GET', '/sandbox/calls')).body
  t.hasStrict(data, [
    { kind: 'comment', text: 'comment', parentId: data[1].id, fault: 'timeout_after' },
    { kind: 'post', text: 'post', parentId: null, fault: null },
  ])

  const often = await post({
    accountIds: [account],
    caption: 'often',
    accountOverrides: accountOverrides({ fault: 'rate_limited', faultTimes: 3 }),
  })
  for (let hour = 0; hour < 4; hour++) await work(HOUR)
  t.hasStrict(await readDelivery(often), { state: 'published', attempts: 4 })
  const never = await post({
    accountIds: [account],
    caption: 'never',
    accountOverrides: accountOverrides({ fault: 'rate_limited', faultTimes: 1000 }),
  })
  for (let hour = 0; hour < 12; hour++) await work(HOUR)
  t.hasStrict(await readDelivery(never), { state: 'failed', attempts: 8, error: { code: 'rate_limited' } })
})
