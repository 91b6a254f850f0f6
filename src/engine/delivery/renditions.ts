import { requestRendition } from '../../../db/queries/rendition-jobs.ts'
import { untilStored } from '../../base/until-stored.ts'
import type { Outcome } from './decide.ts'
import { failure } from './failures.ts'
import type { PlannedAct } from './plan.ts'
import { type Run, released } from './run.ts'
import { RENDITION_WAIT_MS } from './timing.ts'

/**
 * The outcome of an act whose files are converted first: given back while a worker makes one of them, or failed if one
 * cannot be made. Undefined if all are there. A thread begins once the files of all its parts are.
 */
export async function awaitRenditions(run: Run, { number }: PlannedAct): Promise<Outcome | undefined> {
  const { deps, delivery } = run
  const missing = delivery.media.filter(({ part, storageKey, rendition }) => part >= number && !storageKey && rendition)
  let isWaiting = false
  for (const { id, rendition } of missing) {
    const { target, video } = rendition!
    if (!video) continue
    const key = { userId: delivery.userId, id, target, spec: JSON.stringify(video) }
    const [found] = await untilStored(deps, () => requestRendition(deps.db, key))
    if (found && !found.isStored) {
      const reason = failure('media_unconvertible', `A video of the post cannot be converted: ${found.problem}`)
      return { event: 'failed', reason, wasIntended: false }
    }
    isWaiting = true
  }
  return isWaiting ? released(run, { retryInMs: RENDITION_WAIT_MS }) : undefined
}
