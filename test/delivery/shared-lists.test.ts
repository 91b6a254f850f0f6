import t from 'tap'
import { createReadings } from '../../src/engine/delivery/readings.ts'
import { callNetwork } from '../../src/platforms/wire/call-network.ts'
import { createNetworkScene, kindsOf, SUBJECTS } from '../helpers/network-scene.ts'
import { collectProblems } from '../helpers/problems.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, scriptedNetwork } from '../helpers/scripted-network.ts'

/** The networks on which an act is searched among the posts of its account. */
const SEARCHED = ['mastodon', 'x', 'facebook', 'linkedin', 'reddit', 'google_business', 'pinterest']
const POSTS = 5

t.test('nothing is read twice to find the posts of an account whose responses were lost', async (t) => {
  const { problems, check } = collectProblems()
  for (const subject of SUBJECTS.filter(({ id, accounts }) => SEARCHED.includes(id) && accounts !== 'members')) {
    const { id } = subject
    const scene = await createNetworkScene(t, subject)
    const { world } = scene
    world.advance(0)
    const [kind] = kindsOf(id)
    const mediaIds: string[] = []
    for (let number = 1; number <= POSTS; number++) {
      await scene.post(kind!, mediaIds.concat(await scene.uploadFiles(kind!)), `Dusk ${number}`)
    }
    const adapter = world.networks[id]!
    const publish: typeof adapter.publish = async (...call) => {
      await adapter.publish(...call)
      throw lostResponse()
    }
    const reads: string[] = []
    const recorded: typeof fetch = (input, init) => {
      if ((init?.method ?? 'GET') === 'GET') reads.push(String(input))
      return world.fetch(input, init)
    }
    const worker = world.createWorker({
      networks: { ...world.networks, [id]: { ...adapter, publish } },
      fetch: recorded,
    })
    const work = async () => {
      do await worker.idle()
      while ((await worker.claim()) > 0)
    }
    const countQueued = async () =>
      (await world.db.selectFrom('postTargets').select('state').where('state', '=', 'queued').execute()).length
    // A network with a limit of its own takes them one after the other.
    for (let turn = 0; turn < 12 && (await scene.countVisible()) < POSTS; turn++, world.advance(10_000)) await work()
    reads.length = 0
    world.advance(180_000)
    await work()
    check(await countQueued(), 0, `${id}: deliveries that wait`)
    check(await scene.countVisible(), POSTS, `${id}: posts`)
    check(
      reads.filter((url, index) => reads.indexOf(url) !== index),
      [],
      `${id}: reads that are repeated`,
    )
  }
  t.strictSame(problems, [])
})

t.test('a reading for another delivery does not shorten the pause after a lost response', async (t) => {
  const mastodon = scriptedNetwork()
  const { connectAccount, post, work, readDelivery, time } = await createDeliveryWorld(t, { mastodon })
  const accountIds = [await connectAccount('mastodon')]
  const first = await post({ accountIds, caption: 'first' })
  const second = await post({ accountIds, caption: 'hangs for a minute' })
  const hang = () => {
    time.now = new Date(time.now.getTime() + 60_000)
  }
  mastodon.steps.push({ isAccepted: true, error: lostResponse() })
  mastodon.steps.push({ isAccepted: false, error: lostResponse(), beforeResponse: hang })
  await work()
  await work(1_000)
  t.hasStrict(await readDelivery(first), { state: 'published' })
  t.hasStrict(await readDelivery(second), { state: 'queued' }, 'its request may still arrive')
  t.equal(mastodon.acts.length, 2, 'it is not sent again')
  await work(60_000)
  t.same(mastodon.posts, ['first', 'hangs for a minute'])
})

t.test('where a reading serves one act, a failed one is not repeated after that of another act', async (t) => {
  const bluesky = scriptedNetwork('exactly-once')
  const { connectAccount, post, work } = await createDeliveryWorld(t, { bluesky })
  const accountIds = [await connectAccount('bluesky')]
  for (let number = 1; number <= 5; number++) {
    await post({ accountIds, caption: `post ${number}` })
    bluesky.steps.push({ isAccepted: true, error: lostResponse() })
  }
  await work()
  const reconcile = bluesky.reconcile!
  bluesky.reconcile = async (...call) => {
    const found = await reconcile(...call)
    if (bluesky.reconcileCount === 1) throw refusal('unreachable', { retryable: true })
    return found
  }
  await work(60_000)
  t.equal(bluesky.reconcileCount, 5, 'one for each act')
  await work(600_000)
  t.equal(bluesky.reconcileCount, 6)
})

t.test('a reading keeps texts, which are parsed for each delivery', async (t) => {
  const { reading } = createReadings(() => 0).begin('account')
  const rules = { host: 'network.example', secrets: [], words: () => undefined, errors: [] }
  const called: string[] = []
  const io = {
    reading,
    signal: new AbortController().signal,
    fetch: async (input: Parameters<typeof fetch>[0]) => {
      called.push(String(input))
      return new Response('[{},{}]')
    },
  }
  const read = () => callNetwork(rules, io, 'https://network.example/list', { answer: 'status' })
  const [first, second] = [await read(), await read()]
  t.strictSame(first.body, [{}, {}])
  t.strictSame(second.body, first.body)
  t.not(second.body, first.body, 'the parsed body is not kept: it can take 20 times the memory')
  t.equal(called.length, 1)
})
