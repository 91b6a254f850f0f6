import { type Expression, type ExpressionBuilder, sql } from 'kysely'
import type { AccountAttention } from '../../schemas/account.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
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
export const listAccounts = prepared<{ userId: string }, ListedAccount>('list_accounts', (db, value) =>
  db
    .selectFrom('accounts')
    .select((eb) => [
      'id',
      eb.ref('platform').$castTo<PlatformId>().as('platform'),
      'username',
      'displayName',
      'textLengthMax',
      eb.ref('attention').$castTo<AccountAttention | null>().as('attention'),
      eb
        .exists(
          eb
            .selectFrom('accountCredentials')
            .select('accountId')
            .whereRef('accountCredentials.accountId', '=', 'accounts.id'),
        )
        .$castTo<boolean>()
        .as('isConnected'),
    ])
    .where(reachableBy(value('userId')))
    .orderBy('id'),
)

export interface AccountRow {
  id: string
  platform: PlatformId
  username: string
  displayName: string | null
}

/** An account as its network knows it. */
export interface AccountProfile extends AccountRow {
  /** What its own server takes, in the unit of its network's limits; null where those hold. */
  textLengthMax: number | null
}

export interface ListedAccount extends AccountProfile {
  /** What a network said when it refused the credentials. */
  attention: AccountAttention | null
  /** Whether there are credentials. */
  isConnected: boolean
}

export interface NewAccount extends AccountRow {
  userId: string
  organizationId: string | null
}

/** Adds an account. Throws a foreign key violation (23503) where the user or the organisation does not exist. */
export function insertAccount(db: Db, account: NewAccount) {
  return db.insertInto('accounts').values(account).execute()
}

/**
 * Adds an account as its network knows it, or brings up to date the one that the user has connected already: it stays
 * with its organisation unless another one is given. Gives the id of the one or the other. Of two calls at once, the
 * second waits for the first one's transaction, and finds its account.
 */
export async function upsertConnectedAccount(
  db: Db,
  account: NewAccount & AccountProfile & { externalId: string },
): Promise<string> {
  const { id } = await db
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) =>
      conflict
        .columns(['userId', 'platform', 'externalId'])
        .where('disconnectedAt', 'is', null)
        .doUpdateSet((eb) => ({
          username: eb.ref('excluded.username'),
          displayName: eb.ref('excluded.displayName'),
          textLengthMax: eb.ref('excluded.textLengthMax'),
          organizationId: eb.fn.coalesce('excluded.organizationId', 'accounts.organizationId'),
          attention: null,
        })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The owner of an account that the user reaches; undefined where they reach none with this id. */
export async function findAccountOwner(db: Db, { userId, id }: { userId: string; id: string }) {
  const account = await db
    .selectFrom('accounts')
    .select('userId')
    .where('id', '=', id)
    .where(reachableBy(userId))
    .executeTakeFirst()
  return account?.userId
}

/**
 * Disconnects the account now, unless it already is, and destroys its credentials. Gives false where there is no such
 * account.
 */
export async function disconnectAccount(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .with('destroyed', (db) => db.deleteFrom('accountCredentials').where('accountId', '=', id))
    .updateTable('accounts')
    .set((eb) => ({ disconnectedAt: eb.fn.coalesce('disconnectedAt', sql<Date>`now()`) }))
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
