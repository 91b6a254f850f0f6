import type { Db } from '../../db/client.ts'
import { findUsedUpBudget } from '../../db/queries/budgets.ts'
import { type Intent, intendAct, type LeaseTimes } from '../../db/queries/delivery/intend.ts'
import { inTransaction } from '../../db/transaction.ts'
import { PublishError } from '../platforms/contract/publish-error.ts'
import { untilStored } from '../until-stored.ts'
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

/** Commits the intent of an act with a reservation of its price, or neither: then it throws. */
export const intendPaidAct = (db: Db, intent: Intent & LeaseTimes): Promise<number | undefined> =>
  inTransaction(db, async (db) => {
    const number = await intendAct(db, intent)
    if (number === undefined) return undefined
    const [budget] = await findUsedUpBudget(db, { ...intent, micros: 0 })
    if (!budget?.payer) return number
    throw new PublishError(describe(budget.payer, budget.month), { code: CODE, maybeSent: false, retryable: false })
  })

const describe = (payer: 'account' | 'key', month: string) =>
  `The budget of the ${payer} for ${month} does not cover this act: raise it, or wait for the next month, then retry`
