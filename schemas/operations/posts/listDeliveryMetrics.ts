import { invalidRequestResponse } from '../../error.ts'
import { CURSOR_OF_ANOTHER_QUERY } from '../../messages.ts'
import { DeliveryMetricsList, ListDeliveryMetricsQuery } from '../../metrics.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { noOrganizationResponse } from './listed.ts'

export const listDeliveryMetrics = defineOperation({
  method: 'GET',
  path: '/deliveries/metrics',
  scope: 'posts:read',
  takesAccountLists: true,
  operationId: 'listDeliveryMetrics',
  tag: 'posts',
  summary: 'List the numbers of posts',
  description:
    'Returns a page of the numbers of your posts, one entry for each account of each post, as `getPostMetrics` does. The filters and the order are those of `listDeliveries`: `state=published` leaves out posts that are not out.',
  query: ListDeliveryMetricsQuery,
  success: {
    200: JsonResponse(DeliveryMetricsList, 'One page of the numbers.', { page: DeliveryMetricsList.examples[0] }),
  },
  errors: [
    invalidRequestResponse('A parameter is malformed, or `cursor` belongs to a request with other filters.', {
      cursorOfAnotherQuery: CURSOR_OF_ANOTHER_QUERY,
    }),
    noOrganizationResponse,
  ],
  sdk: 'deliveries.metrics',
})
