import tap, { type Test } from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { SANDBOX_FAULTS } from '../../schemas/sandbox.ts'
import type { Act, AnyAdapter } from '../../src/platforms/contract/adapter.ts'
import { WEAKEST_FIRST } from '../../src/platforms/contract/guarantee.ts'
import type { Kind, NetworkControls } from '../networks/fakes/scene.ts'
import { type Call, type Row, watchPublishing } from './network-row.ts'
import { ROWS } from './network-rows.ts'
import {
  catalogueActOf,
  controlsOf,
  createNetworkScene,
  FLAVOUR_SUBJECTS,
  kindsOf,
  type NetworkScene,
  nameOf,
  ruleFor,
  SUBJECTS,
  type Subject,
} from './network-scene.ts'
import { collectProblems, type Findings } from './problems.ts'

// Tests the promises of every adapter, for each network, each kind of post and each row of network-rows.ts. The posts
// are published by workers. The guarantees of src/platforms/*/limits.ts say what follows a lost response.

/** The course of the current post's acts. */
interface Plan {
  kind: Kind
  controls: NetworkControls
  findings: Findings
  /** The fault that waits for the publishing call of the last act. */
  fire: ((call: Call) => void) | null
  publish: Row['publish'] | undefined
  publishedAt: number[]
  waits: number
}

/** Holds `prepare` to its promises, and carries out the plan when acts are published. */
function withPlan(adapter: AnyAdapter, subject: Subject, scene: NetworkScene, plan: Plan): AnyAdapter {
  const { network, world, countVisible } = scene
  const isLast = ({ kind, parent }: Act) => plan.kind.acts === 1 || kind === 'comment' || parent !== null
  const observed: AnyAdapter = {
    ...adapter,
    async prepare(act, io, saved) {
      const { findings } = plan
      const visible = await countVisible()
      const result = await adapter.prepare(act, io, saved)
      const state = 'later' in result ? result.later.state : result.ready
      findings.check(await countVisible(), visible, 'prepare makes nothing visible')
      findings.check(JSON.parse(JSON.stringify(state)), state, 'its state survives JSON')
      if ('later' in result) {
        plan.waits++
        if (!(result.later.afterMs > 0)) findings.problems.push(`a pause of ${result.later.afterMs} ms`)
      }
      return result
    },
    async publish(act, io, ready) {
      if (isLast(act)) plan.publishedAt.push(world.time.now.getTime())
      const failing = watchPublishing(io.fetch, (on) => {
        if (!isLast(act)) return
        const { fire } = plan
        plan.fire = null
        fire?.({ fail: (fault) => void network!.faults.push({ on, ...fault }) })
      })
      const result = await adapter.publish(act, { ...io, fetch: failing }, ready)
      if ('processing' in result) plan.waits++
      return result
    },
  }
  const publish: AnyAdapter['publish'] = (act, io, ready) => {
    if (!plan.publish) return observed.publish(act, io, ready)
    const { findings, controls } = plan
    const rule = ruleFor(subject, catalogueActOf(act), plan.kind)
    return plan.publish({
      id: subject.id,
      findings,
      controls,
      network,
      adapter: observed,
      act,
      io,
      ready,
      rule,
      countVisible,
    })
  }
  return { ...observed, publish }
}

function isTested(row: Row, id: PlatformId, kind: Kind, controls: NetworkControls): boolean {
  const hasFault = id === 'sandbox' ? row.sandbox : row.atCall || row.beforePost
  const isPossible = id === 'sandbox' && row.sandbox ? true : !row.control || row.control in controls
  return Boolean(row.publish || hasFault) && isPossible && (row.concerns?.(kind, controls) ?? true)
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
  const name = `${kind.name}, ${row.name}`
  const findings = collectProblems()
  const before = await scene.countVisible()
  let undo: (() => void) | undefined
  Object.assign(plan, { kind, controls, findings, publish: row.publish, publishedAt: [], waits: 0, fire: null })
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
  if (plan.fire) findings.problems.push('the publishing call was not made')
  const { publishedAt, waits } = plan
  const countVisible = async () => (await scene.countVisible()) - before
  const rule = ruleFor(subject, kind.act, kind)
  const undoOnce = () => {
    undo?.()
    undo = undefined
  }
  const facts = { id, findings, kind, rule, scene, controls, delivery, countVisible, publishedAt, claims, waits }
  await row.check({ ...facts, undo: undoOnce })
  undoOnce()
  t.strictSame(findings.problems, [], name)
  // Only their time tells some posts from the next, such as stories.
  scene.world.advance(120_000)
}

/** The rows of the table for a kind of post. */
const rowsOf = (subject: Subject, kind: Kind, controls: NetworkControls) =>
  ROWS.filter((row) => isTested(row, subject.id, kind, controls))

/**
 * The kind of post that most rows concern; of several, the one with the weakest guarantee, then with the most files.
 */
function chooseKind(kinds: Kind[], subject: Subject, controls: NetworkControls): Kind {
  const ranks = kinds.map((kind) => {
    const guarantee = WEAKEST_FIRST.indexOf(ruleFor(subject, kind.act, kind).guarantee)
    return { kind, rank: [-rowsOf(subject, kind, controls).length, guarantee, -kind.files.length] }
  })
  const differenceOf = (a: number[], b: number[]) => a.map((value, index) => value - b[index]!).find(Boolean) ?? 0
  return ranks.sort((a, b) => differenceOf(a.rank, b.rank))[0]!.kind
}

export const isOfMeta = (id: PlatformId) => ['facebook', 'instagram', 'threads'].includes(id)

/** Runs the rows of the table for each network that `isIncluded` names: for every kind of post, or for one of them. */
export function testNetworks(kinds: 'every kind' | 'one kind', isIncluded = (_id: PlatformId) => true): void {
  tap.strictSame(new Set(ROWS.flatMap(({ sandbox = [] }) => sandbox)), new Set(SANDBOX_FAULTS), 'faults of the sandbox')
  for (const subject of SUBJECTS.filter(({ id }) => isIncluded(id))) {
    tap.test(nameOf(subject), (t) => testNetwork(t, subject, kinds === 'every kind'))
  }
}

/** The same for servers with other software that has Mastodon's API. */
export function testFlavours(kinds: 'every kind' | 'one kind'): void {
  for (const subject of FLAVOUR_SUBJECTS) {
    tap.test(nameOf(subject), (t) => testNetwork(t, subject, kinds === 'every kind'))
  }
}

async function testNetwork(t: Test, subject: Subject, isEveryKind: boolean) {
  const { id } = subject
  const plan = {} as Plan
  const start = async () => {
    const scene = await createNetworkScene(t, subject)
    const { networks } = scene.world
    const adapter = networks[id]!
    networks[id] = withPlan(adapter, subject, scene, plan)
    return { scene, adapter }
  }
  let { scene, adapter } = await start()
  t.equal(adapter.reconcile === undefined, adapter.guarantee === 'at-most-once')
  t.ok(adapter.concurrency >= 1)
  const controls = controlsOf(id, scene.world)
  const all = kindsOf(id, scene.limits)
  for (const kind of isEveryKind ? all : [chooseKind(all, subject, controls)]) {
    let files = await scene.uploadFiles(kind)
    for (const row of rowsOf(subject, kind, controls)) {
      if (scene.isOld()) {
        scene = (await start()).scene
        files = await scene.uploadFiles(kind)
      }
      await testCell(t, { subject, kind, row, scene, plan, files })
    }
  }
}
