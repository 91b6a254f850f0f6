import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Act, PublishedFile } from '../../src/platforms/contract/adapter.ts'
import { tiktokAdapter } from '../../src/platforms/tiktok/adapter.ts'
import type { State } from '../../src/platforms/tiktok/state.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { collectProblems } from '../helpers/problems.ts'
import { reset } from '../networks/fakes/network.ts'
import { startTiktok } from '../networks/fakes/tiktok.ts'

const CHUNK = 10_000_000
const HOUR = 3_600_000
const INIT = 'POST /v2/post/publish/video/init/'
const PUT = 'PUT /video/'
const STATUS = 'POST /v2/post/publish/status/fetch/'
const { reconcile } = clientOf(tiktokAdapter)

/** As many as the largest video has. */
const RANDOM = randomBytes(5 * CHUNK + 123)

/** A video of random bytes, which can be read in parts. */
function videoOf(bytes: number): { act: Act; content: Buffer } {
  const content = RANDOM.subarray(0, bytes)
  const open: PublishedFile['open'] = async (range) =>
    Readable.from([range ? content.subarray(range.from, range.from + range.bytes) : content])
  const media = [fileOf('video/mp4', { bytes, open })]
  return { act: actOf({ media, fields: { privacyLevel: 'PUBLIC_TO_EVERYONE' } }), content }
}

async function start(t: Teardown, bytes: number) {
  const fake = await startTiktok(t)
  fake.switches.initsMax = Number.POSITIVE_INFINITY
  const io = { ...ioOf(fake), credentials: fake.credentials }
  const { act, content } = videoOf(bytes)
  const prepare = async (saved: State | null) => {
    const prepared = await tiktokAdapter.prepare(act, io, saved)
    return JSON.parse(JSON.stringify(prepared)) as typeof prepared
  }
  return {
    fake,
    act,
    content,
    prepare,
    /** Prepares until only the last chunk is left. */
    async prepareAll(saved: State | null = null) {
      let prepared = await prepare(saved)
      for (let calls = 0; 'later' in prepared; calls++) {
        if (calls > 20) throw new Error('the video is not ready after 20 calls')
        prepared = await prepare(prepared.later.state)
      }
      return prepared.ready
    },
    publish: (ready: State) => tiktokAdapter.publish(act, io, ready),
    reconcile: (ready: State) => reconcile(act, fake.credentials, ioOf(fake), ready),
    ranges: () => fake.calls.filter(({ method }) => method === 'PUT').map(({ headers }) => headers['content-range']),
  }
}

t.test(
  'the task is stored before the first byte, and the last chunk is left for the call that publishes',
  async (t) => {
    const { fake, content, prepare, prepareAll, publish, reconcile, ranges } = await start(t, 5 * CHUNK + 123)
    const first = await prepare(null)
    if (!('later' in first)) throw new Error('the task has to be stored')
    t.strictSame(fake.log, ['POST /v2/post/publish/creator_info/query/', INIT])
    t.strictSame((fake.calls[1]!.body as { source_info: object }).source_info, {
      source: 'FILE_UPLOAD',
      video_size: 50_000_123,
      chunk_size: CHUNK,
      total_chunk_count: 5,
    })
    t.equal(first.later.state.publishId, [...fake.tasks.keys()][0])
    const second = await prepare(first.later.state)
    t.equal('later' in second && second.later.state.upload!.bytesSent, 3 * CHUNK, 'the progress is stored')
    const ready = await prepareAll(first.later.state)
    t.equal(fake.posts.length, 0)
    const published = await publish(ready)
    t.ok('processing' in published)
    t.equal(ranges().at(-1), 'bytes 40000000-50000122/50000123')
    const [post] = fake.posts
    t.ok(post!.bytes.equals(content))
    t.hasStrict(await reconcile(ready), { id: post!.id })
    t.notOk(
      fake.calls.some(({ method, headers }) => method === 'PUT' && headers.authorization),
      'no token with the bytes',
    )
  },
)

t.test('a video under 20 MB is one chunk', async (t) => {
  for (const bytes of [1, 4_999_999, CHUNK + 1, 2 * CHUNK - 1]) {
    const { fake, prepareAll, publish, ranges } = await start(t, bytes)
    await publish(await prepareAll())
    t.strictSame(ranges(), [`bytes 0-${bytes - 1}/${bytes}`])
    t.equal(fake.posts.length, 1)
  }
})

