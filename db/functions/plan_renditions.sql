-- Workers make the videos that a delivery sends. In the order of their keys, so that two writers do not deadlock.
-- A video is needed at the earliest time that one of its deliveries has had. A later time does not postpone it: the
-- other deliveries would have to be read. A job that is needed early enough is not locked.
create or replace function plan_renditions() returns trigger language plpgsql as $$
begin
  insert into rendition_jobs (user_id, media_id, target, spec, needed_at)
  select new.user_id, sent.key::uuid, sent.value ->> 'target', sent.value -> 'video', coalesce(new.due_at, 'infinity')
  from jsonb_each(new.renditions) as sent
  where sent.value ? 'video' and not exists (
    select from renditions
    where renditions.user_id = new.user_id and renditions.media_id = sent.key::uuid
      and renditions.target = sent.value ->> 'target')
  and not exists (
    select from rendition_jobs as job
    where job.user_id = new.user_id and job.media_id = sent.key::uuid and job.target = sent.value ->> 'target'
      and job.needed_at <= coalesce(new.due_at, 'infinity'))
  order by sent.key
  on conflict (user_id, media_id, target) do update set needed_at = excluded.needed_at
    where rendition_jobs.needed_at > excluded.needed_at;
  return null;
end $$;
