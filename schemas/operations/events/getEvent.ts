import { errorResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { Event, VISIBLE } from '../../event.ts'
import { EventPath, GetEventQuery } from '../../list-events.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getEvent = defineOperation({
  method: 'GET',
  path: '/events/:id',
  scope: null,
  takesAccountLists: true,
  operationId: 'getEvent',
  tag: 'events',
  summary: 'Get an event',
  description: `Returns one of your events. ${VISIBLE} The id of the example is that of no event: use one from \`listEvents\`.`,
  params: EventPath,
  query: GetEventQuery,
  success: { 200: JsonResponse(Event, 'The event.', { event: Event.examples[0] }) },
  errors: [
    errorResponse('The key may see no type of event, or lacks the scope `admin` for the events of all users.', [
      errorOf('insufficient_scope', 'posts:read'),
      errorOf('insufficient_scope', 'admin'),
    ]),
    errorResponse('You have no event with this id, or it is no longer kept.', ['event_not_found']),
  ],
  sdk: 'events.get',
})