t.test('an upload goes on where TikTok has come, whatever was stored', async (t) => {
  for (const endsWithIndex of [true, false]) {
    const { fake, content, prepare, prepareAll, publish, ranges } = await start(t, 5 * CHUNK)
    fake.switches.endsWithIndex = endsWithIndex
    const first = await prepare(null)
    if (!('later' in first)) throw new Error('the task has to be stored')
    await prepare(first.later.state)
    t.equal(ranges().length, 3)
    // A worker that was killed has not stored its progress.
    await publish(await prepareAll(first.later.state))
    t.equal(ranges()[3], `bytes 0-${CHUNK - 1}/${5 * CHUNK}`, 'the first chunk once more, which is refused')
    t.equal(ranges()[4], `bytes ${3 * CHUNK}-${4 * CHUNK - 1}/${5 * CHUNK}`)
    t.ok(fake.posts[0]!.bytes.equals(content))
    t.equal(fake.tasks.size, 1)
  }
})

t.test('a last chunk without a response is looked for, and sent again to the same upload', async (t) => {
  for (const after of [false, true]) {
    const { fake, prepareAll, publish, reconcile } = await start(t, 3 * CHUNK)
    const ready = await prepareAll()
    fake.faults.push({ on: PUT, after, instead: reset })
    t.has(await rejection(publish(ready)), { code: 'disconnected', maybeSent: true, retryable: true })
    if (after) t.hasStrict(await reconcile(ready), { id: fake.posts[0]!.id })
    else t.equal(await reconcile(ready), 'absent')
    const again = await prepareAll(ready)
    await publish(again)
    t.equal(fake.posts.length, 1)
    t.equal(fake.tasks.size, 1, 'one upload')
  }
})

t.test('a last chunk that TikTok has already is not sent again', async (t) => {
  for (const endsWithIndex of [true, false]) {
    const { fake, prepareAll, publish, reconcile } = await start(t, 3 * CHUNK)
    fake.switches.endsWithIndex = endsWithIndex
    const ready = await prepareAll()
    await publish(ready)
    // The same chunk again, as by a worker that was suspended.
    t.hasStrict(await publish(ready), { processing: { state: { isAccepted: true } } })
    t.hasStrict(await reconcile(ready), { id: fake.posts[0]!.id })
    t.equal(fake.posts.length, 1)
  }
  const { fake, prepareAll, publish } = await start(t, 3 * CHUNK)
  const ready = await prepareAll()
  for (const headers of [{}, { 'content-range': `bytes 0-${CHUNK}/${3 * CHUNK}` }] as Record<string, string>[]) {
    fake.faults.push({ on: PUT, instead: { status: 416, headers } })
    const error = await rejection(publish(ready))
    t.has(error, { code: 'server_error', maybeSent: true, retryable: true }, 'TikTok lacks earlier bytes')
    t.equal(error.message, 'open-upload.tiktokapis.com did not take the last part of the video (status 416)')
  }
})

t.test('where TikTok does not tell how many bytes it has, the last chunk is sent to the same upload', async (t) => {
  for (const bytes of [CHUNK, 3 * CHUNK]) {
    for (const after of [false, true]) {
      const { fake, prepareAll, publish, reconcile } = await start(t, bytes)
      Object.assign(fake.switches, { tellsBytes: false, processing: 3 })
      let ready = await prepareAll()
      fake.faults.push({ on: PUT, after, instead: reset })
      t.has(await rejection(publish(ready)), { maybeSent: true })
      t.equal(await reconcile(ready), 'absent')
      ready = await prepareAll(ready)
      const published = await publish(ready)
      t.hasStrict(published, { processing: { state: { isAccepted: true } } })
      const { state } = (published as { processing: { state: State } }).processing
      for (let looks = 0; looks < 3; looks++) await reconcile(state)
      t.hasStrict(await reconcile(state), { id: fake.posts[0]!.id })
      t.equal(fake.posts.length, 1)
      t.equal(fake.tasks.size, 1, 'one upload')
    }
  }
  const { fake, prepareAll, publish, reconcile } = await start(t, CHUNK)
  Object.assign(fake.switches, { tellsBytes: false, processing: 3 })
  const ready = await prepareAll()
  await publish(ready)
  const expired: State = { ...ready, upload: { ...ready.upload!, isExpired: true } }
  t.hasStrict(await reconcile(expired), { processing: {} }, 'an upload that takes no bytes may be whole')
  t.hasStrict(await prepareAll(expired), { isAccepted: true })
  t.equal(fake.tasks.size, 1)
})

