import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'
import { type Removed, type SweeperDeps, sweepIfDue } from '../../src/features/retention/sweeper.ts'
import { mediaOptions } from './app.ts'
import { noLog } from './log-record.ts'

export const DAY_MS = 86_400_000

const OFF = { postsMs: null, attemptsMs: null, sandboxCallsMs: null, unusedMediaMs: null, eventsMs: 3_650 * DAY_MS }

interface Options extends Partial<Omit<SweeperDeps, 'retention'>> {
  retention?: Partial<SweeperDeps['retention']>
  signal?: AbortSignal
}

type Swept = { db: Db; mediaDir: string; time?: { now: Date } }

/** The options of a worker's sweep: it never rests, and keeps everything that `retention` does not name. */
export const sweeperOf = ({ db, mediaDir, time }: Swept, { retention, ...others }: Options = {}): SweeperDeps => ({
  library: { db, ...mediaOptions(mediaDir) },
  retention: { ...OFF, ...retention },
  clock: () => time?.now ?? null,
  marking: {},
  pause: async () => {},
  log: noLog,
  ...others,
})

/** Sweeps as a worker does, although the last sweep may be recent. Returns what was removed. */
export async function sweepNow(
  world: Swept,
  { signal = new AbortController().signal, ...options }: Options = {},
): Promise<Removed | undefined> {
  await sql`update sweeps set next_at = '-infinity'`.execute(world.db)
  return sweepIfDue(sweeperOf(world, options), signal)
}

/** Inserts `count` posts of a year ago, with a published delivery, an attempt and a sandbox call each. */
export async function insertOldPosts(
  db: Db,
  { userId, accountId, count }: { userId: string; accountId: string; count: number },
): Promise<void> {
  await sql`
    with post as (
      insert into posts (user_id, id, caption, post_type, status, created_at, updated_at)
      select ${userId}::uuid, overlay(gen_random_uuid()::text placing '0190' from 1)::uuid, n::text, 'post', 'published',
        now() - interval '1 year', now() - interval '1 year'
      from generate_series(1, ${count}::integer) as n
      returning *),
    delivery as (
      insert into post_targets
        (user_id, post_id, account_id, platform, state, due_at, started_at, published_at, attempts, sent)
      select user_id, id, ${accountId}::uuid, 'sandbox', 'published', created_at, created_at, created_at, 1,
        '[{"id": "1", "url": null}]'
      from post
      returning *),
    attempt as (
      insert into delivery_attempts (user_id, post_id, account_id, number, act, started_at, finished_at, outcome)
      select user_id, post_id, account_id, 1, 1, started_at, published_at, 'published' from delivery)
    insert into sandbox_calls (id, account_id, token, accepted, content, received_at)
    select overlay(gen_random_uuid()::text placing '0190' from 1)::uuid, account_id, token, true, '{}', published_at
    from delivery`.execute(db)
}
