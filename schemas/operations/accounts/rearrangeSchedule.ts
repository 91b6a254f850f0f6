import { ACCOUNT_EXAMPLES, AccountPath } from '../../account.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf, QUEUE_MOVES_MAX } from '../../errors.ts'
import { BAD_IF_MATCH_EXAMPLE, SCHEDULE_VERSIONS } from '../../precondition.ts'
import { RearrangedQueue } from '../../schedule.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { QUEUE_ERRORS } from '../posts/queue.ts'

const [WITHOUT_SLOTS, FULL, , TOO_LONG] = QUEUE_ERRORS

export const rearrangeSchedule = defineOperation({
  method: 'POST',
  path: '/accounts/:id/schedule/rearrange',
  scope: 'posts:publish',
  takesAccountLists: true,
  operationId: 'rearrangeSchedule',
  tag: 'accounts',
  summary: 'Move queued posts to the slots of a schedule',
  description: `Moves the queued posts of an account to the first free slots of its schedule, in the order of their times. It closes gaps, and moves posts out of times that are no longer slots. Call it after \`putSchedule\`, which moves none. A body is ignored.

**All or none.** If there are fewer slots than posts, or more than ${QUEUE_MOVES_MAX} posts in the queue, the response is 409 and nothing moves. A post that moves has another \`ETag\`, and is the event \`post.updated\`. Repeating the request moves nothing.

**Posts that stay.** Only posts are moved that you may change, and that have not begun. The section *Slots* of the tag *posts* lists the others. They keep their slots, and so do posts that are scheduled by hand.

Send the \`ETag\` of the schedule that you have seen as \`If-Match\`, so that posts do not move to the slots of somebody else's change.`,
  params: AccountPath,
  headers: SCHEDULE_VERSIONS.IfMatchHeaders,
  success: {
    200: {
      ...JsonResponse(RearrangedQueue, 'The posts are in the slots of the schedule.', {
        queue: RearrangedQueue.examples[0],
      }),
      ...SCHEDULE_VERSIONS.ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse('`If-Match` is malformed.', BAD_IF_MATCH_EXAMPLE),
    errorResponse('You cannot post to an account with this id, or it has no schedule.', [
      'account_not_found',
      errorOf('schedule_not_found', ACCOUNT_EXAMPLES[0].id),
    ]),
    errorResponse('The posts get no slots. Nothing was moved.', [WITHOUT_SLOTS!, FULL!, TOO_LONG!]),
  ],
  sdk: 'accounts.rearrangeSchedule',
})
