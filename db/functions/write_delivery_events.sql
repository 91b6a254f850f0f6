-- Writes an event for each delivery that changes in a way that its owner learns about. Writes `post.settled` for each
-- post whose last open delivery ends. Runs once for each statement: workers settle many deliveries in one.
create or replace function write_delivery_events() returns trigger language plpgsql as $$
begin
  -- Most updates take a lease or store an intent, and end here.
  if not exists (select from changed where state not in ('waiting', 'publishing') or published_at is not null) then
    return null;
  end if;

  -- The lock orders transactions. Otherwise two that end the last two deliveries of a post would each see the other one
  -- open.
  perform from posts
  where (user_id, id) in (
    select user_id, post_id from changed
    where state not in ('waiting', 'queued', 'publishing') and exists (
      select from post_targets as other
      where other.user_id = changed.user_id and other.post_id = changed.post_id
        and other.account_id <> changed.account_id))
  order by user_id, id
  for no key update;

  -- Events of deliveries come first, because seq is the order of events.
  insert into event_outbox (user_id, type, post_id, account_ids, data)
  with change as materialized (
    select after.*,
      -- Null if the owner learns nothing: a lease, an intent, a later part of a thread, another attempt, a draft. A
      -- worker makes each change from the state `publishing`.
      case
        -- The statement has written it.
        when after.event_count <> before.event_count then null
        when before.gone_at is null and after.gone_at is not null then 'delivery.gone'
        when before.edit is not null and after.edit is null and before.sent #> '{0,edits}' is distinct from after.sent #> '{0,edits}'
          then 'delivery.edited'
        when after.edit ->> 'state' = 'failed' and before.edit ->> 'state' is distinct from 'failed'
          then 'delivery.edit_failed'
        when before.state = 'publishing' and before.published_at is null and after.published_at is not null
          then 'delivery.published'
        when after.state in ('waiting', 'publishing', 'removing') then null
        when after.state = 'queued' then
          case when before.state not in ('waiting', 'queued', 'publishing') then 'delivery.retried' end
        when before.state = after.state and before.error is not distinct from after.error then null
        when before.state = 'queued' and after.error ->> 'code' = 'cancelled' then 'delivery.cancelled'
        when before.state <> 'publishing' and (after.state = 'published' or before.state = 'unconfirmed')
          then 'delivery.resolved'
        when after.state = 'published' then case when after.error is not null then 'delivery.failed' end
        else 'delivery.' || after.state
      end as type,
      before.state in ('waiting', 'queued', 'publishing')
        and after.state not in ('waiting', 'queued', 'publishing') as is_ended,
      posts.external_reference, posts.metadata,
      coalesce(after.own_scheduled_at, posts.scheduled_at) as scheduled_at
    from changed as after
    join previous as before
      on before.user_id = after.user_id and before.post_id = after.post_id and before.account_id = after.account_id
    join posts on posts.user_id = after.user_id and posts.id = after.post_id
  )
  select event.user_id, event.type, event.post_id, array[event.account_id], jsonb_strip_nulls(jsonb_build_object(
    'platform', event.platform,
    'username', accounts.username,
    'externalReference', event.external_reference,
    'metadata', event.metadata,
    'state', event.state,
    'scheduledAt', api_time(event.scheduled_at),
    'publishedAt', api_time(event.published_at),
    'externalId', event.sent -> 0 ->> 'id',
    'externalUrl', event.sent -> 0 ->> 'url',
    -- An act that was left out is in sent with its error, and is also the error of the delivery.
    'acts', case when event.error is null and event.state <> 'removed' then jsonb_array_length(event.sent)
      else (select count(*) from jsonb_array_elements(event.sent) as act
        where not act ? 'error' and not act ? 'removedAt') end,
    'attempt', event.attempts,
    'error', case when event.type = 'delivery.edit_failed' then event.edit -> 'error' else event.error end,
    'latenessMs', case when event.type = 'delivery.published' and event.due_at is not null
      then greatest(0, round(extract(epoch from event.published_at - event.due_at) * 1000)) end,
    'goneAt', case when event.type = 'delivery.gone' then api_time(event.gone_at) end,
    'intendedAt', case when event.type = 'delivery.unconfirmed' then api_time(event.intended_at) end,
    'outcome', case when event.type = 'delivery.resolved' then event.state end,
    'actor', case when event.type in ('delivery.resolved', 'delivery.retried', 'delivery.cancelled')
      then event_actor() end))
  from change as event
  join accounts on accounts.id = event.account_id
  where event.type is not null
  union all
  select ended.user_id, 'post.settled', ended.post_id, settled.account_ids, settled.data
  from (select distinct user_id, post_id from change where is_ended) as ended
  cross join lateral settled_post(ended.user_id, ended.post_id) as settled;
  return null;
end $$;
