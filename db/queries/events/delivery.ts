import { type RawBuilder, sql } from 'kysely'
import { type Actor, actorJson } from './actor.ts'

/** Adds to a statement that updates deliveries and writes their events itself: a trigger then writes none. */
export const writesEvents = (delivery = 'post_targets') => sql`event_count = ${sql.ref(`${delivery}.event_count`)} + 1`

interface Options extends Partial<Actor> {
  /** The time of the post, if the same statement changes it. */
  postTime?: RawBuilder<Date>
}

/**
 * Inserts the events of deliveries. `changed` has the columns of a delivery after the change, and its event in `event`:
 * null if its owner learns nothing.
 */
export const insertDeliveryEvents = (
  changed: string,
  { keyId = null, postTime = sql`posts.scheduled_at` }: Options = {},
) => sql`
  insert into event_outbox (user_id, type, post_id, account_ids, data)
  select changed.user_id, changed.event, changed.post_id, array[changed.account_id],
    jsonb_strip_nulls(jsonb_build_object(
      'platform', changed.platform,
      'username', accounts.username,
      'externalReference', posts.external_reference,
      'metadata', posts.metadata,
      'state', changed.state,
      'scheduledAt', api_time(coalesce(changed.own_scheduled_at, ${postTime})),
      'publishedAt', api_time(changed.published_at),
      'externalId', changed.sent -> 0 ->> 'id',
      'externalUrl', changed.sent -> 0 ->> 'url',
      -- An act that was left out is in sent with its error, and is also the error of the delivery.
      'acts', case when changed.error is null and changed.state <> 'removed' then jsonb_array_length(changed.sent)
        else (select count(*) from jsonb_array_elements(changed.sent) as act
          where not act ? 'error' and not act ? 'removedAt') end,
      'attempt', changed.attempts,
      'error', changed.error,
      'outcome', case when changed.event = 'delivery.resolved' then changed.state end,
      'actor', ${actorJson(keyId)}))
  from ${sql.table(changed)} as changed
  join posts on posts.user_id = changed.user_id and posts.id = changed.post_id
  join accounts on accounts.id = changed.account_id
  where changed.event is not null`
