import type { ClaimedEdit } from '../../../../db/queries/delivery/claim-change.ts'
import { type EditSettlement, settleEdit } from '../../../../db/queries/delivery/edits.ts'
import { LeaseLost } from '../../../base/lease-lost.ts'
import { untilStored } from '../../../base/until-stored.ts'
import type { Io } from '../../../platforms/contract/io.ts'
import { priceEdit } from '../../../platforms/price.ts'
import { credentialsOf, refreshWaitOf, restShared } from '../account.ts'
import { buildAct } from '../act.ts'
import type { Deps } from '../deps.ts'
import { type Failure, failure, isFailure } from '../failures.ts'
import { listOnNetwork, publishedOf } from '../on-network.ts'
import { planActs } from '../plan.ts'
import { factsOf } from '../settled.ts'
import { callForChange } from './call.ts'
import { decideFailed } from './decide-failed.ts'

/** The post itself: comments and parts of threads are not edited. */
const ACT = 1

type EditDecision = Omit<EditSettlement, 'now'>

const SETTLED = {
  sent: null,
  error: null,
  payment: 'spent',
  isLost: false,
  failures: 0,
  retryInMs: 0,
  accountRestsMs: 0,
  attention: null,
} satisfies Partial<EditDecision>

/**
 * Edits the post of a delivery on its network, and commits the outcome. The call may be repeated: an adapter that would
 * publish again looks first whether the new text is there. `signal` aborts when the worker stops. Throws a LeaseLost if
 * another worker holds the edit by now.
 */
export async function editDelivery(deps: Deps, change: ClaimedEdit, signal: AbortSignal): Promise<void> {
  const { delivery, edit } = change
  const credentials = credentialsOf(deps, delivery)
  const fail = async (reason: Failure) => {
    const { isRetried, ...failed } = decideFailed(change, reason)
    await settle(deps, change, { ...SETTLED, ...failed, state: isRetried ? 'pending' : 'failed' })
    await restShared(deps, delivery, reason)
  }
  const postpone = (retryInMs: number) => {
    const { error } = edit
    const { failures } = change
    return settle(deps, change, { ...SETTLED, state: 'pending', payment: 'kept', error, failures, retryInMs })
  }
  if (isFailure(credentials)) return fail(credentials)
  const refreshMs = refreshWaitOf(delivery)
  if (refreshMs > 0) return postpone(refreshMs)
  const call = describeCall(deps, change)
  if ('maybeSent' in call) return fail(call)
  const outcome = await callForChange(deps, change, signal, {
    act: ACT,
    credentials,
    error: edit.error,
    ...call,
    record: () => deps.journal.editing(delivery, ACT, edit.id),
  })
  if (outcome === 'stopped') return postpone(0)
  if (!('value' in outcome)) return fail(outcome)
  const sent = { ...outcome.value, edits: (delivery.sent[0]?.edits ?? 0) + 1, editId: edit.id }
  deps.journal.edited(delivery, ACT, sent)
  await settle(deps, change, { ...SETTLED, state: 'done', sent })
}

/** The call of the adapter, or why it can never be made. */
function describeCall(deps: Deps, change: ClaimedEdit) {
  const { delivery, edit, publishedAt } = change
  const published = listOnNetwork(publishedOf(change)).find(({ number }) => number === ACT)
  // A thread of one part has the new text in place of its part.
  const edited = { ...delivery, ...edit.content, threadParts: null, startedAt: delivery.startedAt ?? publishedAt }
  const { edit: editOnNetwork } = deps.networks[delivery.platform]
  if (!published || published.id === null || !editOnNetwork) {
    return failure('not_editable', 'The network offers no way to change this')
  }
  const act = buildAct(deps, edited, planActs(edited)[0]!, [])
  if (isFailure(act)) return act
  const { number: _, id, ...rest } = published
  return {
    micros: priceEdit(delivery.platform, act),
    make: (io: Io) => editOnNetwork(act, { ...rest, id }, io),
  }
}

async function settle(deps: Deps, { delivery }: ClaimedEdit, decision: EditDecision): Promise<void> {
  const { db, clock, log } = deps
  const isStored = await untilStored(deps, () => settleEdit(db, delivery, { ...decision, now: clock() }))
  if (!isStored) throw new LeaseLost()
  const { state, error } = decision
  if (state !== 'pending') deps.reportChange({ platform: delivery.platform, kind: 'edit', outcome: state })
  const line = { ...factsOf(delivery), act: ACT, edit: state, ...(error && { errorCode: error.code }) }
  if (state === 'failed') log.warn(line, 'edit settled')
  else log.info(line, 'edit settled')
}
