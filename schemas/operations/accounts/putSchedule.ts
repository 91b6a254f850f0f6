import { ACCOUNT_EXAMPLES, AccountPath } from '../../account.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { BAD_IF_MATCH_EXAMPLE, SCHEDULE_VERSIONS } from '../../precondition.ts'
import { AccountSchedule, PutSchedule, SCHEDULE_EXAMPLES } from '../../schedule.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const putSchedule = defineOperation({
  method: 'PUT',
  path: '/accounts/:id/schedule',
  scope: 'posts:publish',
  takesAccountLists: true,
  operationId: 'putSchedule',
  tag: 'accounts',
  summary: 'Set the schedule of an account',
  description: `Stores the times of the week at which queued posts are published to the account, in place of those before. Everybody who may post to the account shares them: send the \`ETag\` of the schedule that you have seen as \`If-Match\`, so that you replace no change of somebody else.

**Slots.** A slot is a weekday and a time on the clocks of \`timeZone\`: it stays at that time when the clocks change. Where the clocks skip the time, the slot is the first instant after the gap, and slots that fall together are one. Where they show it twice, the slot is the first of the two. A date in \`skip\` has no slots.

**Posts that are scheduled stay.** A change of the schedule moves none of them: \`rearrangeSchedule\` does. A change is the event \`account.updated\`.`,
  params: AccountPath,
  headers: SCHEDULE_VERSIONS.IfMatchHeaders,
  body: Body(PutSchedule, SCHEDULE_EXAMPLES),
  success: {
    200: {
      ...JsonResponse(AccountSchedule, 'The schedule is stored.', { schedule: AccountSchedule.examples[0] }),
      ...SCHEDULE_VERSIONS.ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse(
      'The body does not match its schema, or has a time zone or a date that does not exist; or `If-Match` is malformed.',
      {
        ...BAD_IF_MATCH_EXAMPLE,
        unknownZone: {
          code: 'custom',
          path: ['timeZone'],
          message: "Unknown time zone 'Europe/Berln': use a name such as Europe/Berlin",
        },
        repeatedSlot: { code: 'custom', path: ['slots', 1], message: 'Repeats an earlier item: monday 09:30' },
      },
    ),
    errorResponse('You cannot post to an account with this id, or `If-Match` was sent and it has no schedule.', [
      'account_not_found',
      errorOf('schedule_not_found', ACCOUNT_EXAMPLES[0].id),
    ]),
  ],
  sdk: 'accounts.putSchedule',
})
