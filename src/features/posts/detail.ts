import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import type { PostDetail } from '../../../schemas/post.ts'
import { findAttention } from '../../engine/credentials/attention.ts'

/** A post as the API shows it: each account with its `attention`, as in `listAccounts`. */
export function toPostDetail(post: PostWithReadiness): PostDetail {
  const targets = post.targets.map(({ readiness, altTextLengthMax: _, isInSlot: __, ...target }) => {
    const attention = findAttention(readiness)
    return { ...target, ...(attention && { attention }) }
  })
  return { ...post, targets }
}
