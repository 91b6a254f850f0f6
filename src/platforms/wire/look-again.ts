import type { Json, Wait } from '../contract/adapter.ts'

/**
 * The pauses before a network is queried again about an act whose response was lost. The first query comes after 30 seconds.
 * For networks that do not say how soon an act shows.
 */
const LOST_PAUSES_MS = [90_000, 480_000]

/** `looks` of a state that is not queried again. */
export const LAST_LOOK = LOST_PAUSES_MS.length

/** The act is not there. It may show later; after the last look, `conclusion` holds. */
export function lookAgain<
  State extends { looks: number } & { readonly [key: string]: Json },
  T extends 'absent' | 'unknown',
>(state: State, conclusion: T): T | { processing: Wait<State> } {
  const afterMs = LOST_PAUSES_MS[state.looks]
  return afterMs === undefined ? conclusion : { processing: { state: { ...state, looks: state.looks + 1 }, afterMs } }
}
