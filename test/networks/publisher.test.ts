import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { createKeyring, KEY_BYTES } from '../../src/credentials/keyring.ts'
import { LEASE_MS } from '../../src/delivery/timing.ts'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'

import { createDeliveryWorld } from '../helpers/publisher.ts'
import { jpeg, upload } from '../helpers/upload.ts'
import {
  blobOf,
  loopbackFetch,
  onlyRecord,
  records,
  runUntilMessage,
  type StoredRecord,
  startPds,
  type TestAccount,
} from './pds.ts'
import type { Moment, WorkerOptions } from './worker-process.ts'

/** Longer than the first two backoffs. */
const MINUTE = 60_000

const pds = await startPds(t)
const key = randomBytes(KEY_BYTES)
const desk = await createDeliveryWorld(
  t,
  { bluesky: blueskyAdapter },
  { keyring: createKeyring([key]), fetch: loopbackFetch },
)
const { ada, app, post, work, readDelivery, time } = desk

interface Account extends TestAccount {
  /** Id in Postroom. */
  id: string
}

const connect = (credentials: TestAccount['credentials']) =>
  ada.call('POST', '/accounts', { platform: 'bluesky', credentials })

/** Creates an account on the PDS, and connects it. */
async function connectNew(handle: string): Promise<Account> {
  const account = await pds.createAccount(handle)
  const { status, body } = await connect(account.credentials)
  if (status !== 201) throw new Error(body.error)
  return { ...account, id: body.id }
}

/** Uploads an image. Returns its id and bytes. */
async function uploadImage(altText: string) {
  const bytes = await jpeg(64, 48)
  const { id } = (await upload(app, ada, [['file', bytes]])).body
  await ada.call('PATCH', `/media/${id}`, { altText })
  return { id, bytes }
}

const thread = ({ id }: Account, ...parts: string[]) => ({
  accountIds: [id],
  postType: 'thread',
  threadParts: { [id]: parts },
})

const textsOf = (found: StoredRecord[]) => found.map(({ value }) => value.text)
const externalOf = (account: Account, { uri }: StoredRecord) => ({
  externalId: uri,
  externalUrl: `https://bsky.app/profile/${account.did}/post/${uri.split('/').pop()}`,
})

/** Requires exactly these records, each a reply to the one before, and a delivery that refers to them. */
async function assertPublished(t: Test, account: Account, postId: string, texts: string[]): Promise<void> {
  const found = await records(account)
  t.same(textsOf(found), texts)
  const refOf = ({ uri, cid }: StoredRecord) => ({ uri, cid })
  const replies = found.map((_, index) =>
    index === 0 ? undefined : { root: refOf(found[0]!), parent: refOf(found[index - 1]!) },
  )
  t.same(
    found.map(({ value }) => value.reply),
    replies,
  )
  const acts = found.map((record) => externalOf(account, record))
  t.hasStrict(await readDelivery(postId), { state: 'published', error: null, nextAttemptAt: null, ...acts[0] })
  t.strictSame((await readDelivery(postId)).acts, acts)
  t.equal(await desk.readStatus(postId), 'published')
}

t.test('a post is published with its links, mentions, hashtags and languages', async (t) => {
  const account = await connectNew('mara-2.test')
  const friend = await connectNew('friend-2.test')
  const id = await post({
    accountIds: [account.id],
    caption: 'Grüße @friend-2.test: https://example.com/a #Büro',
    accountOverrides: [{ accountId: account.id, fields: { langs: ['de', 'pt-BR'] } }],
  })
  await work()
  await assertPublished(t, account, id, ['Grüße @friend-2.test: https://example.com/a #Büro'])
  const { value } = await onlyRecord(account)
  t.hasStrict(value, { langs: ['de', 'pt-BR'], createdAt: time.now.toISOString() })
  t.hasStrict(value.facets, [
    { index: { byteStart: 8, byteEnd: 22 }, features: [{ did: friend.did }] },
    { index: { byteStart: 24, byteEnd: 45 }, features: [{ uri: 'https://example.com/a' }] },
    { index: { byteStart: 46, byteEnd: 52 }, features: [{ tag: 'Büro' }] },
  ])
  t.equal((await readDelivery(id)).attempts, 1)
  await work(MINUTE)
  t.equal((await records(account)).length, 1, 'it is published once')
})

