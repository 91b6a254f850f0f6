import { sql } from 'kysely'
import { EVENT_SCOPES } from '../../../schemas/event-scopes.ts'
import { concernsOrganization } from '../events/organization.ts'

/** The scope that an event requires, as an expression on its type. Null for a type that this version does not know. */
const scopeOf = (type: ReturnType<typeof sql.ref>) => sql`
  case ${type}
    ${sql.join(
      Object.entries(EVENT_SCOPES).map(([name, scope]) => sql`when ${sql.lit(name)} then ${sql.lit(scope)}`),
      sql` `,
    )}
  end`

/** Whether the webhook gets the event, which is one of its user's or for all users. The arguments are names of rows. */
export function getsEvent(webhook: string, event: string) {
  const hook = (column: string) => sql.ref(`${webhook}.${column}`)
  const type = sql.ref(`${event}.type`)
  return sql<boolean>`(
    case ${type}
      when 'webhook.test' then (${sql.ref(`${event}.data`)} ->> 'webhookId')::uuid = ${hook('id')}
      else
        (${hook('types')} is null or ${type} = any(${hook('types')})
          or split_part(${type}, '.', 1) || '.*' = any(${hook('types')}))
        and (${hook('scopes')} is null or ${scopeOf(type)} = any(${hook('scopes')}))
        and (${hook('account_ids')} is null
          or (${sql.ref(`${event}.account_ids`)} is not null
            and ${sql.ref(`${event}.account_ids`)} <@ ${hook('account_ids')}))
        and (${hook('organization_id')} is null
          or ${concernsOrganization(sql.ref(`${event}.account_ids`), hook('organization_id'))})
    end)`
}

/**
 * Queues numbered events for the webhooks that get them: a part of the statement that numbers them. `events` is the
 * name of its rows.
 */
export const queueForWebhooks = (events: string) => sql`
  insert into webhook_deliveries (webhook_id, event_id)
  select webhooks.id, event.id
  from ${sql.table(events)} as event
  -- Not one join with an or, which no index serves.
  cross join lateral (
    select * from webhooks where user_id = event.user_id and not all_users
    union all
    select * from webhooks where all_users) as webhooks
  where webhooks.disabled_at is null and ${getsEvent('webhooks', 'event')}`
