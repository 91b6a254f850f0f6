import { sql } from 'kysely'
import type { Db } from '../../client.ts'

export const APPROVAL_SECONDS = 600

/** Stores what stands for a key on the consent page. Returns when it ends. */
export async function insertApproval(db: Db, { hash, keyId }: { hash: Buffer; keyId: string }): Promise<Date> {
  const { expiresAt } = await db
    .insertInto('oauthApprovals')
    .values({ hash, keyId, expiresAt: sql<Date>`now() + ${APPROVAL_SECONDS}::integer * interval '1 second'` })
    .returning('expiresAt')
    .executeTakeFirstOrThrow()
  return expiresAt
}

/** The user and the key that an approval stands for, which ends with it. Undefined if it is unknown or expired. */
export async function takeApproval(db: Db, hash: Buffer): Promise<{ userId: string; keyId: string } | undefined> {
  const { rows } = await sql<{ userId: string; keyId: string }>`
    delete from oauth_approvals using api_keys
    where oauth_approvals.hash = ${hash} and oauth_approvals.expires_at > now()
      and api_keys.id = oauth_approvals.key_id
    returning api_keys.user_id, api_keys.id as key_id`.execute(db)
  return rows[0]
}

/** How many codes of a user's keys can still be used. */
export async function countApprovals(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('oauthApprovals')
    .innerJoin('apiKeys', 'apiKeys.id', 'oauthApprovals.keyId')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('userId', '=', userId)
    .where('oauthApprovals.expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return Number(count)
}
