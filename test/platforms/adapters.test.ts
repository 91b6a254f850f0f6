import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Act, Credentials, Io, Sent } from '../../src/platforms/adapter.ts'
import { type AnyAdapter, createNetworks } from '../../src/platforms/adapters.ts'
import { PublishError } from '../../src/platforms/publish-error.ts'
import type { ReceivedCall, SandboxStore } from '../../src/platforms/sandbox/adapter.ts'
import { actOf, awaitProcessed, fileOf } from '../helpers/adapter-calls.ts'
import { startBluesky } from '../networks/fakes/bluesky.ts'
import { startDiscord } from '../networks/fakes/discord.ts'
import { startFacebook } from '../networks/fakes/facebook.ts'
import { startGoogleBusiness } from '../networks/fakes/google-business.ts'
import { startInstagram } from '../networks/fakes/instagram.ts'
import { startLinkedin } from '../networks/fakes/linkedin.ts'
import { startMastodon } from '../networks/fakes/mastodon.ts'
import { startPinterest } from '../networks/fakes/pinterest.ts'
import { startReddit } from '../networks/fakes/reddit.ts'
import { startTelegram } from '../networks/fakes/telegram.ts'
import { startThreads } from '../networks/fakes/threads.ts'
import { startTiktok } from '../networks/fakes/tiktok.ts'
import { startX } from '../networks/fakes/x.ts'
import { startYoutube } from '../networks/fakes/youtube.ts'

/** An adapter and its network. */
interface Subject {
  adapter: AnyAdapter
  credentials: Credentials
  fetch: typeof fetch
  /** Ids of the acts that readers see. */
  visibleIds(): string[]
  /** The files of the first two acts, where the network takes no text alone. */
  file?: string
  /** The file of the third act, where the network takes no video. */
  video?: string
  /** `fields` with which the network takes time to process a file. */
  slow?: Act['fields']
  /** The keys of `fields` that each act needs. */
  fields?: Act['fields']
  /** Whether the network cannot say that this act is not there. */
  hidesAbsence?: (act: Act) => boolean
  /** Whether nothing is known of this act before the response to the call that publishes it. */
  isUnknown?: (act: Act) => boolean
}

/** The sandbox's table, in memory. */
function createMemoryStore() {
  const calls: (ReceivedCall & { id: string })[] = []
  const store: SandboxStore = {
    keep: async (received) => {
      const id = randomUUID()
      calls.push({ ...received, id })
      return id
    },
    countFaults: async ({ token, fault }) =>
      calls.filter((call) => call.token === token && call.fault === fault).length,
    numberOf: async (id) => calls.find((call) => call.id === id)?.number ?? 0,
    findAccepted: async ({ token }) => calls.findLast((call) => call.token === token && call.accepted),
  }
  return { store, visibleIds: () => calls.map(({ id }) => id) }
}

/** Fresh adapters, which know nothing of earlier calls. */
const adapterOf = (id: PlatformId, store = createMemoryStore().store) => createNetworks(store)[id]!

