import tap, { type Test } from 'tap'
import type { Act } from '../../src/platforms/adapter.ts'
import type { AnyAdapter } from '../../src/platforms/adapters.ts'
import type { GuaranteeRule } from '../../src/platforms/limits.ts'
import { broken, type Fault, reset } from '../networks/fakes/network.ts'
import { controlsOf, type NetworkControls } from './network-controls.ts'
import {
  createNetworkScene,
  type Kind,
  kindsOf,
  type NetworkScene,
  nameOf,
  type RealNetwork,
  ruleFor,
  SUBJECTS,
  type Subject,
} from './network-scene.ts'

// What becomes of each kind of post on each network under each fault. The guarantees of src/platforms/*/limits.ts say what
// follows a lost response.

/** The publishing call of the last act. */
interface Call {
  /** Makes the response fail. */
  fail(fault: Omit<Fault, 'on'>): void
}

interface Row {
  name: string
  /** Absent where the fault begins before the post is created. */
  atCall?(call: Call, controls: NetworkControls): (() => void) | undefined
  beforePost?(controls: NetworkControls): () => void
  /** Whether it concerns posts of this kind; needs controls of the network. */
  concerns?(kind: Kind, controls: NetworkControls): boolean
  check(t: Test, published: Published): Promise<void> | void
}

/** A post, and what has become of it. */
interface Published {
  id: string
  name: string
  kind: Kind
  rule: GuaranteeRule
  scene: NetworkScene
  delivery: Awaited<ReturnType<NetworkScene['settle']>>
  /** How many acts readers have seen since it was created. */
  countVisible(): number
  /** When its last act was published, by the clock of the workers. */
  publishedAt: number[]
  /** How often workers claimed it. */
  claims: number
  hidesFailures: boolean
  undo(): void
}

const LIMIT_SECONDS = 120

/** The response to the publishing call is lost. */
const lost = (name: string, isSent: boolean, fault: Omit<Fault, 'on'>, isLate = false): Row => ({
  name,
  atCall(call, controls) {
    call.fail(fault)
    return isLate ? controls.showLate() : undefined
  },
  ...(isLate && { concerns: () => true }),
  check(t, { name, kind, rule, delivery: { state, error }, countVisible }) {
    const isFound = rule.guarantee === 'reconcilable' && (isSent || rule.ifAbsent === 'sent again')
    const isPublished = isFound || rule.guarantee === 'exactly-once'
    t.equal(state, isPublished ? 'published' : 'unconfirmed', `${name}: ${error?.message}`)
    t.equal(countVisible(), isPublished || isSent ? kind.acts : kind.acts - 1, `${name}: visible acts`)
  },
})

/** The token stops to work. Connected again, the account gets what is missing of the post. */
const withoutToken = (name: string, end: (controls: NetworkControls) => () => void): Row => ({
  name,
  concerns: (kind, { needsToken = () => true }) => needsToken(kind),
  atCall: (_, controls) => end(controls),
  async check(t, { id, name, kind, scene, delivery: { state, error }, countVisible, undo }) {
    const { world, account } = scene
    // The post is out without its comment.
    const ended = kind.act === 'comment' ? 'published' : 'failed'
    t.strictSame([state, error?.code], [ended, 'unauthorized'], `${name}: ${error?.message}`)
    t.hasStrict((await world.readAccount(account)).attention, { code: 'unauthorized' }, name)
    t.equal(countVisible(), kind.acts - 1, `${name}: visible acts`)
    undo()
    t.equal((await world.retry(id, account)).status, 202, `${name}: retry`)
    const { state: later, error: other } = await scene.settle(id)
    t.strictSame([later, other], ['published', null], `${name}, after a retry`)
    t.equal(countVisible(), kind.acts, `${name}, after a retry: visible acts`)
    t.notOk((await world.readAccount(account)).attention, name)
  },
})

