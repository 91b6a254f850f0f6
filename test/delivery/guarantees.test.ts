import t, { type Test } from 'tap'
import type { Act } from '../../src/platforms/adapter.ts'
import type { AnyAdapter } from '../../src/platforms/adapters.ts'
import type { GuaranteeRule } from '../../src/platforms/limits.ts'
import { broken, type FakeNetwork, type Fault, reset } from '../helpers/fake-network.ts'
import {
  createNetworkScene,
  type Kind,
  kindsOf,
  type NetworkScene,
  nameOf,
  ruleFor,
  SUBJECTS,
} from '../helpers/network-scene.ts'

// What becomes of each kind of post on each network where a response is lost: the guarantees of src/platforms/*/limits.ts.

interface Lost {
  name: string
  /** Whether the network carries out the call. */
  isSent: boolean
  fault: Omit<Fault, 'on'>
}

/** The ways to lose a response, in pairs: the kinds of a network take turns. */
const LOST: Lost[][] = [
  [
    { name: 'reset before', isSent: false, fault: { instead: reset } },
    { name: '503 after', isSent: true, fault: { after: true, instead: { status: 503 } } },
  ],
  [
    { name: '503 before', isSent: false, fault: { instead: { status: 503 } } },
    { name: 'half a response', isSent: true, fault: { after: true, instead: broken(200) } },
  ],
]

interface Plan {
  fault: Omit<Fault, 'on'> | null
  /** The acts that it may hit. */
  of: (act: Act) => boolean
}

/** Makes the call of one act that readers see fail, once. */
function failOnce(adapter: AnyAdapter, network: FakeNetwork, plan: Plan): AnyAdapter {
  return {
    ...adapter,
    publish(act, io, ready) {
      const failing: typeof fetch = async (input, init) => {
        const method = init?.method ?? 'GET'
        if (plan.fault && plan.of(act) && method !== 'GET') {
          network.faults.push({ on: `${method} ${new URL(String(input)).pathname}`, ...plan.fault })
          plan.fault = null
        }
        return io.fetch(input, init)
      }
      return adapter.publish(act, { ...io, fetch: failing }, ready)
    },
  }
}

/** What is published, how, and what the network guarantees for it. */
interface Case {
  kind: Kind
  rule: GuaranteeRule
  scene: NetworkScene
  plan: Plan
}

/** Publishes one post for each of these ways to lose a response. */
async function testKind(t: Test, { kind, rule, scene, plan }: Case, ways: Lost[]) {
  const mediaIds = await scene.uploadFiles(kind)
  for (const { fault, isSent, ...lost } of ways) {
    const name = `${kind.name}, ${lost.name}`
    const before = scene.countVisible()
    plan.fault = fault
    plan.of = (act) => kind.acts === 1 || act.kind === 'comment' || act.parent !== null
    const { state, error } = await scene.settle(await scene.post(kind, mediaIds, name))
    const isFound = rule.guarantee === 'reconcilable' && (isSent || rule.ifAbsent === 'sent again')
    const isPublished = isFound || rule.guarantee === 'exactly-once'
    t.equal(plan.fault, null, `${name}: the call was made`)
    t.equal(state, isPublished ? 'published' : 'unconfirmed', `${name}: ${error?.message}`)
    const acts = isPublished || isSent ? kind.acts : kind.acts - 1
    t.equal(scene.countVisible() - before, acts, `${name}: visible acts`)
  }
}

for (const subject of SUBJECTS) {
  t.test(nameOf(subject), async (t) => {
    const { id } = subject
    const plan: Plan = { fault: null, of: () => false }
    const start = async () => {
      const scene = await createNetworkScene(t, subject)
      const { networks } = scene.world
      networks[id] = failOnce(networks[id]!, scene.network, plan)
      return scene
    }
    let scene = await start()
    for (const [index, kind] of kindsOf(id).entries()) {
      if (scene.isOld()) scene = await start()
      await testKind(t, { kind, rule: ruleFor(subject, kind.act), scene, plan }, LOST[index % 2]!)
    }
  })
}
