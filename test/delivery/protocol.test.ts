import { sql } from 'kysely'
import t from 'tap'
import { backoffMs } from '../../src/delivery/failures.ts'
import type { Sent } from '../../src/platforms/adapter.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { beforePrepare, lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

t.test('a post that is due goes out once to each of its accounts, and says so', async (t) => {
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
  t.match(discord.acts[0], { kind: 'post', fields: { tts: true }, parent: null, root: null, accountId: second })
  t.equal(await readStatus(id), 'published')
  const done = await readDelivery(id, first)
  t.match(done, {
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
  t.ok((done.latenessMs as number) >= 0 && (done.latenessMs as number) < MINUTE)
  t.equal((await ada.call('GET', `/posts/${id}`)).body.updatedAt, time.now.toISOString())
  t.match(await ada.call('DELETE', `/posts/${id}`), { status: 400, body: { error: 'Cannot delete published post' } })
})

t.test('drafts and what is not due yet stay', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readStatus, readDelivery, time, createWorker } = await createDeliveryWorld(
    t,
    { mastodon },
  )
  const account = await connectAccount('mastodon')
  const { body: draft } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'draft' })
  const due = new Date(time.now.getTime() + HOUR)
  const later = await post({ accountIds: [account], caption: 'later', scheduledAt: due.toISOString() })
  await work()
  t.same(mastodon.posts, [])
  t.match(await readDelivery(draft.id), { state: 'waiting', attempts: 0, nextAttemptAt: null, history: [] })
  t.match(await ada.call('POST', `/posts/${draft.id}/deliveries/${account}/retry`), {
    status: 409,
    body: { error: 'Post is a draft: publish it instead' },
  })
  t.match(await readDelivery(later), { state: 'queued', attempts: 0, nextAttemptAt: due.toISOString() })
  t.equal(await readStatus(later), 'scheduled')
  t.equal(await createWorker().nextDueInMs(), due.getTime() - time.now.getTime())
  await work(HOUR)
  t.same(mastodon.posts, ['later'])
  t.match(await readDelivery(later), { latenessMs: time.now.getTime() - due.getTime() })
})

t.test('the parts of a thread and the first comment follow each other, each with an attempt of its own', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const id = await post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['one', 'two'] },
    firstComment: 'and',
  })
  await work()
  t.same(bluesky.posts, ['one', 'two', 'and'])
  const [one, two, and] = bluesky.acts
  t.match(two, { kind: 'post', parent: { id: 'n1' }, root: { id: 'n1' } })
  t.match(and, { kind: 'comment', parent: { id: 'n2' }, root: { id: 'n1' } })
  t.equal(new Set([one, two, and].map((act) => act?.token)).size, 3)
  t.ok(one!.startedAt < two!.startedAt && two!.startedAt < and!.startedAt, 'as networks name and sort them')
  t.match(await readDelivery(id), { state: 'published', attempts: 3, acts: [{}, {}, { externalId: 'n3' }] })
})

t.test('a post that is no thread goes out as its caption, whatever parts it was given', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { connectAccount, post, work } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  await post({ accountIds: [account], caption: 'whole', threadParts: { [account]: ['one', 'two'] } })
  await work()
  t.same(bluesky.posts, ['whole'])
})

t.test('what the network refuses for good has failed, in its words, and the post can be deleted', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readStatus, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'no' })
  mastodon.steps.push({ isAccepted: false, error: refusal() })
  await work()
  await work(DAY)
  t.equal(mastodon.acts.length, 1)
  const error = { code: 'content_refused', message: 'network.example: no', retryable: false }
  t.match(await readDelivery(id), { state: 'failed', attempts: 1, error, history: [{ outcome: 'failed', error }] })
  t.equal(await readStatus(id), 'scheduled')
  t.match(await ada.call('DELETE', `/posts/${id}`), { status: 200 })
})

