import { sql } from 'kysely'
import { OPEN_STATES } from '../../schemas/delivery-states.ts'
import type { MediaTracks, MediaType } from '../../schemas/media.ts'
import type { FrameTarget, VideoTarget } from '../../schemas/video-target.ts'
import { prepared } from '../prepared.ts'
import { isOneOf } from './one-of.ts'
import type { RenditionKey } from './renditions.ts'

/** A rendition of a video that a worker has to make. It becomes a row of `renditions`, also if it cannot be made. */
export interface RenditionJob extends RenditionKey {
  spec: VideoTarget | FrameTarget
  leaseToken: string
  /** How many workers have begun it. */
  attempts: number
  /** Whether it was made, or could not be. */
  isMade: boolean
  /** Whether an unsent delivery sends it. */
  isNeeded: boolean
  mimeType: MediaType
  durationSeconds: number | null
  storageKey: string | null
  tracks: MediaTracks | null
}

interface ClaimValues {
  leaseMs: number
  /** The users for whom this worker has made some, the last one last. */
  recentUserIds: string[]
}

/**
 * Claims a job. Those that are needed within an hour come before others. Among them, users take turns: who has the
 * fewest under way comes first, then who has waited longest for a turn. Within a user, the job that is needed first.
 * Returns no row if nothing is to be made.
 */
export const claimRenditionJob = prepared<ClaimValues, RenditionJob>(
  'claim_rendition_job',
  (_db, value) => sql`
    with held as (
      select user_id, count(*) as count from rendition_jobs
      where claimable_at > now() and lease_token is not null
      group by user_id
    ),
    due as materialized (
      select user_id, media_id, target, needed_at, needed_at <= now() + interval '1 hour' as is_soon,
        coalesce(held.count, 0) + row_number() over (partition by user_id order by needed_at) as of_user
      from rendition_jobs left join held using (user_id)
      where claimable_at <= now()
    ),
    next as (
      select job.user_id, job.media_id, job.target
      from due join rendition_jobs as job using (user_id, media_id, target)
      where job.claimable_at <= now()
      order by due.is_soon desc, due.of_user,
        array_position(${value('recentUserIds')}::uuid[], job.user_id) nulls first, due.needed_at
      limit 1
      for update of job skip locked
    ),
    claimed as (
      update rendition_jobs as job
      set lease_token = gen_random_uuid(), attempts = attempts + 1, progress = 0,
        claimable_at = now() + make_interval(secs => ${value('leaseMs')}::float8 / 1000)
      from next
      where job.user_id = next.user_id and job.media_id = next.media_id and job.target = next.target
      returning job.*
    )
    select claimed.user_id, claimed.media_id as id, claimed.target, claimed.spec, claimed.lease_token, claimed.attempts,
      renditions.target is not null as is_made,
      claimed.spec ? 'frameWidth' or exists (
        select from post_media
        join post_targets on post_targets.user_id = post_media.user_id and post_targets.post_id = post_media.post_id
        where post_media.user_id = claimed.user_id and post_media.media_id = claimed.media_id
          and ${isOneOf('post_targets.state', OPEN_STATES)}
          and post_targets.renditions -> claimed.media_id::text ->> 'target' = claimed.target) as is_needed,
      media.mime_type, media.duration_seconds, media.storage_key, media.tracks
    from claimed
    join media on media.user_id = claimed.user_id and media.id = claimed.media_id
    left join renditions on renditions.user_id = claimed.user_id and renditions.media_id = claimed.media_id
      and renditions.target = claimed.target`,
)

type Lease = RenditionKey & { leaseToken: string }

const ofLease = (value: (name: keyof Lease) => unknown) => sql`
  user_id = ${value('userId')} and media_id = ${value('id')} and target = ${value('target')}
    and lease_token = ${value('leaseToken')}::uuid`

/** Notes the progress. Returns no row if another worker holds the job by now, or if its file was deleted. */
export const renewRenditionJob = prepared<Lease & { leaseMs: number; progress: number }, { target: string }>(
  'renew_rendition_job',
  (_db, value) => sql`
    update rendition_jobs
    set claimable_at = now() + make_interval(secs => ${value('leaseMs')}::float8 / 1000),
      progress = ${value('progress')}::real
    where ${ofLease(value)}
    returning target`,
)

/** Gives a job back as if it had not been begun. */
export const releaseRenditionJob = prepared<Lease & { pauseMs: number }, never>(
  'release_rendition_job',
  (_db, value) => sql`
    update rendition_jobs
    set claimable_at = now() + make_interval(secs => ${value('pauseMs')}::float8 / 1000), lease_token = null,
      attempts = attempts - 1, progress = 0
    where ${ofLease(value)}`,
)

/** Ends a job that is done, or not needed any more. */
export const endRenditionJob = prepared<Lease, never>(
  'end_rendition_job',
  (_db, value) => sql`delete from rendition_jobs where ${ofLease(value)}`,
)

/** Whether a worker converts videos: one has said so within a day. */
const hasWorker = sql<boolean>`coalesce(
  (select video_worker_seen_at > now() - interval '1 day' from installation), false)`

interface VideoWork {
  hasWorker: boolean
  /** The videos of the user that are to be made. */
  waiting: { mediaId: string; target: string }[]
}

export const readVideoWork = prepared<{ userId: string }, VideoWork>(
  'read_video_work',
  (_db, value) => sql`
    select ${hasWorker} as has_worker,
      (select coalesce(json_agg(json_build_object('mediaId', media_id, 'target', target)), '[]')
        from rendition_jobs where user_id = ${value('userId')} and not spec ? 'frameWidth') as waiting`,
)

export const hasVideoWorker = prepared<object, { hasWorker: boolean }>(
  'has_video_worker',
  () => sql`select ${hasWorker} as has_worker`,
)

/** Notes that a worker converts videos. */
export const noteVideoWorker = prepared<object, never>(
  'note_video_worker',
  () => sql`update installation set video_worker_seen_at = now()`,
)

/** The outcome of a rendition that is needed now. */
interface RequestedRendition {
  isStored: boolean
  problem: string | null
}

/**
 * Looks for a rendition of a video, and has it made now if it is not there. Returns no row while it is to be made.
 */
export const requestRendition = prepared<RenditionKey & { spec: string }, RequestedRendition>(
  'request_rendition',
  (_db, value) => sql`
    with found as (
      select storage_key is not null as is_stored, problem from renditions
      where user_id = ${value('userId')} and media_id = ${value('id')} and target = ${value('target')}
    ),
    requested as (
      insert into rendition_jobs (user_id, media_id, target, spec, needed_at)
      select user_id, id, ${value('target')}::text, ${value('spec')}::jsonb, now() from media
      where user_id = ${value('userId')} and id = ${value('id')} and not exists (select from found)
      on conflict (user_id, media_id, target) do update set needed_at = excluded.needed_at
        where rendition_jobs.needed_at > excluded.needed_at
    )
    select * from found`,
)
