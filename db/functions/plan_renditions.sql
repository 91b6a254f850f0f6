-- Workers make the videos that a delivery sends. In the order of their keys, so that two writers do not deadlock.
create or replace function plan_renditions() returns trigger language plpgsql as $$
begin
  insert into rendition_jobs (user_id, media_id, target, spec, needed_at)
  select new.user_id, sent.key::uuid, sent.value ->> 'target', sent.value -> 'video', coalesce(new.due_at, 'infinity')
  from jsonb_each(new.renditions) as sent
  where sent.value ? 'video' and not exists (
    select from renditions
    where renditions.user_id = new.user_id and renditions.media_id = sent.key::uuid
      and renditions.target = sent.value ->> 'target')
  order by sent.key
  on conflict do nothing;
  return null;
end $$;
