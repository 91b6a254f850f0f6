-- The bytes of a deleted rendition, or of a part of an upload, are left for a sweep.
create or replace function stage_rendition() returns trigger language plpgsql as $$
begin
  insert into loose_files (user_id, storage_key, renewed_at) values (old.user_id, old.storage_key, null);
  return null;
end $$;
