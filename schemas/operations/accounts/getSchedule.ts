import { AccountPath } from '../../account.ts'
import { errorResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { SCHEDULE_VERSIONS } from '../../precondition.ts'
import { AccountSchedule } from '../../schedule.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getSchedule = defineOperation({
  method: 'GET',
  path: '/accounts/:id/schedule',
  scope: 'accounts:read',
  takesAccountLists: true,
  operationId: 'getSchedule',
  tag: 'accounts',
  summary: 'Get the schedule of an account',
  description: 'Returns the times of the week at which queued posts are published to the account.',
  params: AccountPath,
  success: {
    200: {
      ...JsonResponse(AccountSchedule, 'The schedule.', { schedule: AccountSchedule.examples[0] }),
      ...SCHEDULE_VERSIONS.ETAG_HEADERS,
    },
  },
  errors: [
    errorResponse('You cannot post to an account with this id, or it has no schedule.', [
      'account_not_found',
      errorOf('schedule_not_found', AccountPath.properties.id.examples[0]),
    ]),
  ],
  sdk: 'accounts.getSchedule',
})