const SUBJECTS: Partial<Record<PlatformId, (t: Test) => Promise<Subject>>> = {
  async bluesky(t) {
    const { fetch, credentials, posts } = await startBluesky(t)
    const visibleIds = () => [...posts.keys()]
    return { adapter: adapterOf('bluesky'), credentials, fetch, visibleIds }
  },
  async mastodon(t) {
    const { fetch, credentials, statuses } = await startMastodon(t)
    return { adapter: adapterOf('mastodon'), credentials, fetch, visibleIds: () => statuses.map(({ id }) => id) }
  },
  async telegram(t) {
    const { fetch, credentials, messages } = await startTelegram(t)
    const visibleIds = () => messages.map(({ message_id: id }) => String(id))
    return { adapter: adapterOf('telegram'), credentials, fetch, visibleIds }
  },
  async discord(t) {
    const { fetch, credentials, messages } = await startDiscord(t)
    return { adapter: adapterOf('discord'), credentials, fetch, visibleIds: () => messages.map(({ id }) => id) }
  },
  async facebook(t) {
    const { fetch, credentials, visibleIds } = await startFacebook(t)
    return { adapter: adapterOf('facebook'), credentials, fetch, visibleIds, hidesAbsence: () => true }
  },
  async linkedin(t) {
    const { fetch, organization: credentials, posts } = await startLinkedin(t)
    const visibleIds = () => posts.map(({ id }) => id)
    return {
      adapter: adapterOf('linkedin'),
      credentials,
      fetch,
      visibleIds,
      hidesAbsence: ({ media }) => media.length > 0,
    }
  },
  async instagram(t) {
    const { fetch, credentials, posts } = await startInstagram(t)
    const visibleIds = () => posts.map(({ id }) => id)
    const adapter = adapterOf('instagram')
    return { adapter, credentials, fetch, visibleIds, hidesAbsence: () => true, file: 'image/jpeg' }
  },
  async threads(t) {
    const { fetch, credentials, posts } = await startThreads(t)
    const visibleIds = () => posts.map(({ id }) => id)
    return { adapter: adapterOf('threads'), credentials, fetch, visibleIds, hidesAbsence: () => true }
  },
  async x(t) {
    const { fetch, credentials, posts } = await startX(t)
    const visibleIds = () => posts.map(({ id }) => id)
    return { adapter: adapterOf('x'), credentials, fetch, visibleIds, hidesAbsence: () => true }
  },
  async google_business(t) {
    const fake = await startGoogleBusiness(t)
    fake.checksPhotos = false
    const { fetch, credentials, visibleIds } = fake
    const adapter = adapterOf('google_business')
    return { adapter, credentials, fetch, visibleIds, hidesAbsence: () => true, video: 'image/jpeg' }
  },
  async tiktok(t) {
    const { fetch, credentials, posts } = await startTiktok(t)
    return {
      adapter: adapterOf('tiktok'),
      credentials,
      fetch,
      visibleIds: () => posts.map(({ id }) => id),
      file: 'image/jpeg',
      fields: { privacyLevel: 'PUBLIC_TO_EVERYONE' },
      isUnknown: ({ media }) => media[0]!.kind === 'image',
    }
  },
  async pinterest(t) {
    const { fetch, credentials, pins } = await startPinterest(t)
    const fields = { boardId: '549755885175', coverTimestampSeconds: 0 }
    const visibleIds = () => pins.map(({ id }) => id)
    const adapter = adapterOf('pinterest')
    return { adapter, credentials, fetch, visibleIds, hidesAbsence: () => true, file: 'image/jpeg', fields }
  },
  async youtube(t) {
    const { fetch, credentials, visibleIds } = await startYoutube(t)
    return { adapter: adapterOf('youtube'), credentials, fetch, visibleIds, file: 'video/mp4' }
  },
  async reddit(t) {
    const { fetch, credentials, posts } = await startReddit(t)
    const visibleIds = () => posts.map(({ id }) => id)
    const fields = { subreddit: 'lighthouses' }
    return { adapter: adapterOf('reddit'), credentials, fetch, visibleIds, fields, hidesAbsence: () => true }
  },
  async sandbox() {
    const { store, visibleIds } = createMemoryStore()
    const notCalled = () => Promise.reject(new Error('the sandbox makes no calls'))
    const slow = { fault: 'slow_media' }
    return {
      adapter: adapterOf('sandbox', store),
      credentials: { username: 'ada' },
      fetch: notCalled,
      visibleIds,
      slow,
    }
  },
}

const ioOf = ({ credentials, fetch }: Subject, signal = new AbortController().signal): Io => ({
  credentials,
  fetch,
  signal,
})

/** A text, an image, and a video that its network processes for a while. */
const actsFor = ({ slow = {}, file, video = 'video/mp4', fields = {} }: Subject): Act[] => [
  actOf({ token: randomUUID(), media: file ? [fileOf(file)] : [], fields }),
  actOf({ token: randomUUID(), text: 'With an image', media: [fileOf(file ?? 'image/png')], fields }),
  actOf({ token: randomUUID(), text: 'With a video', media: [fileOf(video)], fields: { ...fields, ...slow } }),
]

/** Prepares until the act is ready. Compares each returned state with its form in JSON. */
async function prepare(t: Test, subject: Subject, act: Act, saved: unknown) {
  let state = saved
  for (let calls = 1; calls <= 10; calls++) {
    const result = await subject.adapter.prepare(act, ioOf(subject), state)
    const returned = 'later' in result ? result.later.state : result.ready
    const stored = JSON.parse(JSON.stringify(returned))
    t.strictSame(stored, returned, `${act.text}: the state survives JSON`)
    if ('ready' in result) return { ready: stored, calls }
    t.ok(result.later.afterMs > 0, `${act.text}: the pause is positive`)
    state = stored
  }
  throw new Error('the act was not ready after 10 calls of prepare')
}

