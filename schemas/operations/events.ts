import { codeHeader, commonErrors, errorResponse, invalidRequestResponse } from '../error.ts'
import { errorOf } from '../errors.ts'
import { Event } from '../event.ts'
import { EventList, EventPath, ExpiredCursor, ListEventsQuery } from '../list-events.ts'
import { OTHER_EVENTS_CURSOR } from '../messages.ts'
import { JsonResponse, Ref } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const [LIST] = EventList.examples
const [EXPIRED] = ExpiredCursor.examples

const VISIBLE = `A key sees the events that its scopes allow: of posts and deliveries with \`posts:read\`, of accounts with \`accounts:read\`, of keys with \`keys:manage\`. A key that is limited to accounts sees events all of whose accounts are in its list.`

export const listEvents = defineOperation({
  method: 'GET',
  url: '/events',
  scope: null,
  takesAccountLists: true,
  schema: {
    operationId: 'listEvents',
    tags: ['events'],
    summary: 'List events',
    description: `Returns a page of your events. Send \`nextCursor\` as \`after\` to get the next page: you get every event once. Store the cursor when you have processed a page, and continue from it after a crash.

With \`wait\`, the request waits for the next event. One loop of such requests tells your program of each event less than a second after it happened.

**Order:** the events of one delivery are in the order in which they happened. Events of different deliveries are in the order in which they were recorded. Events are kept for 30 days, unless the operator has set another time; a cursor from before that is a 410.

${VISIBLE}

A request looks at up to 1,000 events, so that it is fast however many there are.`,
    querystring: ListEventsQuery,
    response: {
      200: JsonResponse(EventList, 'One page of your events.', { page: LIST }),
      400: invalidRequestResponse('A parameter is malformed, or `after` is not a cursor of your events.', {
        otherCursor: OTHER_EVENTS_CURSOR,
        waitTooLong: {
          ...{ code: 'too_big', type: 'number', maximum: 20, inclusive: true, path: ['wait'] },
          message: 'Number must be less than or equal to 20',
        },
      }),
      403: errorResponse('The key lacks the scope for a type in `types`.', {
        missingScope: errorOf('insufficient_scope', 'keys:manage'),
      }),
      410: {
        ...Ref(ExpiredCursor, {
          description: 'Events after the cursor are no longer kept.',
          'x-examples': { expired: { summary: 'cursor_expired', value: EXPIRED } },
        }),
        headers: codeHeader(['cursor_expired']),
      },
      ...commonErrors,
      429: errorResponse(
        'Too many requests, or too many of them wait for events in this process.',
        {
          tooManyWait: errorOf('too_many_waiting'),
          rateLimited: errorOf('rate_limited', 60),
          failedKeys: errorOf('too_many_failed_keys', 3),
        },
        {
          headers: {
            'Retry-After': { type: 'integer', description: 'After so many seconds, a request is possible again.' },
          },
        },
      ),
    },
  },
})

export const getEvent = defineOperation({
  method: 'GET',
  url: '/events/:id',
  scope: null,
  takesAccountLists: true,
  schema: {
    operationId: 'getEvent',
    tags: ['events'],
    summary: 'Get an event',
    description: `Returns one of your events. ${VISIBLE}`,
    params: EventPath,
    response: {
      200: JsonResponse(Event, 'The event.', { event: Event.examples[0] }),
      404: errorResponse('You have no event with this id, or it is no longer kept.', {
        notFound: errorOf('event_not_found'),
      }),
      ...commonErrors,
    },
  },
})
