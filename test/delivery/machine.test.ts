import t from 'tap'
import type { Decision } from '../../db/queries/delivery/settlement.ts'
import type { DeliveryError } from '../../schemas/delivery.ts'
import { DELIVERY_STATES } from '../../schemas/delivery-states.ts'
import { decideNotRemoved, decideRemoved } from '../../src/engine/delivery/changes/decide-removal.ts'
import { decide, type Outcome, type Progress } from '../../src/engine/delivery/decide.ts'
import { failure } from '../../src/engine/delivery/failures.ts'
import { cancelled, edited, initialState, isTakenDown, requeued, resolved } from '../../src/engine/delivery/machine.ts'
import { marked, removal, retried } from '../../src/engine/delivery/owner-rules.ts'
import { FAILURES_MAX, NETWORK_WAIT_MAX_MS } from '../../src/engine/delivery/timing.ts'
import { type DeliveryEvent, TRANSITIONS } from '../../src/engine/delivery/transitions.ts'
import { collectProblems } from '../helpers/problems.ts'

const act = { id: 'n1', url: null }
const prepared = { act: 1, state: { container: 'c1' } }
const next = { act: 1, state: { container: 'c2' } }
const lasting = failure('content_refused', 'no')
const passing = failure('server_error', 'not now', { retryable: true })
const limited = { ...failure('rate_limited', 'slow down', { retryable: true }), retryAfterMs: 7_000 }
const unauthorized = failure('unauthorized', 'expired', { needsAttention: true })

/** The same random part in each pause. */
const random = () => 0.5

const fresh: Progress = {
  left: ['post'],
  nextPauseMs: 0,
  sentBefore: 0,
  leftOut: null,
  failures: 0,
  error: null,
  prepared,
  waitedMs: null,
  canReconcile: true,
  callInFlightMs: 30_000,
}

const commentLeft: Partial<Progress> = { left: ['comment'], sentBefore: 1 }
const playlistLeft: Partial<Progress> = { left: ['comment', 'playlist'], sentBefore: 1 }
const told: DeliveryError = { code: 'server_error', message: 'not now', retryable: true }
const exhausted: Partial<Progress> = { failures: FAILURES_MAX - 1 }
const waitedTooLong: Partial<Progress> = { waitedMs: NETWORK_WAIT_MAX_MS + 1 }

type Queued = Extract<Decision, { state: 'queued' }>

/** One cell: what is expected of an outcome, given the progress of the delivery. */
type Cell = [
  name: string,
  progress: Partial<Progress>,
  outcome: Outcome,
  expected: Partial<Record<keyof Queued, unknown>>,
]