async function publish(subject: Subject, act: Act, ready: unknown): Promise<Sent> {
  const sent = await subject.adapter.publish(act, ioOf(subject), ready)
  return 'processing' in sent ? awaitProcessed(subject.adapter, act, ioOf(subject), sent.processing.state) : sent
}

t.test('every adapter is tested here', async (t) => {
  t.same(Object.keys(SUBJECTS).sort(), Object.keys(createNetworks(createMemoryStore().store)).sort())
})

for (const [id, start] of Object.entries(SUBJECTS)) {
  t.test(id, async (t) => {
    t.test('reconcile is absent exactly where the guarantee is at-most-once', async (t) => {
      const { adapter } = await start(t)
      t.equal(adapter.reconcile === undefined, adapter.guarantee === 'at-most-once')
      t.ok(adapter.concurrency >= 1)
    })

    t.test('prepare makes nothing visible, and its state survives JSON', async (t) => {
      const subject = await start(t)
      for (const act of actsFor(subject)) {
        const { ready } = await prepare(t, subject, act, null)
        await prepare(t, subject, act, ready)
      }
      t.same(subject.visibleIds(), [])
    })

    t.test('a network that needs time is waited for once', async (t) => {
      const subject = await start(t)
      const video = actsFor(subject)[2]!
      const { ready, calls } = await prepare(t, subject, video, null)
      if (
        [
          'bluesky',
          'facebook',
          'linkedin',
          'mastodon',
          'instagram',
          'threads',
          'pinterest',
          'sandbox',
          'tiktok',
          'x',
          'youtube',
        ].includes(id)
      ) {
        t.ok(calls > 1, 'prepare asks for time')
      }
      t.equal((await prepare(t, subject, video, ready)).calls, 1, 'a later attempt does not wait again')
    })

    t.test('an act that is prepared twice is published once', async (t) => {
      for (const isSaved of [true, false]) {
        // Mastodon cannot tell two equal posts apart.
        const subject = await start(t)
        for (const act of actsFor(subject)) {
          const before = subject.visibleIds().length
          const first = await prepare(t, subject, act, null)
          const second = await prepare(t, subject, act, isSaved ? first.ready : null)
          t.equal(subject.visibleIds().length, before)
          const sent = await publish(subject, act, second.ready)
          t.equal(subject.visibleIds().length, before + 1, `${act.text}, ${isSaved ? 'with' : 'without'} saved state`)
          const { reconcile } = subject.adapter
          if (reconcile && !subject.isUnknown?.(act)) {
            t.match(await reconcile(act, ioOf(subject), second.ready), sent, 'reconcile finds it')
          }
        }
      }
    })

    t.test('reconcile makes nothing visible', async (t) => {
      const subject = await start(t)
      const { reconcile } = subject.adapter
      if (!reconcile) return
      for (const act of actsFor(subject)) {
        const { ready } = await prepare(t, subject, act, null)
        const found = await reconcile(act, ioOf(subject), ready)
        if (subject.isUnknown?.(act)) t.equal(found, 'unknown')
        else if (subject.hidesAbsence?.(act)) t.match(found, { processing: {} }, 'it is queried again')
        else t.equal(found, 'absent')
      }
      t.same(subject.visibleIds(), [])
    })

    t.test('an aborted signal ends each method, and leaves the act unsent', async (t) => {
      const subject = await start(t)
      const io = ioOf(subject, AbortSignal.abort())
      for (const act of actsFor(subject)) {
        const { ready } = await prepare(t, subject, act, null)
        const prepared = await subject.adapter.prepare(act, io, null).catch((error: unknown) => error)
        if (prepared instanceof Error) t.has(prepared, { code: 'timeout', maybeSent: false, retryable: true })
        const published = await subject.adapter.publish(act, io, ready).catch((error: unknown) => error)
        t.type(published, PublishError)
        t.has(published, { code: 'timeout', maybeSent: false, retryable: true })
      }
      t.same(subject.visibleIds(), [])
    })
  })
}
