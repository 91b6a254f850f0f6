import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import type { PostDetail } from '../../../schemas/post.ts'
import { findAttention } from '../../engine/credentials/attention.ts'

/** A post as the API shows it: each account with its `attention`, as in `listAccounts`. */
export function toPostDetail(post: PostWithReadiness): PostDetail {
  const targets = post.targets.map((target) => {
    const attention = findAttention(target.readiness)
    // Rest properties would take five times as long.
    const shown = { ...target, readiness: undefined, altTextLengthMax: undefined, isInSlot: undefined }
    return attention ? { ...shown, attention } : shown
  })
  return { ...post, targets }
}
