import { errorResponse } from '../../error.ts'
import { GetPostMetricsQuery, PostMetrics } from '../../metrics.ts'
import { PostPath } from '../../post.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getPostMetrics = defineOperation({
  method: 'GET',
  path: '/posts/:id/metrics',
  scope: 'posts:read',
  takesAccountLists: true,
  operationId: 'getPostMetrics',
  tag: 'posts',
  summary: 'Get the numbers of a post',
  description: `Returns what each network has reported about the post: likes, comments, views and others, with the network’s own names beside. A number that the network did not report is \`null\`, never \`0\`, and \`unavailable\` says why. \`getPlatform\` lists which numbers a network tells.

Workers read the numbers of published posts every 15 minutes at first, then less and less often, and for the last time after 28 days, where the operator has set \`METRICS\`. A draft, and an account to which nothing was published, have the reason \`not_published\`.`,
  params: PostPath,
  query: GetPostMetricsQuery,
  success: { 200: JsonResponse(PostMetrics, 'The numbers.', { published: PostMetrics.examples[0] }) },
  errors: [
    errorResponse('You have no post with this id.', ['post_not_found']),
    errorResponse('With `refresh=true`: the service does not read numbers.', ['metrics_off']),
  ],
  sdk: 'posts.metrics',
  tool: {
    title: 'Get the numbers of a post',
    description:
      'Returns likes, comments, views and other numbers of a published post for each account. `null` is unknown, not 0: `unavailable` says why.',
    // A refresh asks the networks.
    hints: { openWorldHint: true },
  },
})
