import { type RawBuilder, sql } from 'kysely'

/** Whether an event concerns accounts, and all of them belong to the organisation. */
export const concernsOrganization = (accountIds: RawBuilder<unknown>, organizationId: RawBuilder<unknown>) =>
  sql<boolean>`(${accountIds} is not null and not exists (
    select from unnest(${accountIds}) as concerned(id)
    left join accounts on accounts.id = concerned.id
    where accounts.organization_id is distinct from ${organizationId}))`
