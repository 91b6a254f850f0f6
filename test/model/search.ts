import { MEDIA_DELETED } from '../../schemas/delivery.ts'
import { ENDED_STATES } from '../../schemas/delivery-states.ts'
import { FAILURES_MAX } from '../../src/engine/delivery/timing.ts'
import { type DeliveryEvent, TRANSITIONS } from '../../src/engine/delivery/transitions.ts'
import { owning, restoring } from './owner.ts'
import { BY_HAND, begin, canAsk, idOf, lostActs, type Scenario, type Step, steps, type World } from './world.ts'

/** Which promise of the service a world breaks; undefined if it keeps all. */
function findBroken(scenario: Scenario, world: World): string | undefined {
  const { row, calls, shown, accepted, said, change } = world
  const { state, sent, intent, error } = row
  const flying = calls.filter(({ kind }) => kind === 'publish')
  const isRemoval = state === 'removing' || state === 'removed' || state === 'remove_failed'
  for (const [index, kind] of scenario.kinds.entries()) {
    const act = index + 1
    const isPost = kind === 'post' || kind === 'comment'
    const own = shown.filter((each) => each.act === act && each.version !== BY_HAND)
    if (isPost && own.length > 1) return `act ${act} was sent twice`
    const mayBeOut =
      own.some(({ isGone }) => !isGone) ||
      flying.some((call) => call.act === act) ||
      (accepted?.act === act && !accepted.isRefused)
    const isKnown =
      (sent[index] && !sent[index].error) ||
      intent === act ||
      said.includes(act) ||
      (isRemoval && state !== 'removed' && lostActs(row).includes(act))
    if (isPost && mayBeOut && !isKnown) return `act ${act} may be out, and is forgotten`
    const isSeen = shown.some((each) => each.act === act && !each.isGone)
    // Nothing tells what a network has that cannot be queried, once its owner has said that it is out.
    const isUntold = scenario.guarantee === 'at-most-once' && said.includes(act)
    if (isPost && state === 'removed' && isSeen && !isUntold) return `it is removed, and readers see act ${act}`
    const isMissing = !isSeen && !said.includes(act)
    if (state === 'published' && isMissing && (kind === 'post' || error === null))
      return `it is published without act ${act}`
    const isThere = sent[index] && !sent[index].error && !sent[index].removedAt
    if (isThere && isMissing && !isRemoval) return `act ${act} counts as out, and is not`
  }
  const isOut = shown.some(({ isGone }) => !isGone) || calls.length > 0 || accepted?.isRefused === false
  if (row.post !== 'published' && state !== 'publishing' && isOut) return 'the post can be deleted, and may be out'
  if (
    row.post === 'published' &&
    state !== 'published' &&
    state !== 'publishing' &&
    sent.length === 0 &&
    intent === null
  ) {
    return 'nothing of the post is out, and it counts as published'
  }
  const version = sent[0]?.id === idOf(1, BY_HAND) ? BY_HAND : row.version
  const edited = shown.find((each) => each.act === 1 && each.version === version && !each.isGone)
  const isEdited = state === 'published' && row.edit === null && edited !== undefined
  if (isEdited && edited.text !== row.text) return `the edit succeeded, and readers see the text ${edited.text}`
  // A delivery that the operator holds back keeps its call, until it is released or retried.
  if (ENDED_STATES.includes(state) && state !== 'missed' && intent !== null) return 'it has ended, and a call is open'
  if ((row.wait !== null) !== (state === 'queued' || state === 'publishing'))
    return 'its next attempt does not fit its state'
  if ((change?.kind === 'remove') !== (state === 'removing')) return 'no worker removes it'
  if ((change?.kind === 'edit') !== (row.edit?.state === 'pending')) return 'no worker edits it'
  if (row.prepared && row.prepared.act !== sent.length + 1) return 'it has the preparations of another act'
  return undefined
}

