import { invalidRequestResponse } from '../../error.ts'
import { DeliveryList, ListDeliveriesQuery } from '../../find.ts'
import { CURSOR_OF_ANOTHER_QUERY } from '../../messages.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { noOrganizationResponse } from './listed.ts'

export const listDeliveries = defineOperation({
  method: 'GET',
  path: '/deliveries',
  scope: 'posts:read',
  takesAccountLists: true,
  operationId: 'listDeliveries',
  tag: 'posts',
  summary: 'List deliveries',
  description: `Returns a page of the deliveries of your posts, one for each account of each post. Filters find, for example, deliveries that failed today, or those of one account. Filters apply together.

**Order:** those of the newest posts first; with \`scheduledFrom\` or \`scheduledBefore\`, those with the latest \`scheduledAt\` first; with \`changedAfter\`, those with the earliest \`changedAt\` first. A delivery that changes while you read a list with \`changedAfter\` appears again at its end.

**What needs you:** \`state=failed&state=unconfirmed&state=missed\` lists the deliveries that wait for your decision, each with its \`error\`. Deliveries that you have cancelled have the state \`cancelled\`. \`errorCode\` alone also finds what is still retried, and published posts without their first comment.

A request looks at up to 250 deliveries, so that it is fast however many there are. A page may therefore be short, or empty, although more follows.`,
  query: ListDeliveriesQuery,
  success: { 200: JsonResponse(DeliveryList, 'One page of your deliveries.', { page: DeliveryList.examples[0] }) },
  errors: [
    invalidRequestResponse('A parameter is malformed, or `cursor` belongs to a request with other filters.', {
      cursorOfAnotherQuery: CURSOR_OF_ANOTHER_QUERY,
    }),
    noOrganizationResponse,
  ],
  sdk: 'deliveries.list',
})
