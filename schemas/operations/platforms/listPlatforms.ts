import { PlatformList } from '../../platform-detail.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { HEADERS, IfNoneMatchHeaders, KEEP, notModified } from './common.ts'

export const listPlatforms = defineOperation({
  method: 'GET',
  path: '/platforms',
  scope: 'accounts:read',
  takesAccountLists: true,
  operationId: 'listPlatforms',
  tag: 'platforms',
  summary: 'List networks and their limits',
  description: `Returns what each network accepts: the limits of texts and files for each type of post, \`fields\` as JSON Schema, how accounts are connected, how fast posts are accepted, and what happens where a response of the network is lost. \`createPost\` and \`validatePost\` check posts against exactly these limits. The list has no pages.\n\n${KEEP}`,
  headers: IfNoneMatchHeaders,
  success: {
    200: {
      ...JsonResponse(PlatformList, 'All networks.', { platforms: PlatformList.examples[0] }),
      headers: HEADERS,
    },
    ...notModified,
  },
  sdk: 'platforms.list',
  tool: {
    title: 'List networks',
    description:
      'Returns all networks: whether Postroom can publish to them, and their types of posts. get_limits returns the limits.',
  },
})
