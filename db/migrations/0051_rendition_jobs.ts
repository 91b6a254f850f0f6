import { type Kysely, sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * Adds the videos that workers have to make for posts. Workers of older versions fail deliveries that wait for one: no
 * client may send such posts before these workers are replaced.
 */
export const steps: Step[] = [
  createJobs,
  async (db) => {
    // Why a rendition of a video cannot be made.
    await sql`alter table renditions add column problem text`.execute(db)
  },
  async (db) => {
    // When a worker that converts videos was last seen.
    await sql`alter table installation add column video_worker_seen_at timestamptz`.execute(db)
  },
  // Empty: the file of its name replaces it.
  async (db) => {
    await sql`
      create function plan_renditions() returns trigger language plpgsql as $$ begin return null; end $$`.execute(db)
  },
  async (db) => {
    await sql`
      create trigger post_targets_plan_renditions after insert or update of renditions on post_targets for each row
        when (new.renditions is not null) execute function plan_renditions()`.execute(db)
  },
  concurrentIndex('rendition_jobs_needed_at', sql.raw('rendition_jobs (needed_at)')),
]

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rendition_jobs (
      user_id uuid not null,
      media_id uuid not null,
      target text not null,
      -- The video to make.
      spec jsonb not null,
      needed_at timestamptz not null,
      -- The end of the lease of the worker that makes it, or of a pause.
      claimable_at timestamptz not null default now(),
      lease_token uuid,
      attempts integer not null default 0,
      -- From 0 to 1.
      progress real not null default 0,
      created_at timestamptz not null default now(),
      primary key (user_id, media_id, target),
      foreign key (user_id, media_id) references media (user_id, id) on delete cascade)`.execute(db)
}
