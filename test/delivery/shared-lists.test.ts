import t from 'tap'
import { createNetworkScene, kindsOf, SUBJECTS } from '../helpers/network-scene.ts'
import { collectProblems } from '../helpers/problems.ts'
import { lostResponse } from '../helpers/scripted-network.ts'

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
