import type { FastifyReply } from 'fastify'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import type { PostDetail } from '../../../schemas/post.ts'
import { PreconditionFailed } from '../../base/errors.ts'
import { etagOfText, readIfMatch } from '../../base/http/preconditions.ts'
import { toPostDetail } from './detail.ts'

/**
 * The ETag of a post. A hash of all that the API shows of it, because a strong ETag has to change with every part of
 * the response. The queries decide the order of keys, so that equal posts have equal texts.
 */
export const etagOf = (post: PostDetail): string => etagOfText(JSON.stringify(post))

/** Throws a 412 for a post to which a request does not apply. */
export type PostCondition = (post: PostWithReadiness) => void

/** The condition of `If-Match`; undefined without the header. Throws 400 for a malformed one. */
export function readCondition(request: Parameters<typeof readIfMatch>[0]): PostCondition | undefined {
  const matches = readIfMatch(request)
  if (!matches) return undefined
  return (post) => {
    const etag = etagOf(toPostDetail(post))
    if (!matches(etag)) throw new PreconditionFailed(etag)
  }
}

/** Sends a post with its ETag, and with `more` that is not a part of the post. */
export function sendPost(reply: FastifyReply, stored: PostWithReadiness, more: object = {}): FastifyReply {
  const post = toPostDetail(stored)
  return reply.header('etag', etagOf(post)).send({ ...post, ...more })
}
