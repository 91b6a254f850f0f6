-- Processes of version 1.0 write neither `position` nor `organization_id`, nor an event. They insert the deliveries of
-- a post together: the first one sets its organisation, and one of another organisation removes it.
create or replace function note_unmarked_post() returns trigger language plpgsql as $$
begin
  update posts set organization_id = case when not exists (
    select from post_targets where user_id = new.user_id and post_id = new.post_id) then accounts.organization_id end
  from accounts
  where posts.user_id = new.user_id and posts.id = new.post_id and accounts.id = new.account_id
    and posts.organization_id is distinct from accounts.organization_id;
  insert into post_words_due (user_id, post_id) values (new.user_id, new.post_id);
  return new;
end $$;
