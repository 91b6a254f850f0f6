import type { SentAct } from '../../db/queries/delivery/delivery.ts'
import { CANCELLED, MEDIA_DELETED } from '../../schemas/delivery.ts'
import * as machine from '../../src/engine/delivery/machine.ts'
import * as rules from '../../src/engine/delivery/owner-rules.ts'
import type { DeliveryEvent } from '../../src/engine/delivery/transitions.ts'
import { replay } from '../../src/engine/journal/replay.ts'
import type { Row, Scenario, Step, World } from './world.ts'
import * as model from './world.ts'

// Acts of the owner and the operator at any time, as owner-rules.ts and machine.ts allow them. An owner who resolves a
// delivery says what the network shows.

const error = (code: string) => ({ code, message: code, retryable: true })

/** Steps of the owner and of the operator. */
export function* owning(scenario: Scenario, world: World): Generator<Step> {
  const { row, change } = world
  const { state, sent, intent, arrives } = row
  const { kinds } = scenario
  const act = sent.length + 1
  const isOpen = intent !== null
  const step = (
    label: string,
    next: Partial<Row>,
    event?: DeliveryEvent,
    others: Partial<World> = {},
    good?: number,
  ) => ({
    label,
    next: { ...model.put({ ...world, actsLeft: world.actsLeft - 1 }, next), ...others },
    ...(event && { event }),
    ...(good !== undefined && { good }),
  })
  const shown = model.onNetwork(scenario, row)
  const isOut = shown.length > 0
  const isDraft = row.post === 'draft'

  // retry.ts in features/deliveries, and `due` in owner.ts.
  const canReconcile = (isOpen || state === 'unconfirmed') && model.canAsk(scenario)
  const due = {
    isLate: false,
    wait: Math.max(row.isEarly ? 1 : 0, isOpen ? (row.wait ?? 0) : 0, arrives),
    error: row.error?.code === CANCELLED ? null : row.error,
    failures: 0,
    prepared: isOpen ? row.prepared : null,
    waitedMs: isOpen ? row.waitedMs : null,
    sent: isOpen ? sent : beforeLeftOut(sent),
  }
  const retried = rules.retried(row, canReconcile)
  if ('state' in retried)
    yield step(
      'owner retries',
      { ...due, state: retried.state },
      'retry',
      {},
      state === 'missed' || state === 'unconfirmed' ? 6 : undefined,
    )

  if (rules.isCancellable(state)) {
    const next = machine.cancelled(kinds[sent.length], isOpen)
    const kept = isOpen ? {} : { prepared: null, waitedMs: null }
    yield step('owner cancels', { state: next, error: error(CANCELLED), wait: null, ...kept }, 'cancel')
  }

  const said = { prepared: null, waitedMs: null, intent: null, wait: null }
  const attempt = (outcome: string) => (isOpen && row.attempt ? { ...row.attempt, outcome } : row.attempt)
  if (rules.isResolvable(state)) {
    const isThere = model.isShown(world, { act, version: row.version })
    // settle-delivery.ts: not while the call may arrive, or its network processes it. Where the service has lost the
    // response that says so, the owner waits until the network has processed the act.
    if (isThere || (arrives === 0 && row.waitedMs === null && world.accepted?.isRefused !== false)) {
      const all = isThere ? [...sent, { id: null, url: null }] : sent
      const missing = kinds[all.length]
      const next = {
        ...said,
        state: machine.resolved(missing),
        sent: all,
        error: missing ? error('not_published') : (sent.find((each) => each.error)?.error ?? null),
        post: all.length === 0 ? ('scheduled' as const) : row.post,
        attempt: attempt(isThere ? 'said_published' : 'said_not_published'),
      }
      yield step(`owner resolves as ${isThere ? '' : 'not '}published`, next, 'resolve', {}, 5)
    }
  }

  const marked = rules.marked(row)
  if ('state' in marked) {
    const sentByHand = [...sent, { id: model.idOf(act, model.BY_HAND), url: null }]
    const next = {
      ...said,
      state: marked.state,
      sent: sentByHand,
      error: null,
      post: 'published' as const,
      attempt: attempt('said_published'),
    }
    const byHand = { act, version: model.BY_HAND, text: row.text, isGone: false }
    // The acts that are missing, also those that were left out.
    const missing = kinds.map((_, index) => index + 1).filter((each) => !sent[each - 1] || sent[each - 1]!.error)
    const others = { shown: [...world.shown, byHand], said: [...new Set([...world.said, ...missing])].sort() }
    yield step('owner publishes the rest by hand', next, 'markDelivery', others)
  }
  // owner.ts: not while a call may be under way.
  if (machine.MARK_PUBLISHED.from.includes(state) && !(state === 'publishing' && isOpen)) {
    const next = { ...said, state: machine.MARK_PUBLISHED.to, holder: null, error: null, post: 'published' as const }
    const all = sent.length > 0 ? sent : [{ id: null, url: null }]
    yield step('operator marks it published', { ...next, sent: all }, 'markPublished', {
      said: [...kinds.keys()].map((index) => index + 1),
    })
  }

  // remove-delivery.ts and edit-published.ts; `requestChanges` waits for calls that may arrive.
  const begins = Math.max(arrives, change?.holder != null ? change.due : 0)
  const isKnown = shown.every(({ id }) => id !== null)
  const removal = machine.isTakenDown(state) ? undefined : rules.removal({ state, isOut, isOpen })
  if (removal && 'state' in removal && isKnown) {
    const kind = 'remove' as const
    const others = { change: { kind, due: begins, holder: null, failures: 0 } }
    yield step(
      'owner removes it',
      { state: removal.state, edit: null, error: arrives > 0 ? error('late_call') : null },
      'remove',
      others,
    )
  }
  const isOneText = kinds.filter((kind) => kind === 'post').length === 1
  const mayEdit = rules.findEditObstacle({ state, isOut }) === undefined && row.edit?.state !== 'pending'
  if (mayEdit && isKnown && isOneText && shown[0]?.number === 1) {
    const others = { change: { kind: 'edit' as const, due: begins, holder: null, failures: 0 } }
    yield step(
      'owner edits it',
      { edit: { text: (row.edit?.text ?? row.text) + 1, state: 'pending' } },
      undefined,
      others,
    )
  }

  // features/posts: a post that is published or being sent is not changed.
  if (row.post !== 'published' && state !== 'publishing') {
    const fresh = {
      failures: 0,
      error: null,
      prepared: null,
      waitedMs: null,
      isLate: false,
      isEarly: false,
      version: row.version + 1,
    }
    const scheduled = machine.edited(state, true)
    if (scheduled)
      yield step(
        'owner changes the post',
        { ...fresh, state: scheduled, wait: 0, post: 'scheduled' },
        'edit',
        {},
        isDraft ? 5 : undefined,
      )
    const draft = machine.edited(state, false)
    if (draft) yield step('owner makes it a draft', { ...fresh, state: draft, wait: null, post: 'draft' }, 'editDraft')
    if (machine.PUBLISH_NOW.from.includes(state)) {
      const now = Math.max(isOpen ? (row.wait ?? 0) : 0, arrives)
      yield step(
        'owner publishes it now',
        { ...due, wait: now, isEarly: false, state: machine.PUBLISH_NOW.to, post: 'scheduled' },
        'publishNow',
      )
    }
  }
  // media.ts: a file of the last part, which nothing needs that is not over.
  const part = kinds.lastIndexOf('post')
  if (row.post === 'published' && !isOpen && machine.DELETE_MEDIA.from.includes(state) && sent.length <= part) {
    yield step('owner deletes a file', { state: machine.DELETE_MEDIA.to, error: error(MEDIA_DELETED) }, 'deleteMedia')
  }

  // hold.ts
  if (machine.HOLD.from.includes(state)) {
    yield step('operator holds it', { state: machine.HOLD.to, error: error('held'), wait: null }, 'hold')
  }
  if (machine.END_HOLD.from.includes(state) && ['held', 'restored'].includes(row.error?.code ?? '')) {
    yield step(
      'operator releases it',
      { state: machine.END_HOLD.to, error: null, failures: 0, wait: 0, isLate: false },
      'endHold',
      {},
      5,
    )
  }
}

