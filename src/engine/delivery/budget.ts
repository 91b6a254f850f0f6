import type { Db } from '../../../db/client.ts'
import { findUsedUpBudget, findUsedUpBudgetOfChange } from '../../../db/queries/budgets.ts'
import type { Now } from '../../../db/queries/clock.ts'
import { type ChangeIntent, intendChange } from '../../../db/queries/delivery/claim-change.ts'
import type { DeliveryKey } from '../../../db/queries/delivery/delivery.ts'
import { type Intent, intendAct, type LeaseTimes } from '../../../db/queries/delivery/intend.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { untilStored } from '../../base/until-stored.ts'
import { PublishError } from '../../platforms/contract/publish-error.ts'
import { type Failure, failure } from './failures.ts'
import type { Run } from './run.ts'

const CODE = 'budget_used_up'

/** The failure of an act that a budget does not cover; undefined if its budgets do. Spares the uploads. */
export async function findUnpaid({ deps, delivery }: Run, micros: number | null): Promise<Failure | undefined> {
  if (micros === null) return undefined
  const { db, clock } = deps
  const [budget] = await untilStored(deps, () => findUsedUpBudget(db, { ...delivery, micros, now: clock() }))
  return budget?.payer ? failure(CODE, describe(budget.payer, budget.month)) : undefined
}

/** Commits an intent with a reservation of its price, or neither: then it throws. */
const reserving =
  <I extends DeliveryKey & { now: Now }, Intended>(
    intend: (db: Db, intent: I) => Promise<Intended | undefined>,
    findUsedUp: typeof findUsedUpBudget,
  ) =>
  (db: Db, intent: I): Promise<Intended | undefined> =>
    inTransaction(db, async (db) => {
      const intended = await intend(db, intent)
      if (intended === undefined) return undefined
      const [budget] = await findUsedUp(db, { ...intent, micros: 0 })
      if (!budget?.payer) return intended
      throw new PublishError(describe(budget.payer, budget.month), { code: CODE, maybeSent: false, retryable: false })
    })

export const intendPaidAct = reserving<Intent & LeaseTimes, number>(intendAct, findUsedUpBudget)

export const intendPaidChange = reserving<ChangeIntent, { act: number }>(
  async (db, intent) => (await intendChange(db, intent))[0],
  findUsedUpBudgetOfChange,
)

const describe = (payer: 'account' | 'key', month: string) =>
  `The budget of the ${payer} for ${month} does not cover this act: raise it, or wait for the next month, then retry`
