import type { Act, Wait } from '../contract/adapter.ts'
import type { Json } from '../contract/io.ts'

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

/** When a network is queried for an act whose response was lost, while it does not show the act. */
interface Search {
  /** The pauses after the first query. */
  pausesMs: readonly number[]
  /** Completes "The network is read …". */
  words: string
}

/** Queries at these times after the call, in seconds. The engine makes the first one. */
export function searchAfter(...times: number[]): Search {
  const seconds = times.filter((time) => time < 60)
  const minutes = times.filter((time) => time >= 60).map((time) => time / 60)
  const words = [seconds.length > 0 && `${seconds.join(' and ')} seconds`, `${minutes.join(' and ')} minutes`]
  return {
    pausesMs: times.slice(1).map((time, index) => (time - times[index]!) * 1000),
    words: `after ${words.filter(Boolean).join(minutes.length > 1 ? ', ' : ' and ')}`,
  }
}

/** Queries again after each of these pauses. */
export const searchFor = (pausesMs: readonly number[]): Search => ({
  pausesMs,
  words: `for ${Math.round(pausesMs.reduce((sum, pause) => sum + pause, 0) / 60_000)} minutes`,
})

/** For networks that do not say how soon an act shows. */
export const SEARCH = searchAfter(30, 120, 600)

/** The state that is stored while a network is queried repeatedly. */
type Looking = { looks: number } & { readonly [key: string]: Json }

interface Processing<State> {
  processing: Wait<State>
}

export const lookLater = <State extends Looking>(state: State, afterMs: number): Processing<State> => ({
  processing: { state: { ...state, looks: state.looks + 1 }, afterMs },
})

/** The act is not there. It may show later; after the last query of the search, `conclusion` holds. */
export function lookAgain<State extends Looking, Conclusion>(
  state: State,
  conclusion: Conclusion,
  { pausesMs } = SEARCH,
): Conclusion | Processing<State> {
  // Earlier versions of X's adapter stored another counter.
  const { looks = 0 } = state as Partial<State>
  const afterMs = pausesMs[looks]
  return afterMs === undefined ? conclusion : lookLater({ ...state, looks }, afterMs)
}

/**
 * The pause before a network that needs time is queried again: the first one, doubled each time, at most the longest.
 */
export const growingPauseMs = (looks: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(looks, 20))