/** The acts before the first that was left out: a retry begins there. */
function beforeLeftOut(sent: SentAct[]): SentAct[] {
  const index = sent.findIndex((each) => each.error !== undefined)
  return index < 0 ? sent : sent.slice(0, index)
}

/** A backup is taken, and later takes the place of the database: restore.ts in engine/journal, with a whole journal. */
export function* restoring(scenario: Scenario, world: World): Generator<Step> {
  const { row, change, backup } = world
  if (!scenario.isRestored || world.isLost) return
  if (!backup) {
    yield { label: 'a backup is taken', next: { ...world, backup: { row, change } } }
    return
  }
  const stopped = [0, 1].reduce((each, worker) => model.end(each, worker), world)
  const { row: old } = backup
  const { state, sent, intent, attempts, version } = old
  const backedUp = { ...model.NO_KEY, state, sent, intent, attempts, startedAt: new Date(0), token: `${version}` }
  const known = replay(backedUp as unknown as Parameters<typeof replay>[0], world.journal)
  const label = 'the database is restored'
  const journal = { isLost: true, backup: null, journal: [] }
  if (!known) {
    // The journal has no call of a delivery that was due: it was not sent.
    const isUnsent = world.journal.length === 0 && old.wait !== null && intent === null
    const state = machine.restored(false, null, false)
    const next = model.put(
      { ...stopped, ...backup, ...journal },
      isUnsent ? { ...OVER, state, error: error('restored') } : { wait: old.wait },
    )
    return yield { label, next, ...(isUnsent && { event: 'restore' as const }) }
  }
  const open = known.open && { ...known.open, act: known.sent.length + 1 }
  const next = known.removal ?? machine.restored(open !== null, known.last, model.canAsk(scenario) && !known.isEdited)
  const isOut = next === 'published' || open !== null || known.sent.length > 0
  const restored: Partial<Row> = {
    ...OVER,
    state: next,
    sent: known.sent,
    intent: known.removal ? null : (open?.act ?? null),
    attempts: attempts + known.attempts.length,
    error: known.error,
    edit: known.removal ? null : old.edit,
    failures: 0,
    arrives: open ? model.IN_FLIGHT : old.arrives,
    wait: next === 'queued' ? 0 : null,
    post: isOut ? 'published' : old.post === 'draft' ? 'scheduled' : old.post,
    attempt: open ? { act: open.act, outcome: null } : old.attempt,
    lost: [...new Set([...model.lostActs(old), ...known.attempts.map((attempt) => attempt.act)])],
  }
  const removal = next === 'removing' ? { kind: 'remove' as const, due: 0, holder: null, failures: 0 } : null
  const goesOn = known.removal ? removal : backup.change && { ...backup.change, holder: null }
  yield {
    label,
    next: { ...model.put({ ...stopped, ...backup, ...journal }, restored), change: goesOn },
    event: 'restore',
  }
}

/** The fields that a restore clears. */
const OVER = { prepared: null, waitedMs: null, holder: null, wait: null }
