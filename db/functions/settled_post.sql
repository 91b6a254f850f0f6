-- The accounts and the data of the event `post.settled`; no row while a delivery of the post is open. One `select` that
-- is stable, so that Postgres makes it a part of the statement that calls it.
create or replace function settled_post(of_user uuid, of_post uuid)
returns table (account_ids uuid[], data jsonb) language sql stable as $$
  select delivery.account_ids, jsonb_strip_nulls(jsonb_build_object(
    'externalReference', posts.external_reference,
    'metadata', posts.metadata,
    'scheduledAt', api_time(posts.scheduled_at),
    'deliveries', (
      select jsonb_object_agg(state, count) from (
        select state, count(*) from post_targets
        where post_targets.user_id = of_user and post_targets.post_id = of_post
        group by state) as each)))
  from posts
  cross join lateral (
    select array_agg(account_id order by position, account_id) as account_ids,
      bool_or(state in ('waiting', 'queued', 'publishing')) as is_open
    from post_targets
    where post_targets.user_id = of_user and post_targets.post_id = of_post
  ) as delivery
  where posts.user_id = of_user and posts.id = of_post and not delivery.is_open
$$;
