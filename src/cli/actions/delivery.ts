import { listDeliveries } from '../../../db/queries/delivery/list.ts'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { holdDeliveries, releaseDeliveries } from '../../engine/delivery/hold.ts'
import type { Action } from '../action.ts'
import { formatList, type Listed, readLimited } from '../table.ts'

interface ListOptions {
  state?: DeliveryState
  platform?: PlatformId
  since?: Date
  limit: number
}

type Row = Awaited<ReturnType<typeof listDeliveries>>[number]

export const list: Action<ListOptions, Listed<Row>> = {
  run: ({ db }, { limit, ...filter }) => readLimited(limit, (limit) => listDeliveries(db, { ...filter, limit })),
  toText: (list) =>
    formatList(list, {
      post: ({ postId }) => postId,
      account: ({ platform, username }) => `${platform} ${username}`,
      state: ({ state }) => state,
      attempts: ({ attempts }) => attempts,
      due: ({ dueAt }) => dueAt,
      'next attempt': ({ nextAttemptAt }) => nextAttemptAt,
      'account rests until': ({ accountRestsUntil }) => accountRestsUntil,
      error: ({ error }) => error && `${error.code}: ${error.message}`,
    }),
}

export const hold: Action<{ dueBefore: Date }> = {
  run: async ({ db }, { dueBefore }) => ({ ...(await holdDeliveries(db, dueBefore)) }),
}

export const release: Action<{ dueBefore?: Date }> = {
  run: async ({ db }, { dueBefore = null }) => ({ released: await releaseDeliveries(db, dueBefore) }),
}
