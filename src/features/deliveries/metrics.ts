import type { Db } from '../../../db/client.ts'
import type { DeliveryKey } from '../../../db/queries/delivery/delivery.ts'
import { findDeliveryMetrics } from '../../../db/queries/numbers/find.ts'
import { type StoredReading, storeReadings } from '../../../db/queries/numbers/store.ts'
import { beginRefresh, restTurn } from '../../../db/queries/numbers/turns.ts'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import {
  type DeliveryMetricsList,
  type GetPostMetricsQuery,
  HISTORY_LIMIT_MAX,
  type ListDeliveryMetricsQuery,
  type PostMetrics,
  REFRESH_PAUSE_SECONDS,
} from '../../../schemas/metrics.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { describeMetrics } from '../../engine/numbers/describe.ts'
import { listCallMaxima, listReadPlatforms, type MetricsMode } from '../../engine/numbers/mode.ts'
import { type ReadDeps, readPosts } from '../../engine/numbers/read.ts'
import { coolDownMs, GONE_AFTER_MS, REFRESH_MAX_MS } from '../../engine/numbers/timing.ts'
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
  const held = refresh ? await readNow(context, post, null) : undefined
  const keys = targets.map(({ accountId }) => ({ userId: post.userId, postId: post.id, accountId }))
  return { data: await readMetrics(context, keys, history, held) }
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

async function readMetrics(
  { db, mode, now }: MetricsContext,
  keys: readonly DeliveryKey[],
  withHistory: boolean,
  held: ReadonlyMap<string, DeliveryError> = new Map(),
) {
  const rows = keys.length > 0 ? await findDeliveryMetrics(db, keys, { withHistory }) : []
  const view = { mode, now: now() }
  return rows.map((row) => describeMetrics({ ...row, error: held.get(row.accountId) ?? row.error }, view, withHistory))
}

/**
 * Reads a post on one account, or on all of them at the same time, within one limit. Those that were read in the last
 * minute are left out. So are those that rest or are kept for publishing: their errors are returned, by account.
 */
export async function readNow(
  context: MetricsContext,
  { userId, id }: PostAccess,
  accountId: string | null,
): Promise<ReadonlyMap<string, DeliveryError>> {
  const { db, mode, openCredentials } = context
  if (mode === 'off' || !openCredentials) throw fail('metrics_off')
  const platforms = listReadPlatforms(mode)
  const { begun, held } = await beginRefresh(db, {
    userId,
    postId: id,
    accountId,
    platforms,
    callMaxima: listCallMaxima(platforms),
    pauseMs: REFRESH_PAUSE_SECONDS * 1_000,
    now: null,
  })
  const readings: StoredReading[] = []
  const readOne = async (delivery: (typeof begun)[number]) => {
    const read = await readPosts({ ...context, openCredentials }, delivery, [delivery], { limitMs: REFRESH_MAX_MS })
    readings.push(...read.readings)
    const { accountId } = delivery
    if (read.failure) await restTurn(db, { accountId, restMs: coolDownMs(1, read.failure.retryAfterMs), now: null })
  }
  await Promise.all(begun.map(readOne))
  if (readings.length > 0) await storeReadings(db, readings, { confirmMs: GONE_AFTER_MS, now: null })
  return new Map(held.map(({ accountId, heldUntil }) => [accountId, heldBack(heldUntil)]))
}

const heldBack = (until: string): DeliveryError => ({
  code: 'rate_limited',
  message: `Nothing is read before ${until}: the account rests, or its calls are kept for publishing`,
  retryable: true,
})
