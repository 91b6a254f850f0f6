import { codeHeader, errorResponse, invalidRequestResponse, rateLimitResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { VISIBLE } from '../../event.ts'
import { EventList, ExpiredCursor, ListEventsQuery } from '../../list-events.ts'
import { OTHER_EVENTS_CURSOR } from '../../messages.ts'
import { noOrganizationResponse } from '../../people.ts'
import { JsonResponse, Ref } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

const [LIST] = EventList.examples

const [EXPIRED] = ExpiredCursor.examples

export const listEvents = defineOperation({
  method: 'GET',
  path: '/events',
  scope: null,
  takesAccountLists: true,
  operationId: 'listEvents',
  tag: 'events',
  summary: 'List events',
  description: `Returns a page of your events. Send \`nextCursor\` as \`after\` to get the next page: you get every event once. Store the cursor when you have processed a page, and continue from it after a crash.

With \`wait\`, the request waits for the next event. One loop of such requests tells your program of each event less than a second after it happened.

**Order:** the events of one delivery are in the order in which they happened. Events of different deliveries are in the order in which they were recorded. Events are kept for 30 days, unless the operator has set another time; a cursor from before that is a 410.

${VISIBLE}

**All users:** with \`allUsers\`, a program that serves many customers reads the events of all of them in one loop, with a key that has the scope \`admin\` beside those of the events. The same holds: every event once, in an order that all such readers see, and the events of a user in the order of their \`position\`. Restarts of workers and transactions that end late skip none. An event of an account comes once for each user who may use it.

A request looks at up to 1,000 events, so that it is fast however many there are.`,
  query: ListEventsQuery,
  success: { 200: JsonResponse(EventList, 'One page of your events.', { page: LIST }) },
  errors: [
    invalidRequestResponse('A parameter is malformed, or `after` is not a cursor of your events.', {
      otherCursor: OTHER_EVENTS_CURSOR,
      waitTooLong: {
        code: 'too_big',
        type: 'number',
        maximum: 20,
        inclusive: true,
        path: ['wait'],
        message: 'Number must be less than or equal to 20',
      },
    }),
    errorResponse(
      'The key lacks the scope for a type in `types`, or `admin` for all users. Or it has no scope of any type of event.',
      [errorOf('insufficient_scope', 'keys:manage'), errorOf('insufficient_scope', 'admin')],
    ),
    noOrganizationResponse,
    {
      410: {
        ...Ref(ExpiredCursor, {
          description: 'Events after the cursor are no longer kept.',
          'x-examples': { expired: { summary: 'cursor_expired', value: EXPIRED } },
        }),
        headers: codeHeader(['cursor_expired']),
      },
    },
    rateLimitResponse('Too many requests, or too many of them wait for events in this process.', ['too_many_waiting']),
  ],
  sdk: 'events.list',
  tool: {
    title: 'List events',
    description:
      'Returns what has happened, oldest first: posts that were created, changed or settled, and deliveries that were published or failed. Pass nextCursor as after to read on, and wait to wait for the next event.',
  },
})
