import { sql } from 'kysely'
import type { AccountFacts } from '../../schemas/account-facts.ts'
import type { CaptionSuffix } from '../../schemas/caption-suffix.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Db } from '../client.ts'
import {
  type AccountConsent,
  type AccountOwner,
  type AccountProfile,
  type AccountSettings,
  type DefaultFields,
  type NewAccount,
  reachableBy,
} from './accounts.ts'
import { isoTime } from './iso-time.ts'
import { isAdministeredBy } from './roles.ts'

/** An account whose credentials were checked with its network. */
export interface ConnectedAccount extends NewAccount, AccountProfile, AccountConsent {
  externalId: string
  limitKey: string | null
  facts: AccountFacts | null
  /** The app that a refresh needs: a stored one if `appId` is set, or else one of the deployment. */
  clientId: string | null
  appId: string | null
}

/**
 * Adds an account, or updates the one that the user has connected before. An account keeps its organisation and its
 * external reference if none is given. Returns the new or existing account. Waits for a concurrent transaction that
 * adds the same account. Throws a foreign key violation if the app does not exist.
 */
export function upsertConnectedAccount(
  db: Db,
  { metadata, facts, ...account }: ConnectedAccount,
): Promise<AccountProfile & AccountConsent & AccountSettings & AccountOwner> {
  return db
    .insertInto('accounts')
    .values({
      ...account,
      metadata: metadata && JSON.stringify(metadata),
      facts: facts && JSON.stringify(facts),
      // Workers soon try to read facts that are missing.
      factsDueAt: facts ? sql<Date>`now() + interval '1 day'` : sql<Date>`'-infinity'`,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['userId', 'platform', 'externalId'])
        .where('disconnectedAt', 'is', null)
        .doUpdateSet((eb) => ({
          username: eb.ref('excluded.username'),
          displayName: eb.ref('excluded.displayName'),
          textLengthMax: eb.ref('excluded.textLengthMax'),
          altTextLengthMax: eb.ref('excluded.altTextLengthMax'),
          limitKey: eb.ref('excluded.limitKey'),
          facts: eb.fn.coalesce('excluded.facts', 'accounts.facts'),
          factsDueAt: eb.ref('excluded.factsDueAt'),
          organizationId: eb.fn.coalesce('excluded.organizationId', 'accounts.organizationId'),
          scopes: eb.ref('excluded.scopes'),
          credentialsExpireAt: eb.ref('excluded.credentialsExpireAt'),
          clientId: eb.ref('excluded.clientId'),
          appId: eb.ref('excluded.appId'),
          externalReference: eb.fn.coalesce('excluded.externalReference', 'accounts.externalReference'),
          metadata: eb.fn.coalesce('excluded.metadata', 'accounts.metadata'),
          attention: null,
        })),
    )
    .returning((eb) => [
      'accounts.id',
      eb.ref('accounts.platform').$castTo<PlatformId>().as('platform'),
      'accounts.username',
      'accounts.displayName',
      'accounts.textLengthMax',
      'accounts.altTextLengthMax',
      'accounts.ownDisplayName',
      eb.ref('accounts.defaultFields').$castTo<DefaultFields | null>().as('defaultFields'),
      'accounts.tags',
      isoTime<string | null>('accounts.pausedAt').as('pausedAt'),
      eb.ref('accounts.captionSuffix').$castTo<CaptionSuffix | null>().as('captionSuffix'),
      'accounts.scopes',
      'accounts.credentialsExpireAt',
      'accounts.externalReference',
      eb.ref('accounts.metadata').$castTo<Record<string, string> | null>().as('metadata'),
      'accounts.userId',
      'accounts.organizationId',
    ])
    .executeTakeFirstOrThrow()
}

/**
 * The connected accounts with these ids on the network that the user may post to, who owns them, and who administers
 * them.
 */
export function findSameProfiles(
  db: Db,
  { userId, platform, externalIds }: { userId: string; platform: PlatformId; externalIds: string[] },
) {
  return db
    .selectFrom('accounts')
    .select(['id', 'userId', 'externalId', isAdministeredBy(userId).as('isAdministered')])
    .where('platform', '=', platform)
    .where('externalId', '=', sql<string>`any(${externalIds}::text[])`)
    .where(reachableBy(userId))
    .execute()
}
