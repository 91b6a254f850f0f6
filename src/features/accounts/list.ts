import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { type ListedAccount, listAccounts, listTheseAccounts } from '../../../db/queries/accounts.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { type Account, ListAccountsQuery } from '../../../schemas/account.ts'
import { fail } from '../../base/errors.ts'
import { refuseNearNames } from '../../base/http/near-names.ts'
import { etagOfText } from '../../base/http/preconditions.ts'
import { isListed } from '../../base/http/rights.ts'
import { requireMember } from '../auth/roles.ts'
import { type AccountView, toListedAccount } from './store.ts'

export interface Caller {
  userId: string
  rights: KeyRights
}

/**
 * The accounts that the caller may post to and that meet the filters, which apply together. Throws 403 for an
 * organisation of others.
 */
export async function listOwnAccounts(
  db: Db,
  { userId, rights }: Caller,
  query: ListAccountsQuery,
  view: AccountView,
): Promise<Account[]> {
  const rows: ListedAccount[] = await listAccounts(db, { userId })
  const listed = rights.accountIds ? rows.filter(({ id }) => isListed(rights, id)) : rows
  const accounts = listed.map((row) => toListedAccount(row, userId, view))
  if (Object.keys(query).length === 0) return accounts
  const chosen = choose(accounts, query)
  const { organizationId } = query
  const isOfOthers = organizationId !== undefined && !accounts.some((each) => each.organizationId === organizationId)
  if (isOfOthers) await requireMember(db, userId, organizationId)
  return chosen
}

const PARAMETERS: readonly string[] = Object.keys(ListAccountsQuery.properties)

function choose(accounts: Account[], query: ListAccountsQuery): Account[] {
  refuseNearNames(query, PARAMETERS, new Set(PARAMETERS))
  const { platform, organizationId, tag, attention, sort = 'connectedAt', order = 'asc' } = query
  const chosen = accounts.filter(
    (account) =>
      (platform === undefined || account.platform === platform) &&
      (organizationId === undefined || account.organizationId === organizationId) &&
      (tag === undefined || account.tags?.includes(tag)) &&
      (attention === undefined || (account.attention !== undefined) === attention),
  )
  // Stable: accounts with equal names keep the order in which they were connected.
  if (sort !== 'connectedAt') chosen.sort((a, b) => COLLATOR.compare(a[sort], b[sort]))
  return order === 'desc' ? chosen.reverse() : chosen
}

/** The same order on every machine. */
const COLLATOR = new Intl.Collator('en', { numeric: true })

/**
 * The ETag of an account as one caller sees it. The signed address of its picture changes with time, and what another
 * consent would add with the configuration.
 */
export const etagOf = ({ avatarUrl: _, reconnectAdds: __, ...account }: Account): string =>
  etagOfText(JSON.stringify(account))

/** An account that the caller may post to. Throws 404 for any other. */
export async function getAccount(db: Db, { userId, rights }: Caller, id: string, view?: AccountView): Promise<Account> {
  const [row] = isId(id) && isListed(rights, id) ? await listTheseAccounts(db, { userId, ids: [id] }) : []
  if (!row) throw fail('account_not_found')
  return toListedAccount(row, userId, view)
}
