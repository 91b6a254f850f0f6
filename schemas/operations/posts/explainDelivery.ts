import { DeliveryPath } from '../../delivery.ts'
import { errorResponse } from '../../error.ts'
import { DeliveryExplanation } from '../../explanation.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { DELIVERY_MISSING } from './deliveries.ts'

export const explainDelivery = defineOperation({
  method: 'GET',
  path: '/posts/:id/deliveries/:accountId/explain',
  scope: 'posts:read',
  takesAccountLists: true,
  operationId: 'explainDelivery',
  tag: 'posts',
  summary: 'Explain a delivery',
  description:
    'Says in order why a delivery is late, waiting, failed or unconfirmed: what has happened, what it waits for, what happens next and when, and which operations you can call now. Each sentence has a `code` for programs. It is made from the delivery, its attempts and events, and the account; no network is asked.',
  params: DeliveryPath,
  success: { 200: JsonResponse(DeliveryExplanation, 'The explanation.', { waiting: DeliveryExplanation.examples[0] }) },
  errors: [errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING)],
  sdk: 'deliveries.explain',
  tool: {
    title: 'Explain a delivery',
    description:
      'Says why a delivery of a post to one account is late, waiting, failed or unconfirmed: what has happened, what happens next and when, and what can be done.',
  },
})
