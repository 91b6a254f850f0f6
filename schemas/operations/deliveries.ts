import { DeliveryPath, MARK_EXAMPLES, MarkPublished, RESOLVE_EXAMPLES, ResolveDelivery } from '../delivery.ts'
import { bodyTooLargeResponse, commonErrors, errorResponse, invalidRequestResponse } from '../error.ts'
import { errorOf } from '../errors.ts'
import { PostDetail } from '../post.ts'
import { BAD_IF_MATCH_EXAMPLE, ETAG_HEADERS, IfMatchHeaders, preconditionFailedResponse } from '../precondition.ts'
import { RETRY_EXAMPLES, RetryDelivery } from '../retry-delivery.ts'
import { Body, JsonResponse } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const DELIVERY_MISSING = {
  postNotFound: errorOf('post_not_found'),
  deliveryNotFound: errorOf('delivery_not_found'),
} as const

export const retryDelivery = defineOperation({
  method: 'POST',
  url: '/posts/:id/deliveries/:accountId/retry',
  scope: 'posts:publish',
  takesAccountLists: true,
  config: { hasOptionalBody: true },
  schema: {
    operationId: 'retryDelivery',
    tags: ['posts'],
    summary: 'Retry the delivery to one account',
    description: `Makes the delivery to this account due immediately. Deliveries to other accounts are not affected. Only the acts that are not published yet are sent.

| state | effect |
|---|---|
| \`failed\`, \`missed\` | the delivery is sent; a thread continues with its first missing part |
| \`cancelled\` | as \`failed\`, and not before the time of the post |
| \`queued\`, waiting for the next attempt | the attempt is made now |
| \`published\` with an \`error\` | the first comment is sent |
| \`unconfirmed\` | the network is queried first; where it cannot be, 409: call \`resolveDelivery\` |
| \`waiting\`, \`queued\` before the time of the post, \`publishing\`, \`published\` | 409 |

A delivery whose post lacks a deleted file cannot be retried (409).

**Other content.** A delivery that the network has refused is rarely accepted as it is. The optional body changes its caption, its fields or its thread parts for this account. They are checked as \`createPost\` checks them, for this account alone. Published parts of a thread have to stay. The content cannot change while it may have been published (409). Change the caption of all accounts, the files and the first comment with \`updatePost\`.`,
    params: DeliveryPath,
    headers: IfMatchHeaders,
    body: Body(RetryDelivery, RETRY_EXAMPLES),
    response: {
      202: {
        ...JsonResponse(PostDetail, 'The delivery is due.', { published: PostDetail.examples[0] }),
        ...ETAG_HEADERS,
      },
      400: invalidRequestResponse(
        'With `details`: the body does not match its schema, or `If-Match` is malformed. Without: the content would break a limit of the network.',
        {
          ...BAD_IF_MATCH_EXAMPLE,
          publishedParts: {
            code: 'custom',
            path: ['threadParts'],
            message: 'The first 1 element(s) are published and have to stay',
          },
        },
        {
          limitOfNetwork: errorOf(
            'platform_limit',
            'telegram (@ada): caption is 4097 characters long, at most 4096 are allowed',
          ),
        },
      ),
      403: errorResponse('You may no longer use the account, or a file of the post. Only with a body.', {
        noAccess: errorOf('no_access.several', 'accountIds: 0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10'),
      }),
      404: errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
      409: errorResponse('The delivery cannot be retried, or cannot be changed, in this state.', {
        draft: errorOf('post_is_draft'),
        notDue: errorOf('delivery_not_due'),
        publishing: errorOf('delivery_in_progress'),
        published: errorOf('delivery_published'),
        mediaDeleted: errorOf('media_deleted'),
        unconfirmed: errorOf('delivery_unconfirmed'),
        contentOpen: errorOf('delivery_unconfirmed.edited'),
      }),
      ...preconditionFailedResponse,
      413: errorResponse('The body, or the post with its changes, is larger than 1 MiB.', {
        tooLarge: errorOf('body_too_large', 2 ** 20),
        postTooLarge: errorOf('body_too_large.post'),
      }),
      ...commonErrors,
    },
  },
})

