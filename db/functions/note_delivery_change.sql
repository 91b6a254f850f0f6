-- The time is that of the change and not that of its transaction, so that it is soon visible.
create or replace function note_delivery_change() returns trigger language plpgsql as $$
begin
  new.changed_at := clock_timestamp();
  return new;
end $$;