/** Which promise a step breaks. */
function findBrokenStep(scenario: Scenario, world: World, step: Step): string | undefined {
  const { event, next } = step
  const { row: before } = world
  const { row } = next
  const from = fromOf(world, step)
  const to = row.state
  if (event === undefined) return from === to ? undefined : `no event leads from ${from} to ${to}`
  const transition: { by: string; from: readonly string[]; to: readonly string[] } = TRANSITIONS[event]
  const isQueued = to === 'queued'
  const isSettled = transition.by === 'worker' && isQueued
  const isPassing = row.error?.retryable === true && before.failures + 1 < FAILURES_MAX
  const isWaiting = before.prepared !== null && before.waitedMs !== null
  const failuresBefore = before.prepared?.failuresBefore ?? before.failures
  const breaks: Record<string, boolean> = {
    [`the table has no ${event} from ${from} to ${to}`]: !transition.from.includes(from) || !transition.to.includes(to),
    'it is due before its network can be queried': event === 'unknown' && isQueued && row.wait! < row.arrives,
    'it waits to query a network that cannot be queried': event === 'unknown' && isQueued && !canAsk(scenario),
    'its network is queried after too many failures': event === 'unknown' && isQueued && row.failures > FAILURES_MAX,
    'it is tried again after too many failures': event === 'failed' && isQueued && row.failures >= FAILURES_MAX,
    'it is given up after too few failures': event === 'failed' && from === 'publishing' && isPassing && !isQueued,
    'an act was sent, and its failures count on': event === 'sent' && row.failures > 0,
    'an act has the failures of one that was left out': to === 'publishing' && event === 'failed' && row.failures > 0,
    'its time of waiting is lost': isSettled && isWaiting && row.waitedMs === null,
    'failures that have passed count on while it waits':
      isQueued && isWaiting && (event === 'later' || event === 'processing') && row.failures > failuresBefore,
    'the network lost the act, and a retry is said to be useless':
      event === 'absent' && isWaiting && row.error?.retryable !== true,
    'it waits for a network that does not let it wait':
      isSettled && !isWaiting && row.waitedMs !== null && event !== 'later' && event !== 'processing',
    'it is retried before its time': event === 'retry' && from === 'queued' && before.isEarly,
    'it is retried without its file': event === 'retry' && before.error?.code === MEDIA_DELETED,
    'it is retried, and nothing tells whether it is out':
      event === 'retry' && from === 'unconfirmed' && !canAsk(scenario),
    'it is removed, and nothing of it was out':
      event === 'remove' && before.sent.every((act) => act.error !== undefined),
  }
  return Object.keys(breaks).find((promise) => breaks[promise])
}

/** The state before a step: that of the backup if the database is restored. */
const fromOf = ({ row, backup }: World, { next }: Step) => (backup && next.isLost ? backup.row.state : row.state)

interface Found {
  states: number
  steps: number
  depth: number
  /** Whether no state is left at this depth. */
  isWhole: boolean
  /** Each event with the states that it happened in and led to. */
  reached: Set<string>
  /** The shortest history that breaks a promise, and the promise. */
  broken?: { promise: string; history: string[] }
}

