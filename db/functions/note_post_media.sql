-- The post of a new row of `post_media` has a file.
create or replace function note_post_media() returns trigger language plpgsql as $$
begin
  update posts set without_media = null
  where user_id = new.user_id and id = new.post_id and without_media;
  return null;
end $$;
