import type { Db } from '../../../db/client.ts'
import { firstIdAt, NO_ID } from '../../../db/id.ts'
import { deleteOldConnections, expireConnections } from '../../../db/queries/connections.ts'
import { sweepIdempotencyKeys } from '../../../db/queries/idempotency.ts'
import { deleteUnneededApps } from '../../../db/queries/oauth-apps.ts'
import { deleteAttempts, findOldAttempts } from '../../../db/queries/retention/attempts.ts'
import { deleteOldEvents } from '../../../db/queries/retention/events.ts'
import { deleteOldMedia, findOldMedia } from '../../../db/queries/retention/media.ts'
import { deleteOldMetricPoints } from '../../../db/queries/retention/metric-points.ts'
import { deleteExpired, EXPIRING, endUnusedGrants } from '../../../db/queries/retention/oauth.ts'
import { deleteOldPosts, findOldPosts } from '../../../db/queries/retention/posts.ts'
import { deleteOldSandboxCalls } from '../../../db/queries/retention/sandbox-calls.ts'
import { listUserIds } from '../../../db/queries/retention/users.ts'
import { deleteOldWebhookDeliveries } from '../../../db/queries/retention/webhook-deliveries.ts'
import { hasSqlstate, SQLSTATE } from '../../../db/sqlstate.ts'
import type { Pace } from './pace.ts'

// Each function deletes what ended before `before`, in small statements, until all is deleted or the time is up. It
// returns how many rows it deleted.

/** Users whose rows one statement looks for. */
const USERS_PER_PAGE = 500

/**
 * Passes the rows of all users that `find` returns to `use`, in pages. `find` gets users in order, the last row of the
 * page before, which belongs to the first of them, and the size of a page.
 */
async function walk<R extends { userId: string }>(
  db: Db,
  pace: Pace,
  find: (userIds: string[], last: R | undefined, limit: number) => Promise<R[]>,
  use: (rows: R[]) => Promise<void>,
): Promise<void> {
  for (let after = NO_ID; ; ) {
    const users = await pace.run(() => listUserIds(db, { after, limit: USERS_PER_PAGE }))
    if (users.length === 0 || pace.isOver()) return
    let userIds = users.map(({ id }) => id)
    after = userIds.at(-1)!
    let last: R | undefined
    for (;;) {
      const { limit } = pace
      const rows = await pace.run(() => find(userIds, last, limit))
      await use(rows)
      if (rows.length < limit) break
      if (pace.isOver()) return
      last = rows.at(-1)!
      userIds = userIds.slice(userIds.indexOf(last.userId))
    }
  }
}

export async function removeOldPosts(db: Db, pace: Pace, before: Date): Promise<number> {
  const range = { before, beforeId: firstIdAt(before) }
  let removed = 0
  await walk(
    db,
    pace,
    (userIds, last: { userId: string; id: string; isOver: boolean } | undefined, limit) =>
      findOldPosts(db, { userIds, after: last?.id ?? NO_ID, ...range, limit }),
    async (posts) => {
      const over = posts.filter(({ isOver }) => isOver)
      if (over.length > 0) removed += await pace.run(() => deleteOldPosts(db, over, before))
    },
  )
  return removed
}

export async function removeOldAttempts(db: Db, pace: Pace, before: Date): Promise<number> {
  const range = { before, beforeId: firstIdAt(before) }
  const first = { postId: NO_ID, accountId: NO_ID, number: 0 }
  let removed = 0
  await walk(
    db,
    pace,
    (userIds, last: Awaited<ReturnType<typeof findOldAttempts>>[number] | undefined, limit) => {
      const { postId, accountId, number } = last ?? first
      return findOldAttempts(db, { userIds, postId, accountId, number, ...range, limit })
    },
    async (attempts) => {
      const old = attempts.filter(({ isOld }) => isOld)
      if (old.length > 0) removed += await pace.run(() => deleteAttempts(db, old))
    },
  )
  return removed
}

