import { Type } from '@sinclair/typebox'
import { errorResponse } from './error.ts'

/** `*`, or a list of ETags in quotes. */
export const IF_MATCH_FORM = '^(?:\\*|(?:W/)?"[!#-~]*"(?:[ \\t]*,[ \\t]*(?:W/)?"[!#-~]*")*)$'

export const BAD_IF_MATCH = {
  code: 'invalid_string' as const,
  validation: 'regex',
  path: ['If-Match'],
  message: 'Must be *, or one or more ETags in quotes such as "abc"',
}

/** No examples: Swagger UI would send them. */
export const IfMatchHeaders = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      pattern: IF_MATCH_FORM,
      description:
        'The `ETag` of the post that you have seen, or several of them. If the post has changed since, nothing is done and the response is 412. `*` matches every post. Without the header, the request applies to the post as it is.',
    }),
  ),
})

export const IfNoneMatchHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The `ETag` of the post that you already have. The response is 304 where it still matches.',
    }),
  ),
})

const ETAG = {
  type: 'string',
  description:
    'The version of the post, for `If-Match` and `If-None-Match`. It changes with everything that `getPost` shows, deliveries included.',
}

/** The header of each response that contains a post with its deliveries. */
export const ETAG_HEADERS = { headers: { ETag: ETAG } }

export const preconditionFailedResponse = errorResponse(
  '`If-Match` has no `ETag` of the post as it is now. Nothing was done.',
  ['precondition_failed'],
  ETAG_HEADERS,
)

/** The response to an `If-Match` that is neither `*` nor a list of ETags. */
export const BAD_IF_MATCH_EXAMPLE = { badIfMatch: BAD_IF_MATCH }
