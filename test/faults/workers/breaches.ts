import { v5 as uuidOf } from 'uuid'
import type { Db } from '../../../db/client.ts'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import type { SandboxFault } from '../../../schemas/sandbox.ts'
import { planActs } from '../../../src/engine/delivery/plan.ts'
import { platforms } from '../../../src/platforms/limits.ts'
import type { World } from '../../helpers/app.ts'
import { findWrongOutcome } from '../../helpers/promises.ts'
import type { FakeTelegram } from '../../networks/fakes/telegram.ts'
import type { Interrupted, Report } from './protocol.ts'

type Delivery = Awaited<ReturnType<typeof readDeliveries>>[number]
type PlannedAct = Delivery['plan'][number]
type Evidence = Awaited<ReturnType<typeof readEvidence>>
/** Records a breach unless the condition holds. */
type Expect = (isMet: boolean, breach: string) => void

/** An act that a network has made visible. */
interface Visible {
  id: string
  parentId: string | null
}

/** The deliveries, with the acts that they consist of. */
export async function readDeliveries(db: Db) {
  const rows = await db
    .selectFrom('postTargets')
    .innerJoin('posts', (join) =>
      join.onRef('posts.userId', '=', 'postTargets.userId').onRef('posts.id', '=', 'postTargets.postId'),
    )
    .innerJoin('accounts', 'accounts.id', 'postTargets.accountId')
    .selectAll('postTargets')
    .select(['posts.caption', 'posts.firstComment', 'posts.postType', 'posts.status', 'accounts.username'])
    .execute()
  return rows.map((row) => {
    const threadParts = row.threadParts as string[] | null
    const sent = row.sent as { id: string | null }[]
    const fields = (row.fields ?? {}) as { fault?: SandboxFault; faultAct?: number }
    const [postType, platform] = [row.postType as PostType, row.platform as PlatformId]
    const plan = planActs({ ...row, fields, threadParts, postType, platform })
    return { ...row, sent, fields, plan: plan.map((act) => ({ ...act, token: uuidOf(String(act.number), row.token) })) }
  })
}

/** Reads the calls that the networks received, and the history in the database. */
async function readEvidence({ db }: World, telegram: FakeTelegram, { interrupted }: Report) {
  const calls = await db.selectFrom('sandboxCalls').selectAll().orderBy('id').execute()
  const attempts = await db.selectFrom('deliveryAttempts').selectAll().orderBy('number').execute()
  const messages = telegram.calls.map(({ body }, index) => {
    const { text, reply_parameters } = body as { text: string; reply_parameters?: { message_id: number } }
    const parentId = reply_parameters ? String(reply_parameters.message_id) : null
    return { text, username: telegram.messages[index]?.chat.username, id: String(index + 1), parentId }
  })
  return { calls, attempts, messages, interrupted }
}

/** The texts that the networks have made visible. */
const readTexts = ({ calls, messages }: Evidence): string[] => [
  ...calls.filter(({ accepted }) => accepted).map(({ content }) => (content as { text: string }).text),
  ...messages.map(({ text }) => text),
]

/** Compares the deliveries with what the networks received. Returns every broken promise. */
export async function findBreaches(
  world: World,
  telegram: FakeTelegram,
  report: Report,
  replaced: ReadonlySet<string>,
): Promise<string[]> {
  const breaches: string[] = []
  if (telegram.calls.length !== telegram.messages.length) breaches.push('Telegram has refused a call')
  const evidence = await readEvidence(world, telegram, report)
  for (const text of readTexts(evidence)) if (replaced.has(text)) breaches.push(`"${text}" was sent, and replaced`)
  for (const delivery of await readDeliveries(world.db)) {
    const name = `${delivery.username}, ${delivery.plan[0]!.text} (${delivery.state})`
    const expect: Expect = (isMet, breach) => {
      if (!isMet) breaches.push(`${name}: ${breach}`)
    }
    checkEnd(delivery, expect)
    breaches.push(...findWrongShown(name, delivery, evidence))
    for (const act of delivery.plan) {
      checkSent(delivery, act, evidence, expect)
      checkOpen(delivery, act, evidence, expect)
    }
    checkHistory(delivery, evidence, expect)
  }
  return breaches
}

/** Compares the delivery, and its guarantee, with the acts that its network shows. */
function findWrongShown(name: string, delivery: Delivery, evidence: Evidence): string[] {
  const { platform, state, plan, sent, intent } = delivery
  const open = plan.find(({ number }) => number === intent)
  const isDoubtAsked = platform === 'sandbox' && isUnknown(delivery, intent)
  const outcome = {
    name,
    state: state as DeliveryState,
    acts: plan.length,
    sent: sent.length,
    // The sandbox loses the outcome of a call for ever if a post asks for it.
    rules: isDoubtAsked ? [{ guarantee: 'at-most-once' as const }] : platforms[platform as PlatformId].guarantees,
    isCalled: open && wasCalled(delivery, open, evidence),
  }
  const shown = plan.map((act) => readVisible(delivery, act, evidence).length)
  return findWrongOutcome(outcome, shown).map(({ text }) => text)
}

