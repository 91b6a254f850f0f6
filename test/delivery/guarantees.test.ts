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

/** The ways to lose a response, and whether the network carries out the call. */
const LOST: Record<string, { isSent: boolean; fault: Omit<Fault, 'on'> }> = {
  'reset before': { isSent: false, fault: { instead: reset } },
  '503 before': { isSent: false, fault: { instead: { status: 503 } } },
  'half a response': { isSent: true, fault: { after: true, instead: broken(200) } },
  '503 after': { isSent: true, fault: { after: true, instead: { status: 503 } } },
}

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

/** Publishes one post for each way to lose a response. */
async function testKind(t: Test, kind: Kind, rule: GuaranteeRule, scene: NetworkScene, plan: Plan) {
  const mediaIds = await scene.uploadFiles(kind)
  for (const [lost, { fault, isSent }] of Object.entries(LOST)) {
    const name = `${kind.name}, ${lost}`
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
    for (const kind of kindsOf(id)) {
      if (scene.isOld()) scene = await start()
      await testKind(t, kind, ruleFor(subject, kind.act), scene, plan)
    }
  })
}
