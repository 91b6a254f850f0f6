-- The budget of the key that scheduled or retried a delivery last is the one that counts. Statements store the key;
-- those of the release before leave it to this function: see event_actor.
create or replace function note_scheduling_key() returns trigger language plpgsql as $$
begin
  new.key_id := coalesce(nullif(current_setting('postroom.key_id', true), '')::uuid, new.key_id);
  return new;
end $$;
