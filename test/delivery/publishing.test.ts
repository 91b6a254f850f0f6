import t from 'tap'
import type { Sent } from '../../src/platforms/contract/adapter.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { beforePrepare, lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

t.test('a due post is published once on each of its accounts, with the content of that account', async (t) => {
  const [mastodon, discord] = [scriptedNetwork(), scriptedNetwork('at-most-once')]
  const { ada, connectAccount, post, work, readStatus, readDelivery, time } = await createDeliveryWorld(t, {
    mastodon,
    discord,
  })
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('discord')]
  const id = await post({
    accountIds: [first, second],
    caption: 'Hello',
    accountOverrides: [{ accountId: second, captionOverride: 'Hi', fields: { tts: true } }],
  })
  await work()
  await work()
  t.same([mastodon.posts, discord.posts], [['Hello'], ['Hi']])
  t.hasStrict(discord.acts[0], { kind: 'post', fields: { tts: true }, parent: null, root: null, accountId: second })
  t.equal(await readStatus(id), 'published')
  const done = await readDelivery(id, first)
  t.hasStrict(done, {
    state: 'published',
    attempts: 1,
    nextAttemptAt: null,
    publishedAt: time.now.toISOString(),
    externalId: 'n1',
    externalUrl: 'https://network.example/n1',
    acts: [{ externalId: 'n1', externalUrl: 'https://network.example/n1' }],
    error: null,
    history: [{ number: 1, act: 1, outcome: 'published', error: null, finishedAt: time.now.toISOString() }],
  })
  const { body: published } = await ada.call('GET', `/posts/${id}`)
  t.equal(published.updatedAt, time.now.toISOString())
  const sinceCreatedMs = time.now.getTime() - Date.parse(published.createdAt)
  t.ok(Math.abs(done.latenessMs! - sinceCreatedMs) <= 1, 'the database counts in microseconds')
  t.hasStrict(await ada.call('DELETE', `/posts/${id}`), {
    status: 400,
    body: { error: 'Cannot delete published post' },
  })
})

t.test('drafts and posts that are not due yet are not sent', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readStatus, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const { body: draft } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'draft' })
  const due = new Date(time.now.getTime() + HOUR)
  const later = await post({ accountIds: [account], caption: 'later', scheduledAt: due.toISOString() })
  await work()
  t.same(mastodon.posts, [])
  t.hasStrict(await readDelivery(draft.id), { state: 'waiting', attempts: 0, nextAttemptAt: null, history: [] })
  t.hasStrict(await ada.call('POST', `/posts/${draft.id}/deliveries/${account}/retry`), {
    status: 409,
    body: { error: 'Post is a draft: publish it instead' },
  })
  t.hasStrict(await readDelivery(later), { state: 'queued', attempts: 0, nextAttemptAt: due.toISOString() })
  t.equal(await readStatus(later), 'scheduled')
  await work(HOUR)
  t.same(mastodon.posts, ['later'])
  t.hasStrict(await readDelivery(later), { latenessMs: time.now.getTime() - due.getTime() })
})

t.test('a file that was registered without content fails the delivery, and nothing is sent', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'facts', mediaIds: [await ada.media()] })
  await work()
  t.hasStrict(await readDelivery(id), { state: 'failed', error: { code: 'media_unreadable', retryable: false } })
  t.same(mastodon.acts, [])
})

t.test('an id or address that the database cannot store becomes null, and the delivery is published', async (t) => {
  for (const strange of ['\0', '\ud800']) {
    const mastodon = scriptedNetwork()
    const { connectAccount, post, createWorker, readDelivery } = await createDeliveryWorld(t, { mastodon })
    const url = `https://network.example/${strange}a`
    const sending = (id: string) => ({
      mastodon: {
        ...mastodon,
        publish: async (...all: Parameters<typeof mastodon.publish>) => ({
          ...((await mastodon.publish(...all)) as Sent),
          id,
          url,
        }),
      },
    })
    for (const [id, kept] of [
      ['n1', 'n1'],
      [`n${strange}`, null],
    ] as const) {
      const postId = await post({ accountIds: [await connectAccount('mastodon')], caption: 'strange' })
      const worker = createWorker({ networks: sending(id) })
      await worker.claim()
      await worker.idle()
      t.hasStrict(await readDelivery(postId), { state: 'published', externalId: kept, externalUrl: null })
    }
  }
})

t.test('an attempt starts when its preparation starts, also by the clock of the database', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, createWorker, readDelivery } = await createDeliveryWorld(t, { mastodon })
  let uptime = 0
  const worker = createWorker({
    networks: {
      mastodon: beforePrepare(mastodon, () => {
        uptime += MINUTE
      }),
    },
    clock: () => null,
    uptimeMs: () => uptime,
  })
  mastodon.steps.push({ isAccepted: true }, { isAccepted: false, error: refusal(), isEarly: true })
  for (const [caption, column] of [
    ['sent', 'intendedAt'],
    ['not sent', 'finishedAt'],
  ] as const) {
    const id = await post({ accountIds: [await connectAccount('mastodon')], caption })
    await worker.claim()
    await worker.idle()
    const [attempt] = (await readDelivery(id)).history
    t.equal(Date.parse(attempt![column]!) - Date.parse(attempt!.startedAt), MINUTE)
  }
})

t.test('an act that reconciling finds was published when its call was made', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'found' })
  const calledAt = time.now.toISOString()
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  await work(HOUR)
  t.hasStrict(await readDelivery(id), { state: 'published', publishedAt: calledAt })
})
