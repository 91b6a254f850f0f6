-- The key whose request a transaction of the release before serves. Null for the operator and for workers.
create or replace function event_actor() returns jsonb language sql stable as $$
  select jsonb_build_object('keyId', nullif(current_setting('postroom.key_id', true), ''))
  where nullif(current_setting('postroom.key_id', true), '') is not null
$$;
