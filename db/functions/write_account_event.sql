-- An event of an account goes to everybody who may use the account at the time. The trigger on settings names its type.
create or replace function write_account_event() returns trigger language plpgsql as $$
declare
  event_type text := case
    when tg_nargs > 0 then tg_argv[0]
    when tg_op = 'INSERT' or (old.disconnected_at is not null and new.disconnected_at is null)
      then 'account.connected'
    when new.disconnected_at is not null and old.disconnected_at is null then 'account.disconnected'
    when new.disconnected_at is not null then null
    when new.attention is not null then 'account.reconnect_required'
    else 'account.connected'
  end;
begin
  if event_type is null then
    return null;
  end if;
  insert into event_outbox (user_id, type, account_ids, data)
  select reader.user_id, event_type, array[new.id], jsonb_strip_nulls(jsonb_build_object(
    'platform', new.platform,
    'username', new.username,
    'externalReference', new.external_reference,
    'metadata', new.metadata,
    'reason', case when event_type = 'account.reconnect_required' then new.attention ->> 'code' end,
    'changed', case when event_type = 'account.updated' then to_jsonb(array_remove(array[
      case when old.own_display_name is distinct from new.own_display_name then 'displayName' end,
      case when old.default_fields is distinct from new.default_fields then 'defaultFields' end], null)) end,
    'actor', case when event_type = 'account.updated' then event_actor() end))
  from (
    select new.user_id union select user_id from memberships where organization_id = new.organization_id
  ) as reader;
  return null;
end $$;