const CELLS: Cell[] = [
  [
    'the last act is sent',
    {},
    { event: 'sent', act, how: 'published' },
    {
      state: 'published',
      sent: act,
      failures: 0,
      error: null,
      prepared: null,
      outcome: 'published',
    },
  ],
  [
    'an act is sent, and more are left',
    { left: ['post', 'comment'], failures: 3 },
    { event: 'sent', act, how: 'found' },
    { state: 'publishing', sent: act, failures: 0, prepared: null, outcome: 'found' },
  ],
  [
    'an act is sent, and a comment follows after a pause',
    { left: ['post', 'comment'], nextPauseMs: 5_000 },
    { event: 'sent', act, how: 'published' },
    { state: 'queued', sent: act, retryInMs: 5_000, isOpen: false, isWaiting: false },
  ],
  [
    'a failure that may pass is retried with what was prepared',
    {},
    { event: 'failed', reason: passing, wasIntended: false },
    { state: 'queued', failures: 1, prepared, outcome: 'failed', retryInMs: 25_000, mayUnpublish: false },
  ],
  [
    'what the network does not know any more is prepared again',
    {},
    { event: 'failed', reason: { ...passing, discardsPrepared: true }, wasIntended: true },
    { state: 'queued', failures: 1, prepared: null, outcome: 'failed', retryInMs: 25_000 },
  ],
  [
    'a failure after the intent may leave nothing published',
    {},
    { event: 'failed', reason: passing, wasIntended: true },
    { state: 'queued', mayUnpublish: true, isOpen: false },
  ],
  [
    'a lasting failure ends the delivery, and its preparations',
    {},
    { event: 'failed', reason: lasting, wasIntended: true },
    { state: 'failed', failures: 1, prepared: null, mayUnpublish: true },
  ],
  [
    'the last of the failures in a row ends the delivery',
    exhausted,
    { event: 'failed', reason: passing, wasIntended: false },
    { state: 'failed', failures: FAILURES_MAX },
  ],
  [
    'a post without its comment is published, with the error of the comment',
    commentLeft,
    { event: 'failed', reason: lasting, wasIntended: true },
    { state: 'published', error: { code: 'content_refused', message: 'no', retryable: false } },
  ],
  [
    'a rate limit rests the account, for as long as the network wants',
    {},
    { event: 'failed', reason: limited, wasIntended: true },
    { state: 'queued', retryInMs: 7_000, accountRestsMs: 7_000 },
  ],
  [
    'expired credentials need the owner of the account',
    {},
    { event: 'failed', reason: unauthorized, wasIntended: true },
    { state: 'failed', attention: { code: 'unauthorized', message: 'expired' } },
  ],
  [
    'a lost call is reconciled when it can no longer arrive',
    {},
    { event: 'unknown', reason: passing, isNewCall: true },
    { state: 'queued', isOpen: true, prepared, outcome: 'unknown', retryInMs: 30_000 },
  ],
  [
    'a lost call is reconciled at least once, after any number of failures',
    exhausted,
    { event: 'unknown', reason: passing, isNewCall: true },
    { state: 'queued', isOpen: true },
  ],
  [
    'a call whose outcome the network fails to report too often is unconfirmed',
    exhausted,
    { event: 'unknown', reason: passing, isNewCall: false },
    { state: 'unconfirmed' },
  ],
  [
    'a lost call on a network that cannot be queried is unconfirmed',
    { canReconcile: false },
    { event: 'unknown', reason: passing, isNewCall: true },
    { state: 'unconfirmed' },
  ],
  [
    'a call whose outcome the network does not know is unconfirmed',
    {},
    { event: 'unknown', reason: lasting, isNewCall: false },
    { state: 'unconfirmed' },
  ],
  [
    'an act that is absent is sent again by the same worker',
    {},
    { event: 'absent' },
    { state: 'publishing', mayUnpublish: true, outcome: 'absent', prepared },
  ],
  [
    'an act that is absent after too many failures has failed',
    { failures: FAILURES_MAX },
    { event: 'absent' },
    { state: 'failed', mayUnpublish: true },
  ],
  [
    'a comment that is absent after too many failures leaves its post published',
    { ...commentLeft, failures: FAILURES_MAX },
    { event: 'absent' },
    { state: 'published' },
  ],
  [
    'a comment that fails for good is left out, and the playlist follows',
    { ...playlistLeft, failures: 3 },
    { event: 'failed', reason: lasting, wasIntended: true },
    {
      state: 'publishing',
      sent: { id: null, url: null, error: { code: 'content_refused', message: 'no', retryable: false } },
      error: { code: 'content_refused', message: 'no', retryable: false },
      failures: 0,
      prepared: null,
      outcome: 'failed',
    },
  ],
  [
    'a comment that may succeed later is not left out',
    playlistLeft,
    { event: 'failed', reason: passing, wasIntended: true },
    { state: 'queued', sent: null, failures: 1 },
  ],
  [
    'nothing follows with refused credentials',
    playlistLeft,
    { event: 'failed', reason: unauthorized, wasIntended: true },
    { state: 'published', sent: null },
  ],
  [
    'a comment that is absent after too many failures is left out',
    { ...playlistLeft, failures: FAILURES_MAX, error: told },
    { event: 'absent' },
    { state: 'publishing', sent: { id: null, url: null, error: told }, outcome: 'absent' },
  ],
  [
    'what was left out stays told when the last act is sent',
    { left: ['playlist'], sentBefore: 2, leftOut: told },
    { event: 'sent', act, how: 'published' },
    { state: 'published', error: told, sent: act },
  ],
  [
    'a network that refuses after processing ends the delivery, in its own words',
    { waitedMs: 60_000 },
    { event: 'rejected', words: 'too long' },
    {
      state: 'failed',
      mayUnpublish: true,
      prepared: null,
      outcome: 'failed',
      error: { code: 'content_refused', message: 'too long', retryable: false },
    },
  ],
  [
    'a comment that is refused after processing leaves its post published',
    { ...commentLeft, waitedMs: 60_000 },
    { event: 'rejected', words: 'too long' },
    { state: 'published' },
  ],
  [
    'waiting for the network does not count as a failure',
    { failures: 2 },
    { event: 'later', prepared: next, afterMs: 600_000 },
    {
      state: 'queued',
      failures: 2,
      error: null,
      isWaiting: true,
      isOpen: false,
      prepared: { ...next, failuresBefore: 2 },
      outcome: null,
      retryInMs: 600_000,
      accountRestsMs: 0,
    },
  ],
  [
    'the failures before a wait are noted when it begins',
    { failures: 2 },
    { event: 'processing', prepared: next, afterMs: 1_000 },
    { failures: 2, prepared: { ...next, failuresBefore: 2 } },
  ],
  ...(['later', 'processing'] as const).map(
    (event): Cell => [
      'a network that still works ends the failures since the wait began, and no earlier ones',
      { failures: 7, waitedMs: 1_000, prepared: { ...prepared, failuresBefore: 2 } },
      { event, prepared: next, afterMs: 1_000 },
      { state: 'queued', failures: 2, prepared: { ...next, failuresBefore: 2 } },
    ],
  ),
  [
    'a retry by the owner during the wait is no failure',
    { failures: 0, waitedMs: 1_000, prepared: { ...prepared, failuresBefore: 2 } },
    { event: 'processing', prepared: next, afterMs: 1_000 },
    { failures: 0, prepared: { ...next, failuresBefore: 0 } },
  ],
  [
    'a wait that an older version began keeps its failures',
    { failures: 3, waitedMs: 1_000 },
    { event: 'processing', prepared: next, afterMs: 1_000 },
    { failures: 3, prepared: { ...next, failuresBefore: 3 } },
  ],
  [
    'a wait without a pause gets a short one',
    {},
    { event: 'later', prepared: next, afterMs: 0 },
    { state: 'queued', retryInMs: 100 },
  ],
  [
    'a network that needs more than a day has failed',
    waitedTooLong,
    { event: 'later', prepared: next, afterMs: 1_000 },
    {
      state: 'failed',
      error: { code: 'timeout', message: 'The network did not finish within 24 hours', retryable: false },
    },
  ],
  [
    'a comment that takes more than a day leaves its post published',
    { ...commentLeft, ...waitedTooLong },
    { event: 'later', prepared: next, afterMs: 1_000 },
    { state: 'published' },
  ],
  [
    'an act that the network processes may be published',
    {},
    { event: 'processing', prepared: next, afterMs: 1_000 },
    {
      state: 'queued',
      isWaiting: true,
      isOpen: true,
      prepared: { ...next, failuresBefore: 0 },
      outcome: null,
      retryInMs: 1_000,
    },
  ],
  [
    'an act that the network processes for more than a day is unconfirmed',
    waitedTooLong,
    { event: 'processing', prepared: next, afterMs: 1_000 },
    { state: 'unconfirmed', outcome: 'unknown' },
  ],
  [
    'an act in processing on a network that cannot be queried is unconfirmed',
    { canReconcile: false },
    { event: 'processing', prepared: next, afterMs: 1_000 },
    { state: 'unconfirmed' },
  ],
  [
    'a delivery that is due for too long is missed',
    {},
    { event: 'late', reason: failure('too_late', 'late') },
    {
      state: 'missed',
      mayUnpublish: true,
      failures: 0,
      error: { code: 'too_late', message: 'late', retryable: false },
    },
  ],
  [
    'a comment that is due for too long leaves its post published',
    commentLeft,
    { event: 'late', reason: failure('too_late', 'late') },
    { state: 'published', mayUnpublish: false },
  ],
  [
    'a delivery that is given back stays as it is',
    { failures: 2 },
    { event: 'released', retryInMs: 5_000, accountRestsMs: 5_000, isOpen: true },
    { state: 'queued', failures: 2, prepared, isOpen: true, retryInMs: 5_000, accountRestsMs: 5_000, outcome: null },
  ],
  [
    'a delivery that is given back goes on waiting for its network',
    { waitedMs: 1_000 },
    { event: 'released', retryInMs: 0, accountRestsMs: 0, isOpen: true },
    { state: 'queued', isWaiting: true },
  ],
]

