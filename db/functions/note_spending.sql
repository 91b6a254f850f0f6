-- Keeps the sums of each account and key up to date, in the month of the call. Runs once for each statement: workers
-- settle many deliveries in one. Locks the sums in one order, accounts before keys.
create or replace function note_spending() returns trigger language plpgsql as $$
declare
  changes jsonb;
begin
  if tg_op = 'DELETE' then
    -- The call may have been made, so that its money counts as spent.
    changes := jsonb_build_array(jsonb_build_object('account_id', old.account_id, 'key_id', old.key_id,
      'intended_at', old.intended_at, 'reserved', -old.intent_micros, 'spent', old.intent_micros));
  elsif exists (select from previous where intent_micros is not null)
    or exists (select from changed where intent_micros is not null) then
    select jsonb_agg(each) into changes from (
      select account_id, key_id, intended_at, -intent_micros as reserved, 0 as spent
      from previous where intent_micros is not null
      union all
      select account_id, key_id, intended_at, intent_micros, 0
      from changed where intent_micros is not null
      union all
      select before.account_id, before.key_id, before.intended_at, 0,
        coalesce(after.spent_micros, 0) - coalesce(before.spent_micros, 0)
      from changed as after
      join previous as before
        on before.user_id = after.user_id and before.post_id = after.post_id and before.account_id = after.account_id
      where before.intent_micros is not null and after.spent_micros is distinct from before.spent_micros) as each;
  end if;
  if changes is null then return null; end if;

  insert into account_spending as sums (account_id, month, reserved_micros, spent_micros)
  select change.account_id, spending_month(change.intended_at), sum(change.reserved), sum(change.spent)
  from jsonb_to_recordset(changes) as change(account_id uuid, intended_at timestamptz, reserved bigint, spent bigint)
  join accounts on accounts.id = change.account_id
  group by 1, 2
  order by 1, 2
  on conflict (account_id, month) do update
  set reserved_micros = sums.reserved_micros + excluded.reserved_micros,
    spent_micros = sums.spent_micros + excluded.spent_micros;

  insert into key_spending as sums (key_id, month, reserved_micros, spent_micros)
  select coalesce(api_keys.budget_id, api_keys.id), spending_month(change.intended_at), sum(change.reserved),
    sum(change.spent)
  from jsonb_to_recordset(changes) as change(key_id uuid, intended_at timestamptz, reserved bigint, spent bigint)
  join api_keys on api_keys.id = change.key_id
  group by 1, 2
  order by 1, 2
  on conflict (key_id, month) do update
  set reserved_micros = sums.reserved_micros + excluded.reserved_micros,
    spent_micros = sums.spent_micros + excluded.spent_micros;
  return null;
end $$;
