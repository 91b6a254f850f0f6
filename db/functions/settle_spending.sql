-- An act that is out turns what was reserved for it into what was spent. If it is not out, the money is given back.
create or replace function settle_spending() returns trigger language plpgsql as $$
declare
  act jsonb := new.sent -> jsonb_array_length(old.sent);
begin
  if act is not null and not act ? 'error' then
    new.spent_micros := coalesce(old.spent_micros, 0) + old.intent_micros;
  end if;
  new.intent_micros := null;
  return new;
end $$;