const ROWS: Row[] = [
  lost('reset before', false, { instead: reset }),
  lost('503 before', false, { instead: { status: 503 } }),
  lost('503 after', true, { after: true, instead: { status: 503 } }),
  lost('half a response', true, { after: true, instead: broken(200) }),
  lost('half a response, shown late', true, { after: true, instead: broken(200) }, true),
  withoutToken('a revoked token', (controls) => controls.revokeToken()),
  withoutToken('an expired token', (controls) => controls.expireToken()),
  {
    name: 'a rate limit',
    concerns: () => true,
    atCall(call, controls) {
      call.fail({ instead: controls.limited(LIMIT_SECONDS) })
      return undefined
    },
    check(t, { name, kind, delivery: { state, error }, countVisible, publishedAt }) {
      t.equal(state, 'published', `${name}: ${error?.message}`)
      t.equal(countVisible(), kind.acts, `${name}: visible acts`)
      const [first = 0, second = 0, ...more] = publishedAt
      // Headers round to seconds.
      t.ok(second - first > (LIMIT_SECONDS - 2) * 1000, `${name}: a pause of ${second - first} ms`)
      t.equal(more.length, 0, name)
    },
  },
  {
    name: 'long processing',
    concerns: (kind, controls) => controls.processes(kind),
    beforePost: (controls) => controls.process(4),
    check(t, { name, kind, delivery: { state, error }, countVisible, claims }) {
      t.equal(state, 'published', `${name}: ${error?.message}`)
      t.equal(countVisible(), kind.acts, `${name}: visible acts`)
      t.ok(claims > 3, `${name}: the worker does not wait`)
    },
  },
  {
    name: 'failed processing',
    concerns: (kind, controls) => controls.processes(kind),
    beforePost: (controls) => controls.process('fails'),
    check(t, { name, delivery: { state, error }, countVisible, hidesFailures }) {
      const failed = { state: 'failed', error: { code: 'content_refused', retryable: false } }
      t.hasStrict({ state, error }, hidesFailures ? { state: 'unconfirmed' } : failed, name)
      t.equal(countVisible(), 0, `${name}: visible acts`)
    },
  },
]

/** The fault that waits for the publishing call of an act. */
interface Plan {
  fire: ((call: Call) => void) | null
  /** The acts that it may hit. */
  of: (act: Act) => boolean
  publishedAt: number[]
}

/** Carries out the plan at the first call of an act that readers see. */
function withFaults(adapter: AnyAdapter, { network, world }: NetworkScene, plan: Plan): AnyAdapter {
  return {
    ...adapter,
    publish(act, io, ready) {
      const failing: typeof fetch = async (input, init) => {
        const method = init?.method ?? 'GET'
        if (method !== 'GET' && plan.of(act)) {
          plan.publishedAt.push(world.time.now.getTime())
          const { fire } = plan
          plan.fire = null
          const on = `${method} ${new URL(String(input)).pathname}`
          fire?.({ fail: (fault) => network.faults.push({ on, ...fault }) })
        }
        return io.fetch(input, init)
      }
      return adapter.publish(act, { ...io, fetch: failing }, ready)
    },
  }
}

interface Cell {
  subject: Subject
  kind: Kind
  row: Row
  scene: NetworkScene
  plan: Plan
  files: string[]
}

async function testCell(t: Test, { subject, kind, row, scene, plan, files }: Cell) {
  const controls = controlsOf(subject.id, scene.world)
  if (row.concerns && !(controls && row.concerns(kind, controls))) return
  const name = `${kind.name}, ${row.name}`
  const before = scene.countVisible()
  let undo = row.beforePost?.(controls!)
  plan.publishedAt = []
  plan.of = (act) => kind.acts === 1 || act.kind === 'comment' || act.parent !== null
  plan.fire = row.atCall
    ? (call) => {
        undo = row.atCall!(call, controls!)
      }
    : null
  let claims = 0
  const work = (ms: number) => {
    claims++
    return scene.world.work(ms)
  }
  const id = await scene.post(kind, files, name)
  const delivery = await scene.settle(id, work)
  t.equal(plan.fire, null, `${name}: the call was made`)
  const { publishedAt } = plan
  const countVisible = () => scene.countVisible() - before
  const rule = ruleFor(subject, kind.act, kind)
  const undoOnce = () => {
    undo?.()
    undo = undefined
  }
  const facts = { id, name, kind, rule, scene, delivery, countVisible, publishedAt, claims, undo: undoOnce }
  await row.check(t, { ...facts, hidesFailures: controls?.hidesFailures ?? false })
  undoOnce()
}

export const isOfMeta = (id: RealNetwork) => ['facebook', 'instagram', 'threads'].includes(id)

/** Runs the table for the networks of which `isTested` is true. */
export function testNetworkFaults(isTested: (id: RealNetwork) => boolean): void {
  for (const subject of SUBJECTS.filter(({ id }) => isTested(id))) {
    tap.test(nameOf(subject), (t) => testNetwork(t, subject))
  }
}

async function testNetwork(t: Test, subject: Subject) {
  const { id } = subject
  const plan: Plan = { fire: null, of: () => false, publishedAt: [] }
  const start = async () => {
    const scene = await createNetworkScene(t, subject)
    const { networks } = scene.world
    networks[id] = withFaults(networks[id]!, scene, plan)
    return scene
  }
  let scene = await start()
  for (const kind of kindsOf(id)) {
    let files = await scene.uploadFiles(kind)
    for (const row of ROWS) {
      if (scene.isOld()) {
        scene = await start()
        files = await scene.uploadFiles(kind)
      }
      await testCell(t, { subject, kind, row, scene, plan, files })
    }
  }
}
