import { type Expression, type ExpressionBuilder, sql } from 'kysely'
import type { PlatformId } from '../../schemas/platform.ts'
import { type Db, prepared } from '../client.ts'
import type { DB } from '../types.ts'

/** Accounts the user owns or reaches through an organisation; disconnected ones excluded. The rule of reach, once. */
export const reachableBy = (userId: string | Expression<string>) => (eb: ExpressionBuilder<DB, 'accounts'>) =>
  eb.and([
    eb('accounts.disconnectedAt', 'is', null),
    eb.or([
      eb('accounts.userId', '=', userId),
      // `= any(array(…))` and not `in (…)`: only then both sides of the `or` can be looked up in their index.
      eb(
        'accounts.organizationId',
        '=',
        sql<string>`any(array(${eb
          .selectFrom('memberships')
          .select('memberships.organizationId')
          .where('memberships.userId', '=', userId)}))`,
      ),
    ]),
  ])

/** The accounts that the user may post to, oldest connection first. */
export const listAccounts = prepared<{ userId: string }, AccountRow>('list_accounts', (db, value) =>
  db
    .selectFrom('accounts')
    .select((eb) => ['id', eb.ref('platform').$castTo<PlatformId>().as('platform'), 'username', 'displayName'])
    .where(reachableBy(value('userId')))
    .orderBy('id'),
)

export interface AccountRow {
  id: string
  platform: PlatformId
  username: string
  displayName: string | null
}

export interface NewAccount extends AccountRow {
  userId: string
  organizationId: string | null
}

/** Connects an account. Throws a foreign key violation (23503) where the user or the organisation does not exist. */
export function insertAccount(db: Db, account: NewAccount) {
  return db.insertInto('accounts').values(account).execute()
}

/** Disconnects the account now, unless it already is. Gives false where there is no such account. */
export async function disconnectAccount(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set((eb) => ({ disconnectedAt: eb.fn.coalesce('disconnectedAt', sql<Date>`now()`) }))
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
