import type { Act } from './adapter.ts'

/** How far the clock of a network may differ from ours when times of creation are compared. */
const CLOCK_SKEW_MAX_MS = 60_000

const STEP_MS = 300_000

/** Whether something that was created at `time` may be what an act made. */
export const isSinceStart = (time: string | undefined, { startedAt }: Act): boolean =>
  Date.parse(time ?? '') >= startedAt.getTime() - CLOCK_SKEW_MAX_MS

/** From when on a list is read: the same time for acts of the same minutes, which can share the response. */
export const readSince = ({ startedAt }: Act): Date =>
  new Date(Math.floor((startedAt.getTime() - CLOCK_SKEW_MAX_MS) / STEP_MS) * STEP_MS)