t.test('an upload that has expired begins anew, and nothing comes of the old one', async (t) => {
  const { fake, content, prepare, prepareAll, publish, reconcile } = await start(t, 3 * CHUNK)
  const first = await prepare(null)
  if (!('later' in first)) throw new Error('the task has to be stored')
  const later = (ms: number) => fake.setTime(new Date(Date.now() + ms))
  later(HOUR + 1)
  const ready = await prepareAll(first.later.state)
  t.equal(fake.tasks.size, 2)
  t.equal(ready.failures, 1)

  // Only the last chunk is missing.
  later(2 * HOUR - 60_000)
  const late = await start(t, CHUNK)
  const stale = await late.prepareAll()
  late.fake.setTime(new Date(Date.now() + HOUR + 1))
  const published = await late.publish(stale)
  if (!('processing' in published)) throw new Error('its status decides')
  const { state } = published.processing
  t.equal(await late.reconcile(state), 'absent')
  late.fake.setTime(new Date())
  await late.publish(await late.prepareAll(state))
  t.equal(late.fake.tasks.size, 2)
  t.equal(late.fake.posts.length, 1)

  fake.setTime(new Date())
  await publish(ready)
  t.hasStrict(await reconcile(ready), { id: fake.posts[0]!.id })
  t.ok(fake.posts[0]!.bytes.equals(content))
})

t.test('an upload that TikTok never takes within its hour fails after three of them', async (t) => {
  const { fake, prepareAll } = await start(t, 3 * CHUNK)
  for (let uploads = 0; uploads < 3; uploads++) fake.faults.push({ on: PUT, instead: { status: 403 } })
  t.has(await rejection(prepareAll()), { code: 'timeout', maybeSent: false, retryable: false })
  t.equal(fake.tasks.size, 3)
})

t.test('a task that fails for a passing reason is replaced twice', async (t) => {
  const { fake, prepareAll, publish, reconcile } = await start(t, CHUNK)
  fake.switches.processing = 'internal'
  let saved: State | null = null
  for (let tasks = 1; tasks <= 3; tasks++) {
    const ready: State = await prepareAll(saved)
    const published = await publish(ready)
    if (!('processing' in published)) throw new Error('its status decides')
    saved = published.processing.state
    t.hasStrict(await reconcile(saved), { processing: {} })
    const found = await reconcile(saved)
    if (tasks < 3) t.equal(found, 'absent')
    else t.strictSame(found, { rejected: 'TikTok could not publish the post (internal)' })
    t.equal(fake.tasks.size, tasks)
  }
})

t.test('a task that TikTok does not know is replaced only if its last chunk was certainly not sent', async (t) => {
  const { fake, prepare, prepareAll, publish, reconcile } = await start(t, CHUNK)
  const ready = await prepareAll()
  fake.tasks.clear()
  t.equal(await reconcile(ready), 'unknown')
  // The engine prepares again only after a call that was certainly not made.
  t.has(await rejection(prepare(ready)), { code: 'unexpected_answer', maybeSent: false, retryable: true })
  t.equal(fake.tasks.size, 0, 'the old upload still takes bytes')
  const upload = { ...ready.upload!, createdAt: Date.now() - HOUR - 180_000 }
  const again = await prepareAll({ ...ready, upload })
  t.equal(again.failures, 1)
  await publish(again)
  t.equal(fake.posts.length, 1)
})

t.test('a status without a name says nothing', async (t) => {
  const { fake, prepare, prepareAll, reconcile } = await start(t, CHUNK)
  const ready = await prepareAll()
  for (const call of [() => reconcile(ready), () => prepare(ready)]) {
    fake.faults.push({ on: STATUS, instead: { status: 200, body: { data: {}, error: { code: 'ok' } } } })
    t.has(await rejection(call()), { code: 'unexpected_answer', retryable: true, maybeSent: false })
  }
})

