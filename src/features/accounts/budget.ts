import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { lockAccount } from '../../../db/queries/accounts.ts'
import { findPayer, readAccountBudget, storeAccountBudget } from '../../../db/queries/budgets.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { Budget, PutBudget } from '../../../schemas/budget.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { isListed } from '../../base/http/rights.ts'
import { platforms } from '../../platforms/limits.ts'
import { type Caller, getAccount } from './list.ts'

/** The budget of an account that the caller may post to. Throws 404 for any other. */
export async function getAccountBudget(db: Db, caller: Caller, id: string): Promise<Budget> {
  await getAccount(db, caller, id)
  return readAccountBudget(db, id)
}

/** Sets the limit of an account. Throws 404 and 403 as `updateAccount` does, and 403 for a key with a budget. */
export function putAccountBudget(
  db: Db,
  { userId, rights, keyId }: Caller & { keyId: string },
  id: string,
  { limitUsdMicros }: PutBudget,
): Promise<Budget> {
  return inTransaction(db, async (db) => {
    const row = isId(id) && isListed(rights, id) ? await lockAccount(db, { userId, id }) : undefined
    if (!row) throw fail('account_not_found')
    if (row.userId !== userId && !row.isAdministered) throw fail('not_account_owner.changed')
    if ((await findPayer(db, keyId))?.isLimited) throw fail('budget_limited')
    if (limitUsdMicros !== null && !platforms[row.platform].prices) {
      const message = `Must be null: ${row.platform} charges nothing for posts`
      throw invalidRequest([{ code: 'custom', path: ['limitUsdMicros'], message }])
    }
    await storeAccountBudget(db, id, limitUsdMicros)
    return readAccountBudget(db, id)
  })
}
