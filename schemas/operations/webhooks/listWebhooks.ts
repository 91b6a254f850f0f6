import { JsonResponse, PageQuery } from '../../shared.ts'
import { WebhookList } from '../../webhook.ts'
import { defineOperation } from '../define-operation.ts'

export const listWebhooks = defineOperation({
  method: 'GET',
  path: '/webhooks',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  operationId: 'listWebhooks',
  tag: 'webhooks',
  summary: 'List webhooks',
  description:
    'Returns a page of your webhooks, newest first. A key with a list of accounts sees those that get events of these accounts alone.',
  query: PageQuery,
  success: { 200: JsonResponse(WebhookList, 'One page of your webhooks.', { page: WebhookList.examples[0] }) },
  sdk: 'webhooks.list',
})
