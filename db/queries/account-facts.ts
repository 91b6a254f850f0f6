import { sql } from 'kysely'
import type { AccountFacts } from '../../schemas/account-facts.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { reachableBy } from './accounts.ts'
import { at, type Now } from './clock.ts'
import type { CredentialsRow } from './credentials.ts'

/** The limits of an account that the user may post to. */
export function findAccountLimits(db: Db, { userId, id }: { userId: string; id: string }) {
  return db
    .selectFrom('accounts')
    .select((eb) => [
      eb.ref('platform').$castTo<PlatformId>().as('platform'),
      'textLengthMax',
      'altTextLengthMax',
      eb.ref('facts').$castTo<AccountFacts | null>().as('facts'),
    ])
    .where('id', '=', id)
    .where(reachableBy(userId))
    .executeTakeFirst()
}

/** An account whose facts a worker reads now; nulls if it has no credentials. */
export type DueAccount = { id: string; platform: PlatformId } & {
  [K in keyof CredentialsRow]: CredentialsRow[K] | null
}

interface ClaimValues {
  platforms: PlatformId[]
  /** How long the facts of each last, in the same order. */
  lastMs: number[]
  limit: number
  now: Now
}

/**
 * Claims accounts whose facts are due. They are due again after that time whatever comes of it, so that no account
 * holds up others.
 */
export const claimDueFacts = prepared<ClaimValues, DueAccount>(
  'claim_due_facts',
  (_db, value) => sql`
    with due as (
      select account.id, network.last_ms
      from unnest(${value('platforms')}::text[], ${value('lastMs')}::float8[]) as network(platform, last_ms)
      cross join lateral (
        select id from accounts
        where accounts.platform = network.platform and disconnected_at is null and facts_due_at <= ${at(value('now'))}
        order by facts_due_at limit ${value('limit')}::integer
        for no key update skip locked) as account
    ),
    claimed as (
      update accounts set facts_due_at = ${at(value('now'))} + due.last_ms * interval '1 millisecond'
      from due where accounts.id = due.id
      returning accounts.id, accounts.platform
    )
    select claimed.id, claimed.platform, credentials.key_id, credentials.data_key, credentials.data
    from claimed left join account_credentials as credentials on credentials.account_id = claimed.id`,
)

interface ReadFacts {
  externalId: string
  textLengthMax: number | null
  altTextLengthMax: number | null
  facts: AccountFacts
}

/** Stores the facts that were read. Writes nothing if they are unchanged, or the account has a new external id. */
export async function storeFacts(
  db: Db,
  id: string,
  { externalId, textLengthMax, altTextLengthMax, facts }: ReadFacts,
): Promise<void> {
  const json = JSON.stringify(facts)
  await sql`
    update accounts
    set text_length_max = ${textLengthMax}, alt_text_length_max = ${altTextLengthMax}, facts = ${json}
    where id = ${id} and external_id = ${externalId}
      and (text_length_max, alt_text_length_max, facts)
        is distinct from (${textLengthMax}::integer, ${altTextLengthMax}::integer, ${json}::jsonb)`.execute(db)
}
