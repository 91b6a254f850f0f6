-- The accounts and the data of the event `post.settled`; no row while a delivery of the post is open. One `select` that
-- is stable, so that Postgres makes it a part of the statement that calls it.
create or replace function settled_post(of_user uuid, of_post uuid)
returns table (account_ids uuid[], data jsonb) language sql stable as $$
  select delivery.account_ids, jsonb_strip_nulls(jsonb_build_object(
    'externalReference', posts.external_reference,
    'metadata', posts.metadata,
    'scheduledAt', api_time(posts.scheduled_at),
    'deliveries', jsonb_build_object(
      'published', nullif(delivery.published, 0),
      'failed', nullif(delivery.failed, 0),
      'cancelled', nullif(delivery.cancelled, 0),
      'unconfirmed', nullif(delivery.unconfirmed, 0),
      'missed', nullif(delivery.missed, 0),
      'removing', nullif(delivery.removing, 0),
      'removed', nullif(delivery.removed, 0),
      'remove_failed', nullif(delivery.remove_failed, 0))))
  from posts
  cross join lateral (
    select array_agg(account_id order by position, account_id) as account_ids,
      bool_or(state in ('waiting', 'queued', 'publishing')) as is_open,
      count(*) filter (where state = 'published') as published,
      count(*) filter (where state = 'failed') as failed,
      count(*) filter (where state = 'cancelled') as cancelled,
      count(*) filter (where state = 'unconfirmed') as unconfirmed,
      count(*) filter (where state = 'missed') as missed,
      count(*) filter (where state = 'removing') as removing,
      count(*) filter (where state = 'removed') as removed,
      count(*) filter (where state = 'remove_failed') as remove_failed
    from post_targets
    where post_targets.user_id = of_user and post_targets.post_id = of_post
  ) as delivery
  where posts.user_id = of_user and posts.id = of_post and not delivery.is_open
$$;