t.test('what was not accepted for now is tried again, later each time, and given up in the end', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery, time, readStatus } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'again' })
  const waits: number[] = []
  for (let attempt = 1; attempt <= 8; attempt++) {
    mastodon.steps.push({
      isAccepted: false,
      error: refusal('unreachable', { retryable: true }),
      isEarly: attempt % 2 === 0,
    })
    await work()
    t.equal(mastodon.acts.length, attempt)
    const { state, nextAttemptAt } = await readDelivery(id)
    if (attempt === 8) t.equal(state, 'failed')
    else {
      t.equal(state, 'queued')
      waits.push(Date.parse(nextAttemptAt!) - time.now.getTime())
      await work(waits.at(-1)! - 1)
      t.equal(mastodon.acts.length, attempt, 'not before its time')
      time.now = new Date(time.now.getTime() + 1)
    }
  }
  for (const [index, wait] of waits.entries()) {
    const longest = Math.min(30 * SECOND * 2 ** index, HOUR)
    t.ok(wait > longest / 2 && wait <= longest, `${wait} ms after failure ${index + 1}`)
  }
  t.match(await readDelivery(id), { attempts: 8, error: { code: 'unreachable', retryable: true } })
  t.equal(await readStatus(id), 'scheduled')

  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  mastodon.steps.push({ isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  await work(MINUTE)
  t.match(await readDelivery(id), { state: 'queued', attempts: 9 }, 'a retry begins anew')
})

t.test('what waits for another attempt lets those behind it pass', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const accountIds = [await connectAccount('mastodon')]
  mastodon.steps.push({ isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  await post({ accountIds, caption: 'first' })
  await work()
  await post({ accountIds, caption: 'second' })
  await work()
  t.same(mastodon.posts, ['second'])
  await work(MINUTE)
  t.same(mastodon.posts, ['second', 'first'])
})

t.test('a network that wants to be left alone is, and so is nobody else', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  mastodon.steps.push({
    isAccepted: false,
    error: refusal('rate_limited', { retryable: true, retryAfterMs: 10 * MINUTE }),
  })
  const id = await post({ accountIds: [first], caption: 'limited' })
  await work()
  const next = await post({ accountIds: [first], caption: 'next' })
  const other = await post({ accountIds: [second], caption: 'other' })
  await work()
  t.same(mastodon.posts, ['other'], 'the whole account rests')
  t.equal((await readDelivery(other)).state, 'published')
  t.ok(Date.parse((await readDelivery(id)).nextAttemptAt!) >= time.now.getTime() + 9 * MINUTE)
  t.equal((await readDelivery(next)).state, 'queued')
  await work(10 * MINUTE)
  t.same(mastodon.posts, ['other', 'limited', 'next'])
})

t.test('a network that wants a moment, again and again, does not use up all attempts within moments', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'patient' })
  const error = refusal('rate_limited', { retryable: true, retryAfterMs: SECOND })
  for (let attempt = 1; attempt <= 7; attempt++) mastodon.steps.push({ isAccepted: false, error })
  await work()
  const waits: number[] = []
  for (;;) {
    const { nextAttemptAt } = await readDelivery(id)
    if (!nextAttemptAt) break
    waits.push(Date.parse(nextAttemptAt) - time.now.getTime())
    await work(waits.at(-1)!)
  }
  t.same(mastodon.posts, ['patient'])
  t.equal(waits.length, 7)
  for (const [index, wait] of waits.entries()) {
    const longest = index === 0 ? SECOND : 30 * SECOND * 2 ** index
    t.ok(wait > longest / 2 && wait <= longest, `${wait} ms after the ${index + 1}. time`)
  }
})

t.test('a lost answer is asked about, and what is there is not sent again', async (t) => {
  for (const guarantee of ['exactly-once', 'reconcilable'] as const) {
    const mastodon = scriptedNetwork(guarantee)
    const { ada, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
    const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'once', firstComment: 'and' })
    mastodon.steps.push({ isAccepted: true, error: lostResponse() })
    await work()
    t.match(await readDelivery(id), {
      state: 'queued',
      publishedAt: null,
      latenessMs: null,
      error: { code: 'timeout' },
    })
    const [attempt] = (await readDelivery(id)).history
    t.match(attempt, { outcome: 'unknown', error: { code: 'timeout' } })
    t.equal(await readStatus(id), 'published', 'it may be out')
    t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 400)
    t.equal(mastodon.reconcileCount, 0, 'a call that is on its way is given the time to arrive')
    await work(MINUTE)
    t.equal(mastodon.reconcileCount, 1)
    t.same(mastodon.posts, ['once', 'and'])
    t.match(await readDelivery(id), { state: 'published', attempts: 2, externalId: 'n1', error: null })
    const { history } = await readDelivery(id)
    t.match(history, [{ act: 1 }, { act: 2, outcome: 'published' }])
    t.same(history[0], { ...attempt, outcome: 'found' }, 'when it ended, and how, is not rewritten')
  }
})

