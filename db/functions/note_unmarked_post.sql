-- Processes of version 1.0 write neither `position` nor `organization_id`, nor an event.
create or replace function note_unmarked_post() returns trigger language plpgsql as $$
begin
  update organizations set posts_unmarked_since = clock_timestamp()
  where id = (select organization_id from accounts where accounts.id = new.account_id)
    and posts_unmarked_since is null;
  insert into post_words_due (user_id, post_id) values (new.user_id, new.post_id);
  return new;
end $$;
