-- `posts.organization_id` may be wrong from now on for posts of both organisations.
create or replace function note_moved_account() returns trigger language plpgsql as $$
begin
  update organizations set posts_unmarked_since = clock_timestamp()
  where id in (old.organization_id, new.organization_id);
  return null;
end $$;
