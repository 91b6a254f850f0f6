import type { Db } from '../../../db/client.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import type { QueuedDelivery } from '../../../db/queries/queue.ts'
import type { PostWarning } from '../../../schemas/warning.ts'
import { AppError } from '../../base/errors.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import type { RequestedPost } from './body.ts'
import { findRejection, type Inspection } from './check.ts'
import { takeSlots } from './queue/place.ts'
import { type Slots, withSlots } from './schedule.ts'
import { findWarningError, findWarnings } from './warnings.ts'

/** A post of a batch after all checks but those of other posts near it. */
export interface Examined {
  /** At the times of the slots that it takes. */
  post: RequestedPost
  inspection: Inspection<RequestedPost>
  warnings: PostWarning[]
  /** Why it is not stored. */
  rejection: AppError | undefined
  slots?: Slots
}

interface Context {
  rights: KeyRights
  /** Whether a post with warnings is rejected. */
  isStrict?: boolean
  texts: TextCache
}

/** Examines posts, which take slots in the order of the request. `moves`: the deliveries whose slots they take. */
export async function examinePosts(
  db: Db,
  userId: string,
  inspections: readonly Inspection<RequestedPost>[],
  { rights, isStrict = false, texts }: Context,
): Promise<{ examined: Examined[]; moves: QueuedDelivery[] }> {
  const unplaced = inspections.map((inspection): Examined => {
    const { post, accounts, media } = inspection
    const unready = new Map(accounts.map((account) => [account.id, account]))
    const warnings = findWarnings(post, accounts, { media, unready, texts })
    const rejection = findRejection(inspection) ?? (isStrict ? findWarningError(warnings) : undefined)
    return { post, inspection, warnings, rejection }
  })
  const wanted = unplaced.map(({ post, inspection: { accounts }, rejection }) => ({
    queue: rejection ? undefined : post.queue,
    accounts,
  }))
  const { taken, moves } = await takeSlots(db, wanted, { userId, accountIds: rights.accountIds })
  const examined = unplaced.map((each, index): Examined => {
    const slots = taken[index]
    if (!slots) return each
    if (slots instanceof AppError) return { ...each, rejection: slots }
    return { ...each, post: { ...each.post, ...withSlots(slots) }, slots }
  })
  return { examined, moves }
}