t.test('an image is published unchanged, with its alternative text', async (t) => {
  const account = await connectNew('pictures-2.test')
  const { id: mediaId, bytes } = await uploadImage('A lighthouse at dusk')
  const id = await post({ accountIds: [account.id], caption: 'Look', mediaIds: [mediaId] })
  await work()
  await assertPublished(t, account, id, ['Look'])
  const [image] = (await onlyRecord(account)).value.embed.images
  t.hasStrict(image, { alt: 'A lighthouse at dusk', aspectRatio: { width: 64, height: 48 } })
  t.same(await blobOf(account, image.image), { type: 'image/jpeg', bytes })
})

t.test('a thread and its first comment are published as one chain', async (t) => {
  const account = await connectNew('thread-2.test')
  const { id: mediaId } = await uploadImage('A map')
  const parts = thread(account, 'One', 'Two', 'Three')
  const id = await post({ ...parts, firstComment: 'More in our blog', mediaIds: [mediaId] })
  await work()
  await assertPublished(t, account, id, ['One', 'Two', 'Three', 'More in our blog'])
  const embeds = (await records(account)).map(({ value }) => value.embed?.images[0].alt)
  t.same(embeds, ['A map', undefined, undefined, undefined])
  t.hasStrict(
    (await readDelivery(id)).history,
    [1, 2, 3, 4].map((act) => ({ number: act, act, outcome: 'published' })),
  )
})

/** Runs a worker in another process up to a moment, and kills it there. */
async function killAt(t: Test, moment: Moment): Promise<void> {
  const { databaseUrl, mediaDir } = desk
  const options: WorkerOptions = {
    ...{ databaseUrl, mediaDir, moment },
    key: key.toString('base64'),
    now: time.now.toISOString(),
  }
  const { message, kill } = await runUntilMessage<Moment>(t, './worker-process.ts', [JSON.stringify(options)])
  t.equal(message, moment)
  await kill()
  time.now = new Date(time.now.getTime() + LEASE_MS)
}

t.test('after a worker is killed, each act is published once', async (t) => {
  const { id: mediaId } = await uploadImage('A map')
  const fields = { replyGate: 'nobody' }
  const single = ({ id }: Account) => ({
    accountIds: [id],
    caption: 'One',
    mediaIds: [mediaId],
    accountOverrides: [{ accountId: id, fields }],
  })
  const chain = (account: Account) => ({ ...thread(account, 'One', 'Two', 'Three'), firstComment: 'And' })
  const whole = ['One', 'Two', 'Three', 'And']
  const sent = (act: number, ...outcomes: string[]) => outcomes.map((outcome) => ({ act, outcome }))
  const rest = (from: number) => [1, 2, 3, 4].slice(from - 1).flatMap((act) => sent(act, 'published'))
  const before = (to: number) => [1, 2, 3, 4].slice(0, to - 1).flatMap((act) => sent(act, 'published'))

  interface Case {
    name: string
    body: (account: Account) => object
    /** Where workers are killed, one after the other. */
    moments: Moment[]
    /** Texts on the server after the last kill. */
    left: string[]
    texts: string[]
    history: object[]
  }
  const cases: Case[] = [
    {
      name: 'before the call',
      body: single,
      moments: ['call One'],
      left: [],
      texts: ['One'],
      history: sent(1, 'absent', 'published'),
    },
    {
      name: 'after the call',
      body: single,
      moments: ['response One'],
      left: ['One'],
      texts: ['One'],
      history: sent(1, 'found'),
    },
    {
      name: 'between two parts of a thread',
      body: chain,
      moments: ['begin Two'],
      left: ['One'],
      texts: whole,
      history: rest(1),
    },
    {
      name: 'before the call of a part',
      body: chain,
      moments: ['call Two'],
      left: ['One'],
      texts: whole,
      history: [...before(2), ...sent(2, 'absent', 'published'), ...rest(3)],
    },
    {
      name: 'after the call of a part',
      body: chain,
      moments: ['response Two'],
      left: ['One', 'Two'],
      texts: whole,
      history: [...before(2), ...sent(2, 'found'), ...rest(3)],
    },
    {
      name: 'after the call of the first comment',
      body: chain,
      moments: ['response And'],
      left: whole,
      texts: whole,
      history: [...before(4), ...sent(4, 'found')],
    },
    {
      name: 'several times',
      body: chain,
      moments: ['call One', 'response One', 'begin Two', 'response Two', 'call Three'],
      left: ['One', 'Two'],
      texts: whole,
      history: [
        ...sent(1, 'absent', 'found'),
        ...sent(2, 'found'),
        ...sent(3, 'absent', 'published'),
        ...sent(4, 'published'),
      ],
    },
  ]
  for (const [index, { name, body, moments, left, texts, history }] of cases.entries()) {
    await t.test(name, async (t) => {
      const account = await connectNew(`killed-${index}.test`)
      const id = await post(body(account))
      for (const moment of moments) {
        await killAt(t, moment)
        t.equal((await readDelivery(id)).state, 'publishing', 'its outcome is not settled')
      }
      t.same(textsOf(await records(account)), left)
      await work()
      await assertPublished(t, account, id, texts)
      const outcomes = (await readDelivery(id)).history.map(({ act, outcome }) => ({ act, outcome }))
      t.strictSame(outcomes, history)
      if (body === single) {
        const gate = await onlyRecord(account, 'app.bsky.feed.threadgate')
        t.equal(gate.value.post, (await onlyRecord(account)).uri)
      }
    })
  }
})

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
  const worker = desk.createWorker({ fetch: failing })
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

