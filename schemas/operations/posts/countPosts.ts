import { invalidRequestResponse } from '../../error.ts'
import { CountPostsQuery, PostCounts } from '../../find.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { noOrganizationResponse } from './listed.ts'

export const countPosts = defineOperation({
  method: 'GET',
  path: '/posts/counts',
  scope: 'posts:read',
  takesAccountLists: true,
  operationId: 'countPosts',
  tag: 'posts',
  summary: 'Count posts or deliveries in groups',
  description: `Counts your posts by status or by day, or their deliveries by state or account. The filters are those of \`listPosts\`. For a calendar, use \`by=day\` with \`timeZone\`, \`scheduledFrom\` and \`scheduledBefore\`: a day begins and ends as it does in that time zone, also where the clocks change.

A request looks at up to 10,000 posts, the newest ones or, by day or with a filter on \`scheduledAt\`, those that are scheduled latest, with \`organizationId\` any of them. If there are more, \`capped\` is \`true\`, and more filters give exact counts.`,
  query: CountPostsQuery,
  success: { 200: JsonResponse(PostCounts, 'The counts.', { counts: PostCounts.examples[0] }) },
  errors: [
    invalidRequestResponse('A parameter is missing or malformed.', {
      unknownTimeZone: {
        code: 'custom',
        path: ['timeZone'],
        message: "Unknown time zone 'Berlin': use a name such as Europe/Berlin",
      },
    }),
    noOrganizationResponse,
  ],
  sdk: 'posts.count',
})
