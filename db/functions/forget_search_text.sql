-- A worker writes the text again.
create or replace function forget_search_text() returns trigger language plpgsql as $$
begin
  new.search_text := null;
  return new;
end $$;
