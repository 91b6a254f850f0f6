import { listTheseAccounts } from '../../../db/queries/accounts.ts'
import type { ConnectionRow } from '../../../db/queries/connections.ts'
import type { Connection } from '../../../schemas/connection.ts'
import { toListedAccount } from '../accounts/store.ts'
import type { ConnectionContext } from './context.ts'

/** A connection as the API shows it. Its owner no longer sees accounts that were disconnected since. */
export async function toConnection({ db }: Pick<ConnectionContext, 'db'>, row: ConnectionRow): Promise<Connection> {
  const { id, userId, platform, state, accountIds, createdAt, expiresAt } = row
  const { returnUrl, accountId, organizationId, hint, externalReference, metadata, choices, error } = row
  const accounts = accountIds ? await listTheseAccounts(db, { userId, ids: accountIds }) : []
  return {
    id,
    platform,
    state,
    ...(returnUrl !== null && { returnUrl }),
    ...(accountId !== null && { accountId }),
    ...(organizationId !== null && { organizationId }),
    ...(hint !== null && { hint }),
    ...(externalReference !== null && { externalReference }),
    ...(metadata !== null && { metadata }),
    ...(state === 'choosing' && { choices: choices ?? [] }),
    accounts: accounts.map((account) => toListedAccount(account, userId)),
    ...(error && { error }),
    createdAt,
    expiresAt,
  }
}
