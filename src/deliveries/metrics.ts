import type { Db } from '../../db/client.ts'
import type { DeliveryKey } from '../../db/queries/delivery/delivery.ts'
import { findDeliveryMetrics } from '../../db/queries/post-metrics/find.ts'
import { storeReadings } from '../../db/queries/post-metrics/store.ts'
import { beginRefresh } from '../../db/queries/post-metrics/turns.ts'
import {
  type DeliveryMetricsList,
  type GetPostMetricsQuery,
  HISTORY_LIMIT_MAX,
  type ListDeliveryMetricsQuery,
  type PostMetrics,
  REFRESH_PAUSE_SECONDS,
} from '../../schemas/metrics.ts'
import { fail, invalidRequest } from '../errors.ts'
import { describeMetrics } from '../post-metrics/describe.ts'
import { listReadPlatforms, type MetricsMode } from '../post-metrics/mode.ts'
import { type ReadDeps, readPosts } from '../post-metrics/read.ts'
import { GONE_AFTER_MS, REFRESH_MAX_MS } from '../post-metrics/timing.ts'
import type { PostAccess } from '../posts/access.ts'
import type { Caller } from '../posts/filters.ts'
import { readPost } from '../posts/get.ts'
import { listOwnDeliveries } from './find-deliveries.ts'

export interface MetricsContext extends Omit<ReadDeps, 'openCredentials'> {
  db: Db
  mode: MetricsMode
  /** Absent if the operator has configured no key: then nothing is read. */
  openCredentials: ReadDeps['openCredentials'] | undefined
}

/** The numbers of a post that the caller may see. Throws 404 for any other, and 409 if they cannot be refreshed. */
export async function getPostMetrics(
  context: MetricsContext,
  post: PostAccess,
  { history = false, refresh = false }: GetPostMetricsQuery,
): Promise<PostMetrics> {
  const { targets } = await readPost(context.db, post)
  if (refresh) await readNow(context, post, null)
  const keys = targets.map(({ accountId }) => ({ userId: post.userId, postId: post.id, accountId }))
  return { data: await readMetrics(context, keys, history) }
}

/** Throws 400 for a page that is too long with its history, and whatever the list of deliveries throws. */
export async function listDeliveryMetrics(
  context: MetricsContext,
  caller: Caller,
  { history = false, ...query }: ListDeliveryMetricsQuery,
): Promise<DeliveryMetricsList> {
  if (history && query.limit > HISTORY_LIMIT_MAX) throw invalidRequest([TOO_MANY_HISTORIES])
  const { data, limit, nextCursor } = await listOwnDeliveries(context.db, caller, query)
  return { data: await readMetrics(context, data, history), limit, nextCursor }
}

const TOO_MANY_HISTORIES = {
  code: 'too_big' as const,
  type: 'number',
  maximum: HISTORY_LIMIT_MAX,
  inclusive: true,
  path: ['limit'],
  message: `Number must be less than or equal to ${HISTORY_LIMIT_MAX} with history=true`,
}

async function readMetrics({ db, mode }: MetricsContext, keys: readonly DeliveryKey[], withHistory: boolean) {
  const rows = keys.length > 0 ? await findDeliveryMetrics(db, keys, { withHistory }) : []
  return rows.map((row) => describeMetrics(row, mode, withHistory))
}

/**
 * Reads a post on one account, or on all of them at the same time, within one limit. Those that were read in the last
 * minute are left out.
 */
export async function readNow(
  context: MetricsContext,
  { userId, id }: PostAccess,
  accountId: string | null,
): Promise<void> {
  const { db, mode, openCredentials } = context
  if (mode === 'off' || !openCredentials) throw fail('metrics_off')
  const begun = await beginRefresh(db, {
    ...{ userId, postId: id, accountId, platforms: listReadPlatforms(mode) },
    pauseMs: REFRESH_PAUSE_SECONDS * 1_000,
    now: null,
  })
  const read = await Promise.all(
    begun.map((delivery) =>
      readPosts({ ...context, openCredentials }, delivery, [delivery], { limitMs: REFRESH_MAX_MS }),
    ),
  )
  const readings = read.flatMap(({ readings }) => readings)
  if (readings.length > 0) await storeReadings(db, readings, { confirmMs: GONE_AFTER_MS, now: null })
}
