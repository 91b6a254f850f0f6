import { type RawBuilder, sql } from 'kysely'

/**
 * A query for rows of `event_outbox` about the accounts in `account`, which has their columns: one for everybody who
 * may use an account now. `facts` is an object of the event's own properties.
 */
export const accountEvents = (
  account: string,
  { type, facts }: { type: RawBuilder<unknown>; facts: RawBuilder<unknown> },
) => {
  const column = (name: string) => sql.ref(`${account}.${name}`)
  return sql`
    select reader.user_id, ${type}, array[${column('id')}], jsonb_strip_nulls(jsonb_build_object(
      'platform', ${column('platform')},
      'username', ${column('username')},
      'externalReference', ${column('external_reference')},
      'metadata', ${column('metadata')}) || ${facts})
    from ${sql.table(account)}
    cross join lateral (
      select ${column('user_id')}
      union
      select user_id from memberships where organization_id = ${column('organization_id')}) as reader`
}
