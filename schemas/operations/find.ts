import { commonErrors, errorResponse, invalidRequestResponse } from '../error.ts'
import { errorOf } from '../errors.ts'
import { CountPostsQuery, DeliveryList, ListDeliveriesQuery, PostCounts } from '../find.ts'
import { CURSOR_OF_ANOTHER_QUERY } from '../messages.ts'
import { JsonResponse } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const noOrganizationResponse = {
  403: errorResponse('You are not an admin of this organisation, or it does not exist.', {
    noAccess: errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
    notAdmin: errorOf('not_organization_admin.lists'),
  }),
}

export const listDeliveries = defineOperation({
  method: 'GET',
  url: '/deliveries',
  scope: 'posts:read',
  takesAccountLists: true,
  schema: {
    operationId: 'listDeliveries',
    tags: ['posts'],
    summary: 'List deliveries',
    description: `Returns a page of the deliveries of your posts, one for each account of each post: what failed today, what was published on an account, what has changed. Filters apply together.

**Order:** those of the newest posts first; with \`scheduledFrom\` or \`scheduledBefore\`, those with the latest \`scheduledAt\` first; with \`changedAfter\`, those with the earliest \`changedAt\` first. A delivery that changes while you read a list with \`changedAfter\` appears again at its end.

**What needs you:** \`state=failed&state=unconfirmed&state=missed\` lists everything that is not sent without you, with \`error\`. What you have cancelled is \`cancelled\`. \`errorCode\` alone also finds what is still retried, and published posts without their first comment.

A request looks at up to 250 deliveries, so that it is fast however many there are. A page may therefore be short, or empty, although more follows.`,
    querystring: ListDeliveriesQuery,
    response: {
      200: JsonResponse(DeliveryList, 'One page of your deliveries.', { page: DeliveryList.examples[0] }),
      400: invalidRequestResponse('A parameter is malformed, or `cursor` belongs to a request with other filters.', {
        cursorOfAnotherQuery: CURSOR_OF_ANOTHER_QUERY,
      }),
      ...noOrganizationResponse,
      ...commonErrors,
    },
  },
})

export const countPosts = defineOperation({
  method: 'GET',
  url: '/posts/counts',
  scope: 'posts:read',
  takesAccountLists: true,
  schema: {
    operationId: 'countPosts',
    tags: ['posts'],
    summary: 'Count posts or deliveries in groups',
    description: `Counts your posts by status or by day, or their deliveries by state or account. The filters are those of \`listPosts\`. For a calendar, use \`by=day\` with \`timeZone\`, \`scheduledFrom\` and \`scheduledBefore\`: a day begins and ends as it does in that time zone, also where the clocks change.

A request looks at up to 10,000 posts, the newest ones or, by day or with a filter on \`scheduledAt\`, those that are scheduled latest, with \`organizationId\` any of them. If there are more, \`capped\` is \`true\`, and more filters give exact counts.`,
    querystring: CountPostsQuery,
    response: {
      200: JsonResponse(PostCounts, 'The counts.', { counts: PostCounts.examples[0] }),
      400: invalidRequestResponse('A parameter is missing or malformed.', {
        unknownTimeZone: {
          code: 'custom',
          path: ['timeZone'],
          message: "Unknown time zone 'Berlin': use a name such as Europe/Berlin",
        },
      }),
      ...noOrganizationResponse,
      ...commonErrors,
    },
  },
})