t.test('what is not there when the network is asked is sent again under the same token', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'twice' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  await work()
  await work(MINUTE)
  t.same(mastodon.posts, ['twice'])
  t.equal(mastodon.acts[0]?.token, mastodon.acts[1]?.token)
  t.same(mastodon.acts[0]?.startedAt, mastodon.acts[1]?.startedAt)
  t.match((await readDelivery(id)).history, [{ outcome: 'absent' }, { outcome: 'published' }])
  t.equal(await readStatus(id), 'published')
})

t.test('a post that was taken for published, and is nowhere, is scheduled again', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, {
    mastodon,
    bluesky,
  })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'nowhere' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  await work()
  t.equal(await readStatus(id), 'published')
  await work(MINUTE)
  t.match(await readDelivery(id), { state: 'failed', attempts: 2, error: { code: 'content_refused' } })
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)

  const accountIds = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const both = await post({ accountIds, caption: 'somewhere' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  await work()
  await work(MINUTE)
  t.equal(await readStatus(both), 'published', 'but not one that is out elsewhere')
})

t.test('where nobody can be asked, a lost answer is unconfirmed and never sent again', async (t) => {
  for (const isAccepted of [true, false]) {
    const telegram = scriptedNetwork('at-most-once')
    const { connectAccount, post, work, readDelivery, readStatus, ada } = await createDeliveryWorld(t, { telegram })
    const account = await connectAccount('telegram')
    const id = await post({ accountIds: [account], caption: 'perhaps' })
    telegram.steps.push({ isAccepted, error: lostResponse() })
    await work()
    await work(HOUR)
    await work(2 * DAY)
    t.equal(telegram.acts.length, 1)
    t.match(await readDelivery(id), { state: 'unconfirmed', publishedAt: null, nextAttemptAt: null })
    t.equal(await readStatus(id), 'published')
    t.match(await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`), { status: 409 })
    t.match(await ada.call('POST', `/posts/${id}/publish`), { status: 409 })
  }
})

t.test('a network that does not tell leaves it unconfirmed; asked again by hand, it may know', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, ada } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'perhaps' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  mastodon.reconcileWith = async () => 'unknown'
  await work()
  await work(MINUTE)
  t.match(await readDelivery(id), { state: 'unconfirmed', error: { code: 'unknown_outcome' } })
  mastodon.reconcileWith = undefined
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  t.match(await readDelivery(id), { state: 'published', externalId: 'n1' })
  t.same(mastodon.posts, ['perhaps'])
})

t.test('an act keeps its name when its owner has it asked about', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const open = await post({ accountIds: [account], caption: 'open' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  mastodon.reconcileWith = async () => 'unknown'
  await work()
  await work(MINUTE)
  mastodon.reconcileWith = undefined
  t.equal((await ada.call('POST', `/posts/${open}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  const [first, again] = mastodon.acts
  t.same([again!.token, again!.startedAt], [first!.token, first!.startedAt])
  t.same(mastodon.posts, ['open'])
})

t.test('a network that cannot be reached to be asked is asked again, and then it is unconfirmed', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'perhaps' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  mastodon.reconcileWith = async () => {
    throw refusal('unreachable', { retryable: true })
  }
  for (let hour = 0; hour < 12; hour++) await work(HOUR)
  t.equal(mastodon.reconcileCount, 7)
  t.match(await readDelivery(id), { state: 'unconfirmed', attempts: 1, error: { code: 'unreachable' } })
  t.equal(await readStatus(id), 'published')
  t.same(mastodon.posts, ['perhaps'])
})

t.test('a network that refuses to be asked leaves it unconfirmed, and its account needs its owner', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'perhaps' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  mastodon.reconcileWith = async () => {
    throw refusal('unauthorized', { needsAttention: true })
  }
  for (let hour = 0; hour < 3; hour++) await work(HOUR)
  t.equal(mastodon.reconcileCount, 1)
  t.match(await readDelivery(id), { state: 'unconfirmed', nextAttemptAt: null, error: { code: 'unauthorized' } })
  t.equal(await readStatus(id), 'published')
  t.match((await ada.call('GET', '/accounts')).body.data, [{ attention: { code: 'unauthorized' } }])
})

