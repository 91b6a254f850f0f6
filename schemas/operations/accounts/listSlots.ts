import { AccountPath } from '../../account.ts'
import { errorResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { ListSlotsQuery, SlotList } from '../../schedule.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listSlots = defineOperation({
  method: 'GET',
  path: '/accounts/:id/slots',
  scope: 'accounts:read',
  takesAccountLists: true,
  operationId: 'listSlots',
  tag: 'accounts',
  summary: 'List the next slots of an account',
  description: `Returns the next times of the schedule of an account, and which posts take them. A post that somebody has scheduled in the same minute takes a slot, too. The id of a post is there only for your own posts, and with an API key that has \`posts:read\` and lists all their accounts.

The list is no reservation. To go on, send the last \`scheduledAt\` plus a minute as \`from\`.`,
  params: AccountPath,
  query: ListSlotsQuery,
  success: { 200: JsonResponse(SlotList, 'The slots.', { slots: SlotList.examples[0] }) },
  errors: [
    errorResponse('You cannot post to an account with this id, or it has no schedule.', [
      'account_not_found',
      errorOf('schedule_not_found', AccountPath.properties.id.examples[0]),
    ]),
  ],
  sdk: 'accounts.slots',
  tool: {
    title: 'List the next slots of an account',
    description: 'Lists the next times at which queued posts are published to an account, and which posts take them.',
  },
})
