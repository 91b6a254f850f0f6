import { newId } from '../../../db/id.ts'
import type { NewPost, UnreadyAccount } from '../../../db/queries/posts/insert.ts'
import { initialState } from '../../engine/delivery/machine.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import type { AccountTarget, LoadedPost } from './load.ts'
import { NO_TERMS, nearbyTermsOf } from './nearby-terms.ts'

interface NewRow {
  /** Default: a new one. */
  id?: string
  userId: string
  keyId: string | undefined
}

/** A post as it is stored. */
export const toRow = (post: LoadedPost, { id = newId(), userId, keyId }: NewRow, texts: TextCache): NewPost => ({
  ...post,
  id,
  userId,
  keyId,
  status: post.isScheduled ? 'scheduled' : 'draft',
  deliveryState: initialState(post.isScheduled),
  nearby: post.targets.map((target) =>
    post.isScheduled ? nearbyTermsOf(target.account.platform, post, target, texts) : NO_TERMS,
  ),
  unready: post.targets.flatMap(unreadyOf),
})

/** The facts of the database about an account that is not ready. */
const unreadyOf = ({
  account: { id, isReady, attention, credentials, credentialsExpireAt },
}: AccountTarget): UnreadyAccount[] => (isReady ? [] : [{ accountId: id, attention, credentials, credentialsExpireAt }])