/** Every state within `depth` steps of the beginning, nearest first. */
export function search(scenario: Scenario, depth: number): Found {
  const seen = new Set<number>()
  const parents: number[] = []
  const labels: string[] = []
  const reached = new Set<string>()
  const ends = new Set<number>()
  let count = 0
  let level: [World, number][] = []

  const historyOf = (index: number, label: string): string[] => {
    const history = [label]
    for (let each = index; each >= 0; each = parents[each]!) history.unshift(labels[each]!)
    return history
  }
  const add = (world: World, parent: number, label: string, into: [World, number][]) => {
    const key = hash(world)
    if (seen.has(key)) return false
    seen.add(key)
    labels.push(label)
    into.push([world, parents.push(parent) - 1])
    return true
  }
  const result = (level: number, isWhole: boolean, broken?: Found['broken']): Found => ({
    states: seen.size,
    steps: count,
    depth: level,
    isWhole,
    reached,
    ...(broken && { broken }),
  })

  add(begin(scenario, 'now'), -1, 'the post is scheduled for now', level)
  if (scenario.sent === 0) {
    add(begin(scenario, 'later'), -1, 'the post is scheduled', level)
    add(begin(scenario, 'never'), -1, 'a draft is saved', level)
    reached.add('saveDraft to waiting').add('schedule to queued')
  }
  for (let at = 0; at < depth; at++) {
    const next: typeof level = []
    for (const [world, index] of level) {
      for (const step of allSteps(scenario, world)) {
        count++
        if (step.event)
          reached.add(`${step.event} from ${fromOf(world, step)}`).add(`${step.event} to ${step.next.row.state}`)
        if (step.next.row.edit) reached.add(EDIT)
        const label = `${step.label} → ${step.next.row.state}`
        let promise = findBrokenStep(scenario, world, step)
        if (!promise && !add(step.next, index, label, next)) continue
        promise ??= findBroken(scenario, step.next) ?? findDeadEnd(scenario, step.next, ends)
        if (promise) return result(at + 1, false, { promise, history: historyOf(index, label) })
      }
    }
    level = next
    if (level.length === 0) return result(at + 1, true)
  }
  return result(depth, false)
}

function* allSteps(scenario: Scenario, world: World): Generator<Step> {
  yield* steps(scenario, world)
  yield* restoring(scenario, world)
  if (world.actsLeft === 0) return
  for (const step of owning(scenario, world)) if (!world.backup || KEPT.has(step.event)) yield step
}

/** Acts of the owner that are lost with the database: only those that let workers call matter. */
const KEPT = new Set<DeliveryEvent | undefined>(['retry', 'edit', 'publishNow', 'remove'])

/** Whether no end can be reached although nothing goes wrong any more. Adds what can reach one to `ends`. */
function findDeadEnd(scenario: Scenario, first: World, ends: Set<number>): string | undefined {
  const passed = new Set<number>()
  // The course needs neither more of these nor a restore.
  const alike = (world: World): World => ({ ...world, actsLeft: 0, backup: null, journal: [], isLost: true })
  for (let world = alike(first); ; ) {
    const key = hash(world)
    if (ends.has(key)) break
    const good = [...steps(scenario, world), ...owning(scenario, world)].filter((step) => step.good !== undefined)
    if (passed.has(key) || (good.length === 0 && !isOver(world)))
      return `no end can be reached: it stays ${world.row.state}`
    passed.add(key)
    if (isOver(world)) break
    world = alike(good.reduce((best, step) => (step.good! < best.good! ? step : best)).next)
  }
  for (const key of passed) ends.add(key)
  return undefined
}

const isOver = ({ row, calls, workers, change }: World) =>
  ENDED_STATES.includes(row.state) &&
  row.intent === null &&
  calls.length === 0 &&
  !change &&
  workers.every((work) => work === null)

/** 53 bits: among ten million states, the chance that any two share one is half a percent. */
function hash(world: World): number {
  const text = JSON.stringify(world)
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}

/** An edit of a published post keeps the state, so that the table has no event for it. */
const EDIT = 'edit of a published post'

/** The entries of the table that no step took, as `event from state` and `event to state`, and edits. */
export const listUnreached = (reached: ReadonlySet<string>): string[] =>
  [
    EDIT,
    ...Object.entries(TRANSITIONS).flatMap(([event, { from, to }]) => [
      ...from.map((state) => `${event} from ${state}`),
      ...to.map((state) => `${event} to ${state}`),
    ]),
  ].filter((name) => !reached.has(name))

/**
 * Entries of the table that no history reaches: nothing is sent after a removal, so no journal is ahead of it, and the
 * acts of the search have no pauses.
 */
export const UNREACHABLE = ['restore from removed', 'sent to queued']
