import tap, { type Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { SANDBOX_FAULTS } from '../../schemas/sandbox.ts'
import type { Act } from '../../src/platforms/adapter.ts'
import type { AnyAdapter } from '../../src/platforms/adapters.ts'
import { controlsOf, type NetworkControls } from './network-controls.ts'
import { type Attempt, type Call, ROWS, type Row } from './network-rows.ts'
import {
  catalogueActOf,
  createNetworkScene,
  type Kind,
  kindsOf,
  type NetworkScene,
  nameOf,
  ruleFor,
  SUBJECTS,
  type Subject,
} from './network-scene.ts'

// What every adapter promises: each network, each kind of post, each row of network-rows.ts. The posts are published by
// workers. The guarantees of src/platforms/*/limits.ts say what follows a lost response.

/** What happens to the acts of the current post. */
interface Plan {
  name: string
  kind: Kind
  /** The fault that waits for the publishing call of the last act. */
  fire: ((call: Call) => void) | null
  publish: Row['publish'] | undefined
  publishedAt: number[]
  waits: number
}

/** Holds `prepare` to its promises, and carries out the plan when acts are published. */
function withPlan(t: Test, adapter: AnyAdapter, subject: Subject, scene: NetworkScene, plan: Plan): AnyAdapter {
  const { network, world, countVisible } = scene
  const isLast = ({ kind, parent }: Act) => plan.kind.acts === 1 || kind === 'comment' || parent !== null
  const observed: AnyAdapter = {
    ...adapter,
    async prepare(act, io, saved) {
      const { name } = plan
      const visible = await countVisible()
      const result = await adapter.prepare(act, io, saved)
      const state = 'later' in result ? result.later.state : result.ready
      const seen = { visible: await countVisible(), state: JSON.parse(JSON.stringify(state)) }
      t.strictSame(seen, { visible, state }, `${name}: prepare makes nothing visible, and its state survives JSON`)
      if ('later' in result) {
        plan.waits++
        t.ok(result.later.afterMs > 0, `${name}: the pause is positive`)
      }
      return result
    },
    async publish(act, io, ready) {
      if (isLast(act)) plan.publishedAt.push(world.time.now.getTime())
      const failing: typeof fetch = async (input, init) => {
        const method = init?.method ?? 'GET'
        if (method !== 'GET' && isLast(act)) {
          const { fire } = plan
          plan.fire = null
          const on = `${method} ${new URL(String(input)).pathname}`
          fire?.({ fail: (fault) => void network!.faults.push({ on, ...fault }) })
        }
        return io.fetch(input, init)
      }
      const result = await adapter.publish(act, { ...io, fetch: failing }, ready)
      if ('processing' in result) plan.waits++
      return result
    },
  }
  const publish: AnyAdapter['publish'] = (act, io, ready) => {
    if (!plan.publish) return observed.publish(act, io, ready)
    const rule = ruleFor(subject, catalogueActOf(act), plan.kind)
    const attempt: Attempt = { t, name: plan.name, adapter: observed, act, io, ready, rule, countVisible }
    return plan.publish(attempt)
  }
  return { ...observed, publish }
}

function isTested(row: Row, id: PlatformId, kind: Kind, controls: NetworkControls): boolean {
  const isPossible =
    id === 'sandbox' ? row.sandbox : (row.atCall || row.beforePost) && (!row.control || row.control in controls)
  return Boolean(row.publish || isPossible) && (row.concerns?.(kind, controls) ?? true)
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
  const { id: network } = subject
  const controls = controlsOf(network, scene.world)
  if (!isTested(row, network, kind, controls)) return
  const name = `${kind.name}, ${row.name}`
  const before = await scene.countVisible()
  let undo: (() => void) | undefined
  Object.assign(plan, { name, kind, publish: row.publish, publishedAt: [], waits: 0, fire: null })
  const fields = { fault: row.sandbox, faultAct: kind.acts }
  if (network !== 'sandbox') {
    undo = row.beforePost?.(controls)
    if (row.atCall) {
      plan.fire = (call) => {
        undo = row.atCall!(call, controls)
      }
    }
  }
  let claims = 0
  const work = (ms: number) => {
    claims++
    return scene.world.work(ms)
  }
  const id = await scene.post(network === 'sandbox' && row.sandbox ? { ...kind, fields } : kind, files, name)
  const delivery = await scene.settle(id, work)
  t.equal(plan.fire, null, `${name}: the call was made`)
  const { publishedAt, waits } = plan
  const countVisible = async () => (await scene.countVisible()) - before
  const rule = ruleFor(subject, kind.act, kind)
  const undoOnce = () => {
    undo?.()
    undo = undefined
  }
  const facts = { id, name, kind, rule, scene, controls, delivery, countVisible, publishedAt, claims, waits }
  await row.check(t, { ...facts, undo: undoOnce })
  undoOnce()
  // Only their time tells some posts from the next, such as stories.
  scene.world.advance(120_000)
}

export const isOfMeta = (id: PlatformId) => ['facebook', 'instagram', 'threads'].includes(id)

/** Runs the rows of the table for each network that `isIncluded` names. */
export function testNetworks(isIncluded: (id: PlatformId) => boolean): void {
  tap.strictSame(new Set(ROWS.flatMap(({ sandbox = [] }) => sandbox)), new Set(SANDBOX_FAULTS), 'faults of the sandbox')
  for (const subject of SUBJECTS.filter(({ id }) => isIncluded(id))) {
    tap.test(nameOf(subject), (t) => testNetwork(t, subject))
  }
}

async function testNetwork(t: Test, subject: Subject) {
  const { id } = subject
  const kinds = kindsOf(id)
  const plan: Plan = { name: '', kind: kinds[0]!, fire: null, publish: undefined, publishedAt: [], waits: 0 }
  const start = async () => {
    const scene = await createNetworkScene(t, subject)
    const { networks } = scene.world
    const adapter = networks[id]!
    t.equal(adapter.reconcile === undefined, adapter.guarantee === 'at-most-once')
    t.ok(adapter.concurrency >= 1)
    networks[id] = withPlan(t, adapter, subject, scene, plan)
    return scene
  }
  let scene = await start()
  for (const kind of kinds) {
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
