import t, { type Test } from 'tap'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { throttled } from '../networks/fakes/mastodon.ts'

const SECOND = 1_000
const MINUTE = 60_000

/** Mastodon's limit: https://docs.joinmastodon.org/api/rate-limits/ */
const REQUESTS_MAX = 300
const WINDOW_MS = 5 * MINUTE

type Outage = 'responses to posts are lost' | 'nothing responds' | null

/** An account with due posts, on an instance with the limit of Mastodon, and a worker. */
async function setUp(t: Test, posts: number) {
  const world = await createNetworkWorld(t)
  const { time, advance, createWorker } = world
  advance(0)
  const accountId = await world.connect('mastodon')
  const ids: string[] = []
  for (let number = 1; number <= posts; number++) {
    ids.push(await world.post({ caption: `Post ${number}`, accountIds: [accountId] }))
  }
  const requests: { at: number; name: string }[] = []
  const network = { outage: (_post: number): Outage => null, refused: 0, posts: 0 }
  const limited: typeof fetch = async (input, init) => {
    const now = time.now.getTime()
    const name = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname.replace(/\/\d+\//, '/:id/')}`
    const isPost = name === 'POST /api/v1/statuses'
    const outage = network.outage(isPost ? ++network.posts : network.posts)
    const lost = new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
    if (outage === 'nothing responds') throw lost
    const windowStart = now - (now % WINDOW_MS)
    if (requests.filter(({ at }) => at >= windowStart).length >= REQUESTS_MAX) {
      network.refused++
      const { status, headers } = throttled(new Date(Date.now() + windowStart + WINDOW_MS - now))
      return new Response('{"error":"Too many requests"}', { status, headers: headers! })
    }
    requests.push({ at: now, name })
    const response = await world.fetch(input, init)
    if (outage && isPost) throw lost
    return response
  }
  const worker = createWorker({ fetch: limited })
  const work = async () => {
    do await worker.idle()
    while ((await worker.claim()) > 0)
  }
  const countOpen = async () => {
    const open = await world.db.selectFrom('postTargets').select('postId').where('intent', 'is not', null).execute()
    return open.length
  }
  const states = async () => {
    const rows = await world.db.selectFrom('postTargets').select('state').execute()
    return Object.entries(Object.groupBy(rows, ({ state }) => state)).map(([state, all]) => `${all!.length} ${state}`)
  }
  /** Works every 5 seconds until nothing is left to be sent or found. Returns how long that took. */
  const settle = async (maxMs: number): Promise<number> => {
    for (let passedMs = 0; ; passedMs += 5 * SECOND) {
      await work()
      if ((await states()).every((state) => !/queued|publishing/.test(state)) || passedMs >= maxMs) return passedMs
      advance(5 * SECOND)
    }
  }
  const searches = () => requests.filter(({ name }) => !name.startsWith('POST ')).length
  return { ...world, ids, network, requests, searches, work, settle, states, countOpen }
}

t.test('one reading of an account finds all of its posts whose responses were lost', async (t) => {
  const { mastodon, network, searches, settle, states } = await setUp(t, 48)
  network.outage = (post) => (post % 12 < 7 ? 'responses to posts are lost' : null)
  const tookMs = await settle(30 * MINUTE)
  t.comment(`${tookMs / MINUTE} minutes, ${searches()} requests to search, ${network.refused} refused`)
  t.strictSame(await states(), ['48 published'])
  t.equal(new Set(mastodon.statuses.map(({ text }) => text)).size, 48)
  t.equal(mastodon.statuses.length, 48, 'none is sent twice')
  t.equal(network.refused, 0, 'the limit of the account leaves room for publishing')
})

t.test('posts that wait for their network are settled within three minutes after it is back', async (t) => {
  const { advance, countOpen, mastodon, network, searches, work, settle, states } = await setUp(t, 28)
  network.outage = () => 'responses to posts are lost'
  await work()
  t.equal(await countOpen(), 28)
  network.outage = () => 'nothing responds'
  for (let passedMs = 0; passedMs < 12 * MINUTE; passedMs += 5 * SECOND) {
    advance(5 * SECOND)
    await work()
  }
  network.outage = () => null
  const before = searches()
  const tookMs = await settle(30 * MINUTE)
  t.comment(`${tookMs / MINUTE} minutes, ${searches() - before} requests to search`)
  t.strictSame(await states(), ['28 published'])
  t.equal(mastodon.statuses.length, 28, 'none is sent twice')
  t.ok(tookMs <= 3 * MINUTE, `${tookMs / MINUTE} minutes`)
  t.equal(searches() - before, 31, 'the account, two pages, and the source of each post')
})
