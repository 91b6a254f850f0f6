import { withDatabaseBudget } from '../../../db/budget.ts'
import { findRendition, noteNoRendition } from '../../../db/queries/renditions.ts'
import { fail } from '../../base/errors.ts'
import { withTimeout } from '../../base/with-timeout.ts'
import type { RenditionTarget, WantedRendition } from '../../platforms/rules/rendition.ts'
import { drawImage } from './draw-image.ts'
import type { Library } from './library.ts'
import { makeRendition } from './make-rendition.ts'

/** How long a request waits. What is made until then is kept, so that the next request takes less time. */
const REQUEST_MAX_MS = 30_000

/** Renditions that are being made in this process, by user, file and target. */
const making = new Map<string, Promise<void>>()

/**
 * Makes what is missing of these renditions, or records that it cannot be made. Throws 503 if that takes too long, and
 * 409 if it exceeds the quota.
 */
export async function makeRenditions(
  library: Library,
  userId: string,
  wanted: readonly WantedRendition[],
): Promise<void> {
  const over = new AbortController()
  const makeAll = async () => {
    for (const each of wanted) if (!over.signal.aborted) await makeOnce(library, userId, each, over.signal)
  }
  try {
    await withTimeout(REQUEST_MAX_MS, makeAll(), () => fail('renditions_unfinished'))
  } finally {
    over.abort()
  }
}

function makeOnce(library: Library, userId: string, { mediaId, target }: WantedRendition, signal: AbortSignal) {
  const name = `${userId} ${mediaId} ${target.name}`
  const budget = { remainingMs: REQUEST_MAX_MS, userId }
  const made =
    making.get(name) ??
    withDatabaseBudget(budget, () => make(library, { userId, id: mediaId }, target, signal)).finally(() =>
      making.delete(name),
    )
  making.set(name, made)
  return made
}

async function make(
  library: Library,
  file: { userId: string; id: string },
  target: RenditionTarget,
  signal: AbortSignal,
): Promise<void> {
  const key = { ...file, target: target.name }
  const [found] = await findRendition(library.db, key)
  // Another process was faster, or the file was deleted.
  if (!found || found.isMade) return
  if (found.storageKey === null) return noteNoRendition(library.db, key)
  const draw = (source: string, path: string) => drawImage(source, path, target)
  await makeRendition(library, key, found.storageKey, draw, { signal, isCounted: true })
}
