import type { Act } from '../contract/adapter.ts'

/** How far the clock of a network may differ from ours. */
const CLOCK_SKEW_MAX_MS = 60_000

const STEP_MS = 300_000

/** The earliest time of creation, by the clock of a network, of what an act made. In milliseconds since 1970. */
export const earliestCreation = ({ startedAt }: Pick<Act, 'startedAt'>): number =>
  startedAt.getTime() - CLOCK_SKEW_MAX_MS

/** Whether something that was created at `time` may be what an act made. */
export const isSinceStart = (time: string | undefined, act: Pick<Act, 'startedAt'>): boolean =>
  Date.parse(time ?? '') >= earliestCreation(act)

/** From when on a list is read: the same time for acts of the same minutes, which can share the response. */
export const readSince = (act: Act): Date => new Date(Math.floor(earliestCreation(act) / STEP_MS) * STEP_MS)