t.test('after a password is revoked, a new one lets the owner retry', async (t) => {
  const account = await connectNew('revoked-2.test')
  await post({ accountIds: [account.id], caption: 'Before' })
  await work()
  // Records of the same millisecond have no order.
  await work(MINUTE)
  await account.call('com.atproto.server.revokeAppPassword', { body: { name: 'postroom' } })
  // A session outlives its password by up to two hours.
  const afterTwoHours: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers)
    if (headers.has('authorization')) headers.set('authorization', `Bearer ${account.expiredToken()}`)
    return loopbackFetch(url, { ...init, headers })
  }
  const id = await post({ accountIds: [account.id], caption: 'After' })
  const worker = desk.createWorker({ fetch: afterTwoHours })
  await worker.claim()
  await worker.idle()
  t.match(await readDelivery(id), {
    state: 'failed',
    nextAttemptAt: null,
    error: { code: 'unauthorized', message: /Invalid identifier or password/, retryable: false },
  })
  const listed = async () => {
    const { body } = await ada.call('GET', '/accounts')
    return body.data.find(({ id }: { id: string }) => id === account.id)
  }
  t.hasStrict(await listed(), { attention: { code: 'unauthorized' } })
  await work(MINUTE)
  t.same(textsOf(await records(account)), ['Before'], 'it is not retried automatically')

  const password = await account.createPassword('another')
  t.hasStrict(await connect({ ...account.credentials, password }), { status: 200, body: { id: account.id } })
  t.equal((await listed()).attention, undefined)
  t.equal((await ada.call('POST', `/posts/${id}/deliveries/${account.id}/retry`)).status, 202)
  await work()
  t.same(textsOf(await records(account)), ['Before', 'After'])
  t.hasStrict(await readDelivery(id), {
    state: 'published',
    error: null,
    history: [{ outcome: 'failed' }, { outcome: 'published' }],
  })
})

t.test('a post that only the server rejects fails with its message', async (t) => {
  const account = await connectNew('refused-2.test')
  // It has the form of a language tag. The server also checks its subtags.
  const fields = { langs: ['en-a'] }
  const id = await post({
    accountIds: [account.id],
    caption: 'Hm',
    accountOverrides: [{ accountId: account.id, fields }],
  })
  await work()
  t.match(await readDelivery(id), {
    state: 'failed',
    attempts: 1,
    error: { code: 'content_refused', message: /langs/, retryable: false },
  })
  t.same(await records(account), [])
  t.equal(await desk.readStatus(id), 'scheduled')
})
