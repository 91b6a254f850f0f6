import { NEEDS_OWNER_STATES } from '../../../schemas/delivery-states.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import type { EndedChange, Report } from '../../engine/delivery/settled.ts'
import type { Metrics } from './metrics.ts'

/** States in which a delivery stays until its owner acts. */
const FINAL_STATES: readonly string[] = ['published', ...NEEDS_OWNER_STATES]

/** Counts what workers settle. */
export function countSettled({ attempts, ended, lateness }: Pick<Metrics, 'attempts' | 'ended' | 'lateness'>): Report {
  // Prometheus takes no notice of the first increase of a series that begins with it.
  for (const platform of PLATFORM_IDS) for (const state of FINAL_STATES) ended.inc({ platform, state }, 0)

  return ({ platform, state, outcome, act, errorCode, latenessMs }) => {
    if (outcome !== null) attempts.inc({ platform, outcome, code: errorCode ?? 'none' })
    if (FINAL_STATES.includes(state)) ended.inc({ platform, state })
    const isPublished = outcome === 'published' || outcome === 'found'
    if (isPublished && act === 1) lateness.observe({ platform }, latenessMs / 1000)
  }
}

/** Counts removals and edits that have ended. */
export function countChanges({ changes }: Pick<Metrics, 'changes'>) {
  for (const platform of PLATFORM_IDS) {
    for (const kind of ['remove', 'edit']) {
      for (const outcome of ['done', 'failed']) changes.inc({ platform, kind, outcome }, 0)
    }
  }
  return ({ platform, kind, outcome }: EndedChange) => changes.inc({ platform, kind, outcome })
}
