import { errorResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { Platform, PlatformPath } from '../../platform-detail.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { HEADERS, IfNoneMatchHeaders, KEEP, notModified } from './common.ts'

export const getPlatform = defineOperation({
  method: 'GET',
  path: '/platforms/:platform',
  scope: 'accounts:read',
  takesAccountLists: true,
  operationId: 'getPlatform',
  tag: 'platforms',
  summary: 'Get the limits of a network',
  description: `Returns what one network accepts, as in \`listPlatforms\`. An account may have limits of its own: see \`getAccountLimits\`.\n\n${KEEP}`,
  params: PlatformPath,
  headers: IfNoneMatchHeaders,
  success: {
    200: { ...JsonResponse(Platform, 'The network.', { platform: Platform.examples[0] }), headers: HEADERS },
    ...notModified,
  },
  errors: [
    errorResponse('There is no network with this id.', [
      'platform_not_found',
      errorOf('platform_not_found.named', 'x'),
    ]),
  ],
  sdk: 'platforms.get',
})