t.test('a thread goes on where it stopped', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { ada, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const threadParts = { [account]: ['one', 'two', 'three'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  bluesky.steps.push({ isAccepted: true }, { isAccepted: false, error: refusal() })
  await work()
  t.match(await readDelivery(id), { state: 'failed', externalId: 'n1', acts: [{ externalId: 'n1' }] })
  t.equal(await readStatus(id), 'published', 'its beginning is out')
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  t.same(bluesky.posts, ['one', 'two', 'three'])
  t.match(await readDelivery(id), { state: 'published', error: null, acts: [{}, {}, {}] })
})

t.test('a first comment that fails never takes its post back, nor sends it again', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'post', firstComment: 'comment' })
  mastodon.steps.push({ isAccepted: true }, { isAccepted: false, error: refusal() })
  await work()
  t.match(await readDelivery(id), { state: 'published', externalId: 'n1', error: { code: 'content_refused' } })
  const { publishedAt } = await readDelivery(id)
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  t.same(mastodon.posts, ['post', 'comment'])
  t.match(await readDelivery(id), { state: 'published', error: null, acts: [{}, {}], publishedAt })
  t.match(await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`), {
    status: 409,
    body: { error: 'Delivery is published' },
  })
})

t.test('what is due for longer than the limit is missed, until somebody asks for it', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'late' })
  await db.updateTable('postTargets').set({ dueAt: sql<Date>`due_at - interval '24 hours 1 minute'` }).execute()
  await work()
  t.same(mastodon.posts, [])
  t.match(await readDelivery(id), { state: 'missed', attempts: 0, error: { code: 'too_late' } })
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  t.same(mastodon.posts, ['late'])
})

t.test('a call that may have been made is asked about, however late it is', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'out' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  await work(2 * DAY)
  t.match(await readDelivery(id), { state: 'published', externalId: 'n1', error: null })
  t.equal(await readStatus(id), 'published')
  t.same(mastodon.posts, ['out'])
})

t.test('a first comment that is due for longer than the limit is not sent, and its post is out', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'post', firstComment: 'comment' })
  mastodon.steps.push({ isAccepted: true }, { isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  await work()
  await db.updateTable('postTargets').set({ dueAt: sql<Date>`due_at - interval '24 hours 1 minute'` }).execute()
  await work(MINUTE)
  t.match(await readDelivery(id), { state: 'published', externalId: 'n1', error: { code: 'too_late' } })
  t.equal(await readStatus(id), 'published')
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  await work(MINUTE)
  t.same(mastodon.posts, ['post', 'comment'])
})

t.test('an account whose credentials are refused needs its owner, and says so until it works again', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const attention = async () =>
    (await db.selectFrom('accounts').select('attention').where('id', '=', account).executeTakeFirstOrThrow()).attention
  mastodon.steps.push({ isAccepted: false, error: refusal('unauthorized', { needsAttention: true }), isEarly: true })
  const id = await post({ accountIds: [account], caption: 'unauthorised' })
  await work()
  t.match(await readDelivery(id), { state: 'failed', error: { code: 'unauthorized' } })
  const since = time.now.toISOString()
  t.same(await attention(), { code: 'unauthorized', message: 'network.example: no', since })
  mastodon.steps.push({ isAccepted: false, error: refusal('unauthorized', { needsAttention: true }) })
  await post({ accountIds: [account], caption: 'unauthorised, too' })
  await work(HOUR)
  t.match(await attention(), { since }, 'since the first time')
  await post({ accountIds: [account], caption: 'authorised' })
  await work()
  t.equal(await attention(), null)
})

t.test('accounts that cannot be published to fail with the reason', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, db, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const never = await ada.account('mastodon')
  const unsupported = await ada.account('x')
  const gone = await connectAccount('mastodon')
  const id = await post({ accountIds: [never, unsupported, gone], caption: 'nowhere' })
  await db.updateTable('accounts').set({ disconnectedAt: new Date() }).where('id', '=', gone).execute()
  await work()
  t.match(await readDelivery(id, never), { state: 'failed', error: { code: 'not_connected' } })
  t.match(await readDelivery(id, unsupported), { state: 'failed', error: { code: 'not_supported' } })
  t.match(await readDelivery(id, gone), { state: 'failed', error: { code: 'no_access' } })
  t.same(mastodon.acts, [])
})

t.test('a mistake of ours after the call is an open outcome, and before it none', async (t) => {
  const telegram = scriptedNetwork('at-most-once')
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { telegram })
  const account = await connectAccount('telegram')
  telegram.steps.push({ isAccepted: true, error: new TypeError('undefined is no function') })
  const id = await post({ accountIds: [account], caption: 'after' })
  await work()
  t.match(await readDelivery(id), { state: 'unconfirmed', error: { code: 'internal_error' } })
  telegram.steps.push({ isAccepted: false, error: new TypeError('undefined is no function'), isEarly: true })
  const before = await post({ accountIds: [account], caption: 'before' })
  await work(MINUTE)
  t.match(await readDelivery(before), { state: 'queued', error: { code: 'internal_error' } })
})

t.test('files are given as they are stored, to the first act alone', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'facts', mediaIds: [await ada.media()] })
  await work()
  t.match(await readDelivery(id), { state: 'failed', error: { code: 'media_unreadable', retryable: false } })
  t.same(mastodon.acts, [])
})

t.test('credentials that cannot be opened are tried again, and asked with, once they can', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, createWorker, work, readDelivery, time } = await createDeliveryWorld(t, {
    mastodon,
  })
  const broken = createWorker({
    openCredentials: () => {
      throw new Error('the key is not there')
    },
  })
  const error = { code: 'credentials_unreadable', retryable: true }
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'before' })
  await broken.claim()
  await broken.idle()
  t.match(await readDelivery(id), { state: 'queued', error, history: [{ outcome: 'failed' }] })
  t.match((await ada.call('GET', '/accounts')).body.data, [{ attention: { code: 'credentials_unreadable' } }])

  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  const open = await post({ accountIds: [await connectAccount('mastodon')], caption: 'after' })
  await work()
  time.now = new Date(time.now.getTime() + MINUTE)
  await broken.claim()
  await broken.idle()
  t.match(await readDelivery(open), { state: 'queued', error, history: [{ outcome: 'unknown' }] })
  await work(HOUR)
  t.same(mastodon.posts, ['after', 'before'])
  t.match(await readDelivery(open), { state: 'published', history: [{ outcome: 'found' }] })
})

t.test('a network that wants to be left alone for ever is left alone for a day', async (t) => {
  const mastodon = scriptedNetwork()
  const { db, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'later' })
  mastodon.steps.push({ isAccepted: false, error: refusal('rate_limited', { retryable: true, retryAfterMs: 1e18 }) })
  await work()
  const { availableAt } = await db.selectFrom('accounts').select('availableAt').executeTakeFirstOrThrow()
  t.equal(availableAt!.getTime() - time.now.getTime(), DAY)
  t.equal((await readDelivery(id)).nextAttemptAt, availableAt!.toISOString())
})

t.test('a network that could not be reached for long is asked all the same when an answer is lost', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'at last' })
  for (let attempt = 1; attempt <= 7; attempt++) {
    mastodon.steps.push({ isAccepted: false, error: refusal('unreachable', { retryable: true }) })
  }
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  for (let hour = 0; hour < 10; hour++) await work(HOUR)
  t.same(mastodon.posts, ['at last'])
  t.match(await readDelivery(id), { state: 'published', attempts: 8 })
})

t.test('a part that got through ends the count of failures: the next one is tried as often', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const threadParts = { [account]: ['one', 'two'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  const unreachable = { isAccepted: false, error: refusal('unreachable', { retryable: true }) }
  bluesky.steps.push(...Array(7).fill(unreachable), { isAccepted: true }, ...Array(7).fill(unreachable))
  for (let hour = 0; hour < 16; hour++) await work(HOUR)
  t.same(bluesky.posts, ['one', 'two'])
  t.match(await readDelivery(id), { state: 'published', attempts: 16, error: null })
})

t.test('what is retried soon after a lost call has the name that it had', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { ada, db, connectAccount, post, work } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const id = await post({ accountIds: [account], caption: 'once' })
  const retry = async () => {
    t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
    await work(SECOND)
  }
  const later = refusal('unreachable', { retryable: true })
  bluesky.steps.push(
    { isAccepted: false, error: lostResponse() },
    { isAccepted: false, error: later },
    { isAccepted: false, error: later },
  )
  await work()
  await work(30 * SECOND)
  await retry()
  t.equal(bluesky.acts.length, 3)
  t.equal(new Set(bluesky.acts.map(({ startedAt }) => startedAt.getTime())).size, 1)
  await db.updateTable('postTargets').set({ startedAt: sql<Date>`started_at - interval '2 hours'` }).execute()
  await retry()
  t.equal(bluesky.posts.length, 1)
  t.ok(bluesky.acts[3]!.startedAt > bluesky.acts[2]!.startedAt, 'and is no post of long ago')
})

t.test('what another delivery has sent is not taken for what is looked for', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const first = await post({ accountIds: [account], caption: 'Good morning' })
  await work()
  const second = await post({ accountIds: [account], caption: 'Good morning' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  mastodon.reconcileWith = async () => ({ id: 'n1', url: null })
  await work()
  await work(MINUTE)
  t.match(await readDelivery(first), { state: 'published', externalId: 'n1' })
  t.match(await readDelivery(second), { state: 'unconfirmed', externalId: null, error: { code: 'unknown_outcome' } })
})

t.test('what the network loses again and again, and never has, fails in the end', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'never' })
  for (let call = 0; call < 20; call++) mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  for (let hour = 0; hour < 20; hour++) await work(HOUR)
  t.equal(mastodon.acts.length, 8)
  t.match(await readDelivery(id), { state: 'failed', attempts: 8, error: { code: 'timeout', retryable: true } })
  t.match((await readDelivery(id)).history, Array(8).fill({ outcome: 'absent' }))
  t.equal(await readStatus(id), 'scheduled')
})

t.test('a network that wants to be left alone when it is asked is, by the whole account', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  await post({ accountIds: [account], caption: 'asked about' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  mastodon.reconcileWith = async () => {
    throw refusal('rate_limited', { retryable: true, retryAfterMs: 10 * MINUTE })
  }
  await work(MINUTE)
  t.equal(mastodon.reconcileCount, 1)
  await post({ accountIds: [account], caption: 'next' })
  await work(9 * MINUTE)
  t.same(mastodon.posts, ['asked about'])
  mastodon.reconcileWith = undefined
  await work(MINUTE)
  t.same(mastodon.posts, ['asked about', 'next'])
})

t.test('what a network answers is kept as far as the database can keep it', async (t) => {
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
      t.match(await readDelivery(postId), { state: 'published', externalId: kept, externalUrl: null })
    }
  }
})

t.test('an attempt began when its preparation did, by the clock of the database as well', async (t) => {
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

t.test('the status of a post follows all of its deliveries', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork('exactly-once')]
  const { ada, connectAccount, post, createWorker, work, readStatus, time } = await createDeliveryWorld(t, {
    mastodon,
    bluesky,
  })
  const accountIds = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const gate = Promise.withResolvers<void>()
  const id = await post({ accountIds, caption: 'nowhere' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  const calling = Promise.withResolvers<void>()
  const hold = () => {
    calling.resolve()
    return gate.promise
  }
  bluesky.steps.push({ isAccepted: false, error: refusal(), beforeResponse: hold })
  const slow = createWorker()
  await slow.claim()
  await calling.promise
  while ((await readStatus(id)) !== 'published') await new Promise(setImmediate)
  for (let turn = 0; turn < 6; turn++) {
    time.now = new Date(time.now.getTime() + 10 * SECOND)
    await slow.renew()
    await work()
  }
  t.equal(mastodon.acts.length, 2)
  t.equal(await readStatus(id), 'published', 'while one of them may still be out')
  gate.resolve()
  await slow.idle()
  t.equal(await readStatus(id), 'scheduled', 'when all have failed')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)

  const open = await post({ accountIds, caption: 'somewhere' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  bluesky.steps.push({ isAccepted: true, error: lostResponse() })
  bluesky.reconcileWith = async () => 'unknown'
  await work(MINUTE)
  await work(MINUTE)
  t.equal(await readStatus(open), 'published', 'where one of them may be out')
})

t.test('a post that was taken for published for the sake of a call that failed since is scheduled again', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork('exactly-once')]
  const { ada, connectAccount, post, createWorker, work, readDelivery, readStatus, time } = await createDeliveryWorld(
    t,
    { mastodon, bluesky },
  )
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  const id = await post({ accountIds: [first, second], caption: 'nowhere' })
  const gate = Promise.withResolvers<void>()
  const calling = Promise.withResolvers<void>()
  const hold = () => {
    calling.resolve()
    return gate.promise
  }
  mastodon.steps.push({ isAccepted: false, error: lostResponse() }, { isAccepted: false, error: refusal() })
  const later = refusal('rate_limited', { retryable: true, retryAfterMs: HOUR })
  bluesky.steps.push({ isAccepted: false, error: later, beforeResponse: hold })
  const slow = createWorker()
  await slow.claim()
  await calling.promise
  while ((await readStatus(id)) !== 'published') await new Promise(setImmediate)
  for (let turn = 0; turn < 6; turn++) {
    time.now = new Date(time.now.getTime() + 10 * SECOND)
    await slow.renew()
    await work()
  }
  t.match(await readDelivery(id, first), { state: 'failed' })
  t.equal(await readStatus(id), 'published', 'the other call is on its way')
  gate.resolve()
  await slow.idle()
  t.match(await readDelivery(id, second), { state: 'queued' })
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)
})

t.test('what is not there when the network is asked, and waits, can be deleted', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readStatus } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'absent' })
  mastodon.steps.push({ isAccepted: false, error: lostResponse() })
  mastodon.steps.push({ isAccepted: false, error: refusal('rate_limited', { retryable: true, retryAfterMs: HOUR }) })
  await work()
  t.equal(await readStatus(id), 'published')
  await work(MINUTE)
  t.equal(mastodon.acts.length, 2)
  t.equal(await readStatus(id), 'scheduled')
  t.equal((await ada.call('DELETE', `/posts/${id}`)).status, 200)
})

t.test('what was found is out since its call, and not since it was looked for', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const id = await post({ accountIds: [await connectAccount('mastodon')], caption: 'found' })
  const calledAt = time.now.toISOString()
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  await work(HOUR)
  t.match(await readDelivery(id), { state: 'published', publishedAt: calledAt })
})

t.test('pauses between attempts differ, unless the network names one', async (t) => {
  const waits = new Set(Array.from({ length: 20 }, () => backoffMs(1, { retryAfterMs: undefined })))
  t.ok(waits.size > 10)
  for (const ms of [SECOND, 10 * MINUTE]) t.equal(backoffMs(1, { retryAfterMs: ms }), ms)
  t.equal(backoffMs(1, { retryAfterMs: 0 }), SECOND, 'and none is shorter than a second')
})

t.test('nothing more is sent to an account once it was disconnected', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { ada, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { bluesky })
  const account = await connectAccount('bluesky')
  const threadParts = { [account]: ['one', 'two'] }
  const id = await post({ accountIds: [account], postType: 'thread', threadParts })
  const disconnect = async () => t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  bluesky.steps.push({ isAccepted: true, beforeResponse: disconnect })
  await work()
  await work(MINUTE)
  t.same(bluesky.posts, ['one'])
  t.match(await readDelivery(id), { state: 'failed', externalId: 'n1', error: { code: 'no_access' } })
})

t.test('a retry does not jump the time that a lost call is given to arrive', async (t) => {
  const mastodon = scriptedNetwork()
  const { ada, connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const id = await post({ accountIds: [account], caption: 'once' })
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  await work()
  const { nextAttemptAt } = await readDelivery(id)
  t.ok(Date.parse(nextAttemptAt!) >= time.now.getTime() + 30 * SECOND)
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account}/retry`)).status, 202)
  t.equal((await readDelivery(id)).nextAttemptAt, nextAttemptAt)
  await work(SECOND)
  t.equal(mastodon.reconcileCount, 0)
})