for (const [name, progress, outcome, expected] of CELLS) {
  t.test(`${outcome.event}: ${name}`, async (t) => {
    const decision = decide({ ...fresh, ...progress }, outcome, random)
    const decided = Object.keys(expected).map((key) => [key, decision[key as keyof typeof decision]])
    t.strictSame(Object.fromEntries(decided), expected)
  })
}

t.test('workers reach every transition of the table; the compiler refuses any other', async (t) => {
  const reached = new Map<DeliveryEvent, Set<string>>()
  const progresses = [true, false].flatMap((canReconcile) =>
    [0, FAILURES_MAX - 1, FAILURES_MAX].flatMap((failures) =>
      [null, 1_000, NETWORK_WAIT_MAX_MS + 1].flatMap((waitedMs) =>
        [['post'], ['post', 'comment'], ['comment'], ['comment', 'playlist']].map(
          (left) =>
            ({
              ...fresh,
              canReconcile,
              failures,
              waitedMs,
              left,
              error: told,
              nextPauseMs: failures * 1_000,
            }) as Progress,
        ),
      ),
    ),
  )
  const outcomes = CELLS.map(([, , outcome]) => outcome)
  const problems = new Set<string>()
  for (const progress of progresses) {
    for (const outcome of outcomes) {
      const { state, sent } = decide(progress, outcome, random)
      reached.set(outcome.event, (reached.get(outcome.event) ?? new Set()).add(state))
      const isOut = sent !== null && !sent.error
      if (isOut !== (outcome.event === 'sent')) problems.add(`${outcome.event}: stored as sent, or not`)
      if (sent?.error && (progress.left[0] === 'post' || progress.left.length < 2)) {
        problems.add(`${outcome.event}: a post, or the last act, is left out`)
      }
    }
  }
  t.strictSame([...problems], [])
  // A claim and removals are decided elsewhere.
  const others = ['claim', 'removed', 'notRemoved']
  const workers = Object.entries(TRANSITIONS).filter(([event, { by }]) => by === 'worker' && !others.includes(event))
  t.strictSame(
    Object.fromEntries([...reached].map(([event, states]) => [event, [...states].sort()]).sort()),
    Object.fromEntries(workers.map(([event, { to }]) => [event, [...to].sort()]).sort()),
  )
})