/** Deletes unused files. Their bytes are deleted with the other staged files. */
export async function removeUnusedMedia(db: Db, pace: Pace, before: Date): Promise<number> {
  const range = { before, beforeId: firstIdAt(before) }
  let removed = 0
  await walk(
    db,
    pace,
    (userIds, last: { userId: string; id: string; isUnused: boolean } | undefined, limit) =>
      findOldMedia(db, { userIds, after: last?.id ?? NO_ID, ...range, limit }),
    async (media) => {
      const unused = media.filter(({ isUnused }) => isUnused)
      if (unused.length === 0) return
      removed += await pace.run(() =>
        deleteOldMedia(db, unused, before).catch((error) => {
          // A new post uses one of the files. The next sweep tries the others again.
          if (hasSqlstate(error, SQLSTATE.FOREIGN_KEY_VIOLATION)) return 0
          throw error
        }),
      )
    },
  )
  return removed
}

export const removeOldSandboxCalls = (db: Db, pace: Pace, before: Date) =>
  removeByTime(pace, before, (range) => deleteOldSandboxCalls(db, range))

export const removeOldEvents = (db: Db, pace: Pace, before: Date) =>
  removeByTime(pace, before, (range) => deleteOldEvents(db, range))

/** Deletes deliveries of events that were numbered before `before`, and those of webhooks that were deleted. */
export async function removeOldWebhookDeliveries(db: Db, pace: Pace, before: Date): Promise<number> {
  const beforeId = firstIdAt(before)
  for (let removed = 0; ; ) {
    const { limit } = pace
    const { length } = await pace.run(() => deleteOldWebhookDeliveries(db, { beforeId, limit }))
    removed += length
    if (length < limit || pace.isOver()) return removed
  }
}

/** Calls `remove` for rows whose ids grow with time, until it has removed those of before `before`. */
async function removeByTime(
  pace: Pace,
  before: Date,
  remove: (range: { after: string; beforeId: string; limit: number }) => Promise<{ id: string }[]>,
): Promise<number> {
  const beforeId = firstIdAt(before)
  let removed = 0
  for (let after = NO_ID; ; ) {
    const { limit } = pace
    const rows = await pace.run(() => remove({ after, beforeId, limit }))
    removed += rows.length
    if (rows.length < limit || pace.isOver()) return removed
    after = rows.at(-1)!.id
  }
}

/** Deletes the responses of keys that have expired. */
export const removeExpiredKeys = (db: Db, pace: Pace) => repeat(pace, (limit) => sweepIdempotencyKeys(db, limit))

/**
 * Deletes connections that ended a day ago, the secrets of those that expired, and apps that are not needed any more.
 * Returns how many connections it deleted.
 */
export async function removeOldConnections(db: Db, pace: Pace): Promise<number> {
  await repeat(pace, (limit) => expireConnections(db, limit))
  await repeat(pace, (limit) => deleteUnneededApps(db, limit))
  return repeat(pace, (limit) => deleteOldConnections(db, limit))
}

/** Deletes the daily numbers of posts. */
export const removeOldMetricPoints = (db: Db, pace: Pace, before: Date) =>
  repeat(pace, (limit) => deleteOldMetricPoints(db, { before, limit }))

/**
 * Deletes tokens, codes and clients of OAuth that have expired, and revokes the keys of apps that have no token any
 * more. Returns how many rows it deleted.
 */
export async function removeExpiredOAuth(db: Db, pace: Pace): Promise<number> {
  let removed = 0
  for (const table of EXPIRING) removed += await repeat(pace, (limit) => deleteExpired(db, table, limit))
  return removed + (await repeat(pace, (limit) => endUnusedGrants(db, limit)))
}

/** Calls `work` until it leaves nothing. Returns how many rows it changed. */
async function repeat(pace: Pace, work: (limit: number) => Promise<number>): Promise<number> {
  let changed = 0
  for (;;) {
    const { limit } = pace
    const count = await pace.run(() => work(limit))
    changed += count
    if (count < limit || pace.isOver()) return changed
  }
}