/** The delivery has ended, and its columns agree with its state. */
function checkEnd(delivery: Delivery, expect: Expect): void {
  const { state, status, leaseToken, claimableAt, intent, sent, plan, publishedAt, ownScheduledAt } = delivery
  const isEarly = publishedAt !== null && ownScheduledAt !== null && publishedAt < ownScheduledAt
  expect(!isEarly, 'it was published before its own time')
  expect(state === 'published' || state === 'unconfirmed', 'it has not ended')
  expect(status === 'published', `its post is ${status}`)
  expect(leaseToken === null && claimableAt === null, 'it has a lease, or is due')
  expect((intent !== null) === (state === 'unconfirmed'), `its intent is ${intent}`)
  expect(sent.length === (state === 'published' ? plan.length : (intent ?? 0) - 1), `it has ${sent.length} sent acts`)
}

function readVisible({ platform, username }: Delivery, { text, token }: PlannedAct, evidence: Evidence): Visible[] {
  if (platform !== 'sandbox') {
    return evidence.messages.filter((message) => message.text === text && message.username === username)
  }
  return evidence.calls
    .filter((call) => call.token === token && call.accepted)
    .map(({ id, content }) => ({ id, parentId: (content as { parentId: string | null }).parentId }))
}

/** An act that was sent has the stored id on its network, and replies to the act before it. */
function checkSent(delivery: Delivery, act: PlannedAct, evidence: Evidence, expect: Expect): void {
  const { sent, fields } = delivery
  const { number, token } = act
  if (number > sent.length) return
  const [visible] = readVisible(delivery, act, evidence)
  expect(visible?.id === sent[number - 1]!.id, `act ${number} has another id on its network`)
  expect(visible?.parentId === (sent[number - 2]?.id ?? null), `act ${number} does not reply to the act before it`)
  const refusals = evidence.calls.filter((call) => call.token === token && !call.accepted).length
  const isRefused = fields.faultAct === number && /^(?:server_error|rate_limited)$/.test(fields.fault ?? '')
  expect(refusals === (isRefused ? 1 : 0), `act ${number} was refused ${refusals} times`)
}

/** Steps between the intent and the settlement. An act interrupted there is open if its network cannot be queried. */
const OPEN = ['intended', 'called', 'responded']

/** Whether a post asks the sandbox to lose the outcome of this act. */
const isUnknown = ({ fields }: Delivery, act: number | null) => fields.fault === 'unknown' && fields.faultAct === act

/** Whether the network got the call of an act, as the report tells; undefined if it does not tell. */
function wasCalled({ platform }: Delivery, { token }: PlannedAct, evidence: Evidence): boolean | undefined {
  if (platform === 'sandbox') return true
  const interrupted = evidence.interrupted.filter((each) => each.act === token)
  if (interrupted.some(({ step, isResponseLost }) => !isResponseLost && (step === 'called' || step === 'responded'))) {
    return true
  }
  const isNotCalled = ({ step, hasContinued, isResponseLost }: Interrupted) =>
    (step === 'intended' && !hasContinued) || isResponseLost
  return interrupted.some(isNotCalled) ? false : undefined
}

/** Checks that an act is open, with an unknown outcome, if and only if nothing could tell the outcome of its call. */
function checkOpen(delivery: Delivery, act: PlannedAct, evidence: Evidence, expect: Expect): void {
  const { platform, state, intent } = delivery
  const { number, token } = act
  const isSandbox = platform === 'sandbox'
  const interrupted = evidence.interrupted.filter((each) => each.act === token)
  const mayBeOpen = isSandbox
    ? isUnknown(delivery, number)
    : interrupted.some(({ step, hasContinued }) => OPEN.includes(step) || (step === 'intending' && hasContinued))
  const mustBeOpen = isSandbox
    ? mayBeOpen
    : interrupted.some(
        ({ step, hasContinued, isResponseLost }) =>
          OPEN.includes(step) && !isResponseLost && !(step === 'responded' && hasContinued),
      )
  const isOpen = intent === number
  expect(!isOpen || mayBeOpen, `act ${number} is open, though its outcome can be known`)
  if (mustBeOpen && intent !== null && intent >= number) expect(isOpen, `act ${number} is not open`)
  if (mustBeOpen) expect(state === 'unconfirmed', `act ${number} cannot be known, and is not unconfirmed`)
}

/** The history has every attempt, each with an end, and one published or found attempt per sent act. */
function checkHistory({ postId, accountId, attempts, plan, sent }: Delivery, evidence: Evidence, expect: Expect): void {
  const history = evidence.attempts.filter((attempt) => attempt.postId === postId && attempt.accountId === accountId)
  expect(
    history.every(({ outcome, finishedAt }) => outcome !== null && finishedAt !== null),
    'an attempt has no end',
  )
  expect(history.length === attempts, `the history has ${history.length} of ${attempts} attempts`)
  for (const { number } of plan) {
    const successes = history.filter(
      ({ act, outcome }) => act === number && /^(?:published|found)$/.test(outcome ?? ''),
    )
    expect(successes.length === (number <= sent.length ? 1 : 0), `act ${number} succeeded ${successes.length} times`)
  }
}