t.test('the address of an upload is in no error', async (t) => {
  const { fake, prepareAll, publish } = await start(t, 3 * CHUNK)
  const ready = await prepareAll()
  const url = ready.upload!.url
  const secret = new URL(url).searchParams.get('upload_token')!
  for (const status of [302, 400, 401, 403, 416, 429, 500]) {
    const headers = { location: url, 'content-type': 'application/json' }
    const body = { error: { code: 'invalid_param', message: `no ${url}` } }
    fake.faults.push({ on: PUT, instead: { status, headers, body } })
    const error = await rejection(publish(ready)).catch(() => new Error('its status decides'))
    t.notOk(`${error.message}${error.stack}`.includes(secret), `${status}: ${error.message}`)
  }
  const failing = () => Promise.reject(new TypeError(`fetch failed for ${url}`))
  const io = { ...ioOf(fake, { fetch: failing }), credentials: fake.credentials }
  const error = await rejection(
    tiktokAdapter.publish(actOf({ media: [fileOf('video/mp4', { bytes: 3 * CHUNK })] }), io, ready),
  )
  t.notOk(error.message.includes(secret), error.message)
})

t.test('an upload whose host has moved says nothing about the account', async (t) => {
  const { fake, prepareAll, publish } = await start(t, CHUNK)
  const ready = await prepareAll()
  for (const status of [301, 302, 308]) {
    fake.faults.push({ on: PUT, instead: { status, headers: { location: 'https://upload.us.tiktokapis.com/' } } })
    const error = await rejection(publish(ready))
    t.has(error, { code: 'unreachable', maybeSent: false, retryable: true, needsAttention: false }, `${status}`)
  }
  await publish(ready)
  t.equal(fake.posts.length, 1)
})

t.test('bytes go to TikTok alone', async (t) => {
  const { fake, prepare } = await start(t, CHUNK)
  for (const upload_url of [
    'https://evil.example/video/',
    'http://open-upload.tiktokapis.com/',
    'https://tiktokapis.com.evil.example/',
    '',
  ]) {
    const body = { data: { publish_id: 'v_pub_file~v2-1.1', upload_url }, error: { code: 'ok', message: '' } }
    fake.faults.push({ on: INIT, instead: { status: 200, body } })
    t.has(await rejection(prepare(null)), { code: 'unexpected_answer', maybeSent: false })
  }
  t.notOk(fake.log.includes(STATUS))
})

t.test('a worker that dies at any call of a large upload leaves one video', async (t) => {
  const { problems, check } = collectProblems()
  let kills = 0
  for (let call = 1, isOver = false; !isOver; call++) {
    for (const after of [false, true]) {
      const { fake, act, content } = await start(t, 5 * CHUNK)
      // The data that the engine stores: the state, and whether the publishing call may have been sent.
      let stored: { state: State | null; isIntended: boolean } = { state: null, isIntended: false }
      let calls = 0
      let mayDie = true
      const doomed: typeof fetch = async (...request) => {
        const isLast = mayDie && ++calls === call
        if (isLast && !after) throw new Died()
        const response = await fake.fetch(...request)
        if (isLast) throw new Died()
        return response
      }
      const io = { ...ioOf(fake, { fetch: doomed }), credentials: fake.credentials }
      const keep = (state: State, isIntended: boolean) => {
        stored = { state: JSON.parse(JSON.stringify(state)), isIntended }
      }
      const step = async () => {
        if (stored.isIntended) {
          const found = await tiktokAdapter.reconcile!(act, io, stored.state)
          if (typeof found === 'object' && 'processing' in found) keep(found.processing.state, true)
          else if (found !== 'absent') return found
          else stored.isIntended = false
          return undefined
        }
        const prepared = await tiktokAdapter.prepare(act, io, stored.state)
        if ('later' in prepared) {
          keep(prepared.later.state, false)
          return undefined
        }
        keep(prepared.ready, true)
        const published = await tiktokAdapter.publish(act, io, prepared.ready)
        if ('processing' in published) keep(published.processing.state, true)
        return undefined
      }
      let found: Awaited<ReturnType<typeof step>>
      for (let steps = 0; found === undefined; steps++) {
        if (steps > 30) throw new Error('the video is not published after 30 steps')
        // The adapter takes the death for a lost response. Nothing of what follows is stored.
        found = await step().catch(() => undefined)
        if (calls >= call) mayDie = false
      }
      const name = `${after ? 'after' : 'before'} call ${call}`
      check(fake.posts.length, 1, `${name}: posts`)
      check(fake.posts[0]!.bytes.equals(content), true, `${name}: the video is whole`)
      check((found as { id?: string }).id, fake.posts[0]!.id, `${name}: id`)
      isOver = calls < call
      if (!isOver) kills++
    }
  }
  t.strictSame(problems, [])
  t.ok(kills >= 14, `${kills} kills`)
})

class Died extends Error {}
