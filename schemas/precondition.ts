import { Type } from '@sinclair/typebox'
import { type ErrorResponses, errorResponse } from './error.ts'
import type { ConstantErrorName } from './errors.ts'

/** `*`, or a list of ETags in quotes. */
export const IF_MATCH_FORM = '^(?:\\*|(?:W/)?"[!#-~]*"(?:[ \\t]*,[ \\t]*(?:W/)?"[!#-~]*")*)$'

export const BAD_IF_MATCH = {
  code: 'invalid_string' as const,
  validation: 'regex',
  path: ['If-Match'],
  message: 'Must be *, or one or more ETags in quotes such as "abc"',
}

interface Versioned {
  /** The resource, such as `post`. */
  noun: string
  /** The operation that returns it. */
  reader: string
  /** The parts of it that change the version, besides its own. */
  content: string
  error: ConstantErrorName
}

/** The headers and responses of operations on a resource with an ETag. No examples: Swagger UI would send them. */
const versionsOf = ({ noun, reader, content, error }: Versioned) => {
  const ETAG_HEADERS = {
    headers: {
      ETag: {
        type: 'string',
        description: `The version of the ${noun}, for \`If-Match\` and \`If-None-Match\`. It changes with everything that \`${reader}\` shows, ${content}.`,
      },
    },
  }
  return {
    IfMatchHeaders: Type.Object({
      'If-Match': Type.Optional(
        Type.String({
          pattern: IF_MATCH_FORM,
          description: `The \`ETag\` of the ${noun} that you have seen, or several of them. If the ${noun} has changed since, nothing is done and the response is 412. \`*\` matches every ${noun}. Without the header, the request applies to the ${noun} as it is.`,
        }),
      ),
    }),
    IfNoneMatchHeaders: Type.Object({
      'If-None-Match': Type.Optional(
        Type.String({
          description: `The \`ETag\` of the ${noun} that you already have. The response is 304 where it still matches.`,
        }),
      ),
    }),
    /** The header of each response that contains the resource as `reader` shows it. */
    ETAG_HEADERS,
    failed: errorResponse(
      `\`If-Match\` has no \`ETag\` of the ${noun} as it is now. Nothing was done.`,
      [error],
      ETAG_HEADERS,
    ),
  }
}

const POST_VERSIONS = versionsOf({
  noun: 'post',
  reader: 'getPost',
  content: 'deliveries included',
  error: 'precondition_failed',
})
export const { IfMatchHeaders, IfNoneMatchHeaders, ETAG_HEADERS } = POST_VERSIONS

export const ACCOUNT_VERSIONS = versionsOf({
  noun: 'account',
  reader: 'getAccount',
  content: '`attention` included',
  error: 'precondition_failed.account',
})

export const SCHEDULE_VERSIONS = versionsOf({
  noun: 'schedule',
  reader: 'getSchedule',
  content: '`skip` included',
  error: 'precondition_failed.schedule',
})

const VERSIONS = [POST_VERSIONS, ACCOUNT_VERSIONS, SCHEDULE_VERSIONS]

/** The 412 of an operation with these headers; undefined for others. */
export const preconditionFailedResponse = (headers: unknown): ErrorResponses | undefined =>
  VERSIONS.find(({ IfMatchHeaders }) => IfMatchHeaders === headers)?.failed

/** The response to an `If-Match` that is neither `*` nor a list of ETags. */
export const BAD_IF_MATCH_EXAMPLE = { badIfMatch: BAD_IF_MATCH }
