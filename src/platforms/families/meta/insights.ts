import type { Io } from '../../contract/io.ts'
import { type PostReading, pickCounts } from '../../contract/metrics.ts'
import { list, object, TEXT } from '../../wire/answer.ts'
import type { Refused } from '../../wire/call-network.ts'
import { at, textAt } from '../../wire/json.ts'
import { readNames } from '../../wire/read-names.ts'
import { get, isNotFound, type MetaApi } from './api.ts'

/** An unknown metric or field: https://developers.facebook.com/docs/graph-api/guides/error-handling */
const INVALID_PARAMETER = 100

/** Whether a refusal may concern the names that were asked for. */
export const isAboutName = (error: Refused): boolean =>
  at(error.refusal.body, 'error', 'code') === INVALID_PARAMETER && !isNotFound(error)

export const INSIGHTS = object({ data: list(object({ name: TEXT })) })

/** The numbers in a list of insights. One that has no value yet is left out. */
export function pickInsights(names: readonly string[], body: unknown): Record<string, number> {
  const insights = new Map((at(body, 'data') as unknown[]).map((insight) => [textAt(insight, 'name'), insight]))
  return pickCounts(names, (name) => {
    const insight = insights.get(name)
    return at(insight, 'total_value', 'value') ?? at(insight, 'values', 0, 'value')
  })
}

/** The insights of a post on Instagram or Threads. */
export const readInsights = (api: MetaApi, id: string, names: readonly string[], io: Io) =>
  readNames(
    names,
    async (names) => pickInsights(names, await get(api, io, `${id}/insights`, { metric: names.join(',') }, INSIGHTS)),
    isAboutName,
  )

/** A reading, or that the network does not show the post: an outage has the same error, so `isShown` looks again. */
export async function orGone(isShown: () => Promise<boolean>, read: () => Promise<PostReading>): Promise<PostReading> {
  try {
    return await read()
  } catch (error) {
    if (!isNotFound(error) || (await isShown())) throw error
    return 'gone'
  }
}