t.test('a delivery that is queued again is told where it had ended', async (t) => {
  const told = DELIVERY_STATES.filter((state) => requeued(state) !== null)
  t.strictSame(
    told,
    DELIVERY_STATES.filter((state) => !['waiting', 'queued', 'publishing'].includes(state)),
  )
})

t.test('an owner may retry only from the states of the table', async (t) => {
  const error: DeliveryError = { code: 'server_error', message: 'no', retryable: true }
  const cells: [Parameters<typeof retried>[0], boolean, ReturnType<typeof retried>][] = [
    [{ state: 'waiting', error: null, isEarly: false }, true, { obstacle: 'draft' }],
    [{ state: 'queued', error: null, isEarly: true }, true, { obstacle: 'notDue' }],
    [{ state: 'queued', error, isEarly: false }, true, { state: 'queued' }],
    [{ state: 'publishing', error: null, isEarly: false }, true, { obstacle: 'publishing' }],
    [{ state: 'published', error: null, isEarly: false }, true, { obstacle: 'published' }],
    [{ state: 'published', error, isEarly: false }, true, { state: 'queued' }],
    [{ state: 'failed', error, isEarly: false }, false, { state: 'queued' }],
    [
      { state: 'failed', error: { ...error, code: 'media_deleted' }, isEarly: false },
      true,
      { obstacle: 'mediaDeleted' },
    ],
    [{ state: 'cancelled', error, isEarly: false }, false, { state: 'queued' }],
    [{ state: 'unconfirmed', error, isEarly: false }, true, { state: 'queued' }],
    [{ state: 'unconfirmed', error, isEarly: false }, false, { obstacle: 'unconfirmed' }],
    [{ state: 'missed', error, isEarly: false }, true, { state: 'queued' }],
  ]
  const { problems, check } = collectProblems()
  for (const [delivery, canReconcile, expected] of cells) {
    check(retried(delivery, canReconcile), expected, `${delivery.state}, ${delivery.error?.code}`)
  }
  t.strictSame(problems, [])
  const allowed = cells.filter(([, , result]) => 'state' in result).map(([{ state }]) => state)
  t.strictSame([...new Set(allowed)].sort(), [...TRANSITIONS.retry.from].sort())
})