export const resolveDelivery = defineOperation({
  method: 'POST',
  url: '/posts/:id/deliveries/:accountId/resolve',
  scope: 'posts:publish',
  takesAccountLists: true,
  schema: {
    operationId: 'resolveDelivery',
    tags: ['posts'],
    summary: 'Resolve an unconfirmed delivery',
    description: `Settles a delivery in the state \`unconfirmed\`, after you have checked the network.

- \`published\`: the act counts as published, at \`url\` if present. Parts of a thread and a first comment that would reply to it are not sent, because its id is unknown: add them manually. The delivery then has the error \`parent_unknown\`, and is \`failed\` where parts of the thread are missing.
- \`not_published\`: the delivery fails with \`not_published\` and can be retried. Where only the first comment was unconfirmed, the delivery becomes \`published\` with that error.`,
    params: DeliveryPath,
    body: Body(ResolveDelivery, RESOLVE_EXAMPLES),
    response: {
      200: {
        ...JsonResponse(PostDetail, 'The delivery is settled.', { published: PostDetail.examples[0] }),
        ...ETAG_HEADERS,
      },
      400: invalidRequestResponse(
        'The body does not match its schema, `url` is not an http(s) address, or `url` comes with `not_published`.',
        {
          missingOutcome: {
            code: 'invalid_type',
            expected: 'string',
            received: 'undefined',
            path: ['outcome'],
            message: 'Required',
          },
        },
      ),
      404: errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
      409: errorResponse('The delivery is in another state than `unconfirmed`.', {
        notUnconfirmed: errorOf('delivery_not_unconfirmed'),
      }),
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const cancelDelivery = defineOperation({
  method: 'POST',
  url: '/posts/:id/deliveries/:accountId/cancel',
  scope: 'posts:publish',
  takesAccountLists: true,
  schema: {
    operationId: 'cancelDelivery',
    tags: ['posts'],
    summary: 'Cancel the delivery to one account',
    description: `Ends a delivery that is \`queued\`: it waits for its time, for another attempt, or for its network. Nothing more of it is sent until you retry it. Deliveries to other accounts are not affected. The delivery then has the error \`cancelled\`. A body is ignored.

| before | after |
|---|---|
| nothing is published, or only the first parts of a thread | \`cancelled\` |
| only the first comment is missing | \`published\` |
| a call was made, and its response was lost or the network still processes it | \`unconfirmed\`: check the network, then call \`resolveDelivery\`; a retry queries the network |

A delivery that is cancelled already stays as it is, so that the call can be repeated safely. In other states, nothing is going to be sent (409); a delivery that is being sent cannot be cancelled (409). Changing or publishing a post does not revive a cancelled delivery, unless the post becomes a draft.`,
    params: DeliveryPath,
    headers: IfMatchHeaders,
    response: {
      200: {
        ...JsonResponse(PostDetail, 'Nothing more is sent.', { published: PostDetail.examples[0] }),
        ...ETAG_HEADERS,
      },
      400: invalidRequestResponse('`If-Match` is malformed.', BAD_IF_MATCH_EXAMPLE),
      404: errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
      409: errorResponse('The delivery is being sent, or nothing of it is going to be sent.', {
        publishing: errorOf('delivery_in_progress'),
        notQueued: errorOf('delivery_not_queued'),
      }),
      ...preconditionFailedResponse,
      ...commonErrors,
    },
  },
})

export const markDeliveryPublished = defineOperation({
  method: 'POST',
  url: '/posts/:id/deliveries/:accountId/mark-published',
  scope: 'posts:publish',
  takesAccountLists: true,
  schema: {
    operationId: 'markDeliveryPublished',
    tags: ['posts'],
    summary: 'Record that a delivery was published by hand',
    description: `Says that you have published on this account what was missing, for example because the service cannot publish to its network. The delivery becomes \`published\`, and nothing more of it is sent. \`url\` is then the address of the act that was missing, whose \`externalId\` is \`null\`. Deliveries to other accounts are not affected. The post becomes \`published\`: it can no longer be changed or deleted.

A draft has to be scheduled first (409). A delivery that is being sent, or from which nothing is missing, cannot be marked (409).`,
    params: DeliveryPath,
    headers: IfMatchHeaders,
    body: Body(MarkPublished, MARK_EXAMPLES),
    response: {
      200: {
        ...JsonResponse(PostDetail, 'The delivery is published.', { published: PostDetail.examples[0] }),
        ...ETAG_HEADERS,
      },
      400: invalidRequestResponse(
        'The body does not match its schema, `url` is not an http(s) address, or `If-Match` is malformed.',
        {
          ...BAD_IF_MATCH_EXAMPLE,
          badUrl: { code: 'invalid_string', validation: 'url', path: ['url'], message: 'Invalid url' },
        },
      ),
      404: errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
      409: errorResponse('The delivery cannot be marked in this state.', {
        draft: errorOf('post_is_draft.marked'),
        publishing: errorOf('delivery_in_progress'),
        published: errorOf('delivery_published'),
      }),
      ...preconditionFailedResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})
