import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Act } from '../../../src/platforms/contract/adapter.ts'
import {
  catalogueActOf,
  createNetworkScene,
  kindsOf,
  type NetworkScene,
  nameOf,
  ruleFor,
  SUBJECTS,
  type Subject,
} from '../../helpers/network-scene.ts'
import { findWrongOutcome } from '../../helpers/promises.ts'
import type { Kind } from '../../networks/fakes/scene.ts'

// Each adapter publishes each kind of post, and its worker dies at each of its calls, before and after. Another worker
// takes over. The network shows posts late. Nothing is lost or sent twice, and unconfirmed only where the guarantee
// says so.

/** Set by soak.ts: every kind of post, and a file for the results. */
const { SOAK_REPORT } = process.env

/** How long posts take to show where the fake of the network can delay them. */
const SHOWS_AFTER_MS = 45_000

interface Result {
  network: string
  kills: number
  published: number
  unconfirmed: number
  lost: number
  doubled: number
  /** The kills whose posts are not simply published. */
  cases: Case[]
}

interface Case {
  network: string
  post: string
  /** Such as `after POST /2/tweets`. */
  killed: string
  outcome: 'unconfirmed' | 'lost' | 'doubled'
}

/** A worker dies at its call number `call`: before the network gets it, or after the network has carried it out. */
interface Kill {
  call: number
  when: 'before' | 'after'
}

function showLate({ world }: NetworkScene): void {
  const { facebook, linkedin, x, google_business, instagram, threads, tiktok, pinterest, reddit, youtube } = world
  facebook.listedAfterMs = linkedin.listedAfterMs = x.switches.showsAfterMs = SHOWS_AFTER_MS
  google_business.listedAfterMs = pinterest.listedAfterMs = SHOWS_AFTER_MS
  reddit.switches.showsAfterMs = youtube.switches.showsAfterMs = SHOWS_AFTER_MS
  // Here in looks.
  instagram.lag = threads.lag = tiktok.switches.idLooks = 1
  instagram.statusLag = threads.statusLag = 1
}

/** A video with what YouTube does for keys of `fields`. */
const VIDEO_WITH_ACTS: Kind = {
  name: 'video with a thumbnail and a playlist',
  postType: 'video',
  act: 'files',
  files: ['video'],
  acts: 3,
  fields: { thumbnailUrl: 'https://images.example/dusk.png', playlistId: 'PLlighthouses1' },
}

/** The default is the last kind: it has two acts, a post and a comment. */
function listKinds({ id }: Subject): Kind[] {
  const kinds = SOAK_REPORT ? kindsOf(id) : kindsOf(id).slice(-1)
  return id === 'youtube' ? [...kinds, VIDEO_WITH_ACTS] : kinds
}

/** Workers that die by a plan, one after the other. A dead worker stops for ever at its call, like a killed process. */
function createWorkers({ world }: NetworkScene, id: Subject['id'], plan: Kill[]) {
  const adapter = world.networks[id]!
  let calls = 0
  /** The first call at which a worker died, and the act that it was publishing. */
  const death: { call: string | null; publishing: Act | null } = { call: null, publishing: null }
  const never = new Promise<never>(() => {})

  const work = async () => {
    let publishing: Act | null = null
    const died = Promise.withResolvers<void>()
    const die = (call: string) => {
      plan.shift()
      calls = 0
      death.call ??= call
      death.publishing ??= publishing
      died.resolve()
      return never
    }
    const publish: typeof adapter.publish = (act, io, ready) => {
      publishing = act
      return adapter.publish(act, io, ready).finally(() => {
        publishing = null
      })
    }
    const doomed: typeof fetch = async (...request) => {
      const [kill] = plan
      const isLast = ++calls === kill?.call
      if (isLast && kill!.when === 'before') return die(nameCall(...request))
      const response = await world.fetch(...request)
      return isLast ? die(nameCall(...request)) : response
    }
    const networks = { ...world.networks, [id]: { ...adapter, publish } }
    const worker = world.createWorker({ networks, fetch: doomed })
    const finish = async () => {
      do await worker.idle()
      while ((await worker.claim()) > 0)
    }
    await Promise.race([died.promise, finish()])
  }

  return {
    death,
    async work(ms: number) {
      world.advance(ms)
      await work()
    },
  }
}

/** The method and the path of a call, without ids and tokens. */
function nameCall(...[input, init]: Parameters<typeof fetch>): string {
  const { pathname } = new URL(String(input))
  const segments = pathname.split('/').map((segment) => (/\d{5}|^[\w:-]{24,}$/.test(segment) ? ':id' : segment))
  return `${init?.method ?? 'GET'} ${segments.join('/')}`
}

/** Publishes a post whose worker dies as `kill` says. Returns undefined if it made fewer calls. */
async function publishKilled(t: Test, subject: Subject, kind: Kind, scene: NetworkScene, files: string[], kill: Kill) {
  const plan = kill.when === 'after' ? [kill, { call: 1, when: 'before' as const }] : [kill]
  const { work, death } = createWorkers(scene, subject.id, plan)
  const before = await scene.countVisible()
  const name = `${kind.name}, killed ${kill.when} call ${kill.call}`
  const { state, error, acts } = await scene.settle(await scene.post(kind, files, name), work)
  if (plan.includes(kill)) return undefined
  const visible = (await scene.countVisible()) - before
  const { publishing } = death
  const rule = publishing && ruleFor(subject, catalogueActOf(publishing), kind)
  const outcome = {
    name,
    state,
    acts: kind.acts,
    sent: acts.length,
    rules: rule ? [rule] : [],
    isCalled: rule?.guarantee === 'at-most-once' && kill.when === 'after',
  }
  t.match(state, /^(published|unconfirmed)$/, `${name}: ${error?.message ?? ''}`)
  t.strictSame(findWrongOutcome(outcome, visible), [])
  const outcomes: Case['outcome'][] = [
    ...(state === 'published' ? [] : (['unconfirmed'] as const)),
    ...(state === 'published' && visible < kind.acts ? (['lost'] as const) : []),
    ...(visible > kind.acts ? (['doubled'] as const) : []),
  ]
  return { killed: `${kill.when} ${death.call}`, outcomes }
}

const results: Result[] = []

// The sandbox makes no calls.
for (const subject of SUBJECTS.filter(({ id }) => id !== 'sandbox')) {
  t.test(nameOf(subject), async (t) => {
    const start = async () => {
      const scene = await createNetworkScene(t, subject)
      showLate(scene)
      scene.world.youtube.images.set('/dusk.png', { type: 'image/png', bytes: Buffer.from('PNG') })
      return scene
    }
    let scene = await start()
    const network = nameOf(subject)
    const result: Result = { network, kills: 0, published: 0, unconfirmed: 0, lost: 0, doubled: 0, cases: [] }
    results.push(result)
    for (const kind of listKinds(subject)) {
      let files = await scene.uploadFiles(kind)
      for (let call = 1, isOver = false; !isOver; call++) {
        for (const when of ['before', 'after'] as const) {
          if (scene.isOld()) {
            scene = await start()
            files = await scene.uploadFiles(kind)
          }
          const ended = await publishKilled(t, subject, kind, scene, files, { call, when })
          isOver ||= ended === undefined
          if (!ended) continue
          const { killed, outcomes } = ended
          result.kills++
          if (!outcomes.includes('unconfirmed')) result.published++
          for (const outcome of outcomes) {
            result[outcome]++
            result.cases.push({ network, post: kind.name, killed, outcome })
          }
        }
      }
    }
    t.ok(result.kills > 0)
  })
}

t.teardown(() => {
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify(results))
})