t.test(
  'a new delivery waits for its draft or is queued; a resolved one is published unless a post is missing',
  async (t) => {
    t.equal(initialState(false), 'waiting')
    t.equal(initialState(true), 'queued')
    t.equal(resolved(undefined), 'published')
    t.equal(resolved('comment'), 'published')
    t.equal(resolved('post'), 'failed')
  },
)

t.test('an edit, a cancellation and a mark lead only from and to the states of the table', async (t) => {
  const error: DeliveryError = { code: 'no_access', message: 'no', retryable: true }
  const pairsOf = ({ from, to }: { from: readonly string[]; to: readonly string[] }) =>
    from.flatMap((state) => to.map((next) => `${state} ${next}`)).sort()
  const reached = { edit: new Set<string>(), editDraft: new Set<string>(), markDelivery: new Set<string>() }
  for (const state of DELIVERY_STATES) {
    for (const isScheduled of [true, false]) {
      const next = edited(state, isScheduled)
      if (next) reached[isScheduled ? 'edit' : 'editDraft'].add(`${state} ${next}`)
    }
    const next = marked({ state, error })
    if ('state' in next) reached.markDelivery.add(`${state} ${next.state}`)
  }
  for (const [event, pairs] of Object.entries(reached)) {
    t.strictSame([...pairs].sort(), pairsOf(TRANSITIONS[event as keyof typeof reached]), event)
  }
  t.equal(edited('cancelled', true), null, 'a cancelled delivery stays cancelled')
  t.equal(edited('cancelled', false), 'waiting', 'but not in a draft')
  t.equal(edited('queued', true), 'queued', 'nor after a retry')
  t.strictSame(marked({ state: 'published', error: null }), { obstacle: 'published' })
  t.strictSame(marked({ state: 'waiting', error: null }), { obstacle: 'draft' })
  t.strictSame(marked({ state: 'publishing', error: null }), { obstacle: 'publishing' })
  const ends = [
    cancelled('post', false),
    cancelled('post', true),
    cancelled('comment', false),
    cancelled('comment', true),
  ]
  t.strictSame(ends, ['cancelled', 'unconfirmed', 'published', 'unconfirmed'])
  t.strictSame([...new Set(ends)].sort(), [...TRANSITIONS.cancel.to].sort())
})

t.test('a removal leads only from and to the states of the table', async (t) => {
  const from = DELIVERY_STATES.filter((state) => !isTakenDown(state) && 'state' in removal({ state, isOut: true }))
  t.strictSame(from.toSorted(), [...TRANSITIONS.remove.from].sort())
  for (const state of DELIVERY_STATES) t.notOk('state' in removal({ state, isOut: false }), `${state} without acts`)
  const unreachable = failure('unreachable', 'no', { retryable: true })
  const before = { failures: 0, isReserved: false }
  const ends = {
    removed: [decideRemoved(2, 1), decideRemoved(1, 0)],
    notRemoved: [
      decideNotRemoved(before, unreachable, random),
      decideNotRemoved({ ...before, failures: FAILURES_MAX - 1 }, unreachable, random),
      decideNotRemoved(before, lasting, random),
    ],
  }
  for (const event of ['removed', 'notRemoved'] as const) {
    t.strictSame([...new Set(ends[event].map(({ state }) => state))], [...TRANSITIONS[event].to], event)
  }
  t.hasStrict(ends.removed[0], { removed: [2], keepsLease: true, failures: 0, error: null })
  t.hasStrict(ends.notRemoved[0], { failures: 1, retryInMs: 25_000, keepsLease: false, removed: [] })
})

t.test('every state can be reached and left', async (t) => {
  const all = Object.values(TRANSITIONS) as { from: readonly string[]; to: readonly string[] }[]
  const reached = all.flatMap(({ to }) => to)
  const left = all.flatMap(({ from }) => from)
  t.strictSame(
    DELIVERY_STATES.filter((state) => !reached.includes(state)),
    [],
    'states that cannot be reached',
  )
  t.strictSame(
    DELIVERY_STATES.filter((state) => !left.includes(state)),
    [],
    'states that cannot be left',
  )
})
