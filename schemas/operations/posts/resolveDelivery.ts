import { RESOLVE_EXAMPLES, ResolveDelivery, sandboxDeliveryPath, UNCONFIRMED_POST_ID } from '../../delivery.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { PostDetail } from '../../post.ts'
import { ETAG_HEADERS } from '../../precondition.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { DELIVERY_MISSING } from './deliveries.ts'

export const resolveDelivery = defineOperation({
  method: 'POST',
  path: '/posts/:id/deliveries/:accountId/resolve',
  scope: 'posts:publish',
  takesAccountLists: true,
  operationId: 'resolveDelivery',
  tag: 'posts',
  summary: 'Resolve an unconfirmed delivery',
  description: `Settles a delivery in the state \`unconfirmed\`, after you have checked the network.

- \`published\`: the act counts as published, at \`url\` if present. Parts of a thread and a first comment that would reply to it are not sent, because its id is unknown: add them manually. The delivery then has the error \`parent_unknown\`, and is \`failed\` where parts of the thread are missing.
- \`not_published\`: the delivery fails with \`not_published\` and can be retried. For 30 seconds after its call, which may still arrive, it cannot be resolved so. If only the first comment was unconfirmed, the delivery becomes \`published\` with that error.`,
  params: sandboxDeliveryPath(UNCONFIRMED_POST_ID),
  body: Body(ResolveDelivery, RESOLVE_EXAMPLES),
  success: {
    200: {
      ...JsonResponse(PostDetail, 'The delivery is settled.', { published: PostDetail.examples[0] }),
      ...ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse(
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
    errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
    errorResponse('The delivery is in another state than `unconfirmed`, or its call may still arrive.', [
      'delivery_not_unconfirmed',
      'delivery_in_progress.arriving',
    ]),
  ],
  sdk: 'deliveries.resolve',
  tool: {
    title: 'Settle an unconfirmed delivery',
    description:
      'Says whether an unconfirmed delivery is on the network, after somebody has looked there. A wrong answer publishes a post twice, or never: do not guess.',
    hints: { destructiveHint: true, openWorldHint: false },
    takesNoConfirm: true,
  },
})
