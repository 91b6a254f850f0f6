-- A key that replaces another one is its successor.
create or replace function write_key_event() returns trigger language plpgsql as $$
begin
  insert into event_outbox (user_id, type, data)
  values (
    new.user_id,
    case when tg_op = 'UPDATE' then 'key.revoked' when new.replaces is null then 'key.created' else 'key.rotated' end,
    jsonb_strip_nulls(jsonb_build_object(
      'keyId', new.id, 'name', new.name, 'replaces', new.replaces, 'actor', event_actor())));
  return null;
end $$;
