import { type Static, Type } from '@sinclair/typebox'
import { errorOf } from './errors.ts'
import { EVENT_ID, EVENT_TYPES, EVENTS, Event, type EventGroup, type EventType } from './event.ts'
import { Defaulted, Limit, PAGE, Ref, StringEnum, UUID_PATTERN } from './shared.ts'

/** Longest wait for an event, in seconds. Proxies commonly close a connection after 30 or 60 seconds without a byte. */
const WAIT_MAX = 20

const GROUPS = [...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*` as EventGroup))]

/** A type of event, or all types of a group, such as `delivery.*`. */
const EVENT_PATTERNS = [...EVENT_TYPES, ...GROUPS]

/** The types that a pattern stands for. */
export const expandPattern = (pattern: string): EventType[] =>
  EVENT_TYPES.filter((type) => type === pattern || pattern === `${type.split('.')[0]}.*`)

export const EVENTS_CURSOR = '^(?:now|[A-Za-z0-9_-]{10,120})$'
const EXAMPLE_CURSOR = 'WzEsIlRhMlBRNWZLIiw0MiwiZjgwYjdjMWU5NTQiXQ'

export const ListEventsQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      pattern: EVENTS_CURSOR,
      description:
        'The `nextCursor` of the previous page; `now` for what happens from now on. Leave it out to begin with the oldest event that is kept. A cursor stays valid with other filters.',
    }),
  ),
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Begin with the events that were recorded at this time or later, in RFC 3339. Some that happened shortly before may come first. Cannot be combined with `after`.',
    }),
  ),
  types: Type.Optional(
    Type.Array(StringEnum(EVENT_PATTERNS), {
      description:
        'Only events of this type, or of a group such as `delivery.*`. May be repeated: `types=delivery.failed&types=post.settled`.',
    }),
  ),
  postId: Type.Optional(Type.String({ pattern: UUID_PATTERN, description: 'Only events of the post with this id.' })),
  accountId: Type.Optional(
    Type.String({ pattern: UUID_PATTERN, description: 'Only events that concern the account with this id.' }),
  ),
  allUsers: Type.Optional(
    Type.Boolean({
      description:
        '`true`: the events of all users, each with its `userId`, for a key with the scope `admin`. Their cursors belong to this stream alone. Default: false.',
    }),
  ),
  organizationId: Type.Optional(
    Type.String({
      pattern: UUID_PATTERN,
      description:
        'Of the events of all users, only those of accounts that belong to this organisation, and of posts all of whose accounts do. Implies `allUsers`.',
    }),
  ),
  limit: Defaulted(
    Limit({
      default: PAGE.limitDefault,
      examples: [PAGE.limitDefault],
      description: `The maximum number of events on the page: 1 to ${PAGE.limitMax}. Default: ${PAGE.limitDefault}.`,
    }),
    PAGE.limitDefault,
  ),
  wait: Defaulted(
    Type.Integer({
      minimum: 0,
      maximum: WAIT_MAX,
      default: 0,
      examples: [0],
      description: `How many seconds to wait for an event if none has happened yet: 0 to ${WAIT_MAX}. Default: 0. The response comes with the first event, or with an empty page when the time is over, or when a user with fewer waiting requests needs the place.`,
    }),
    0,
  ),
})
export type ListEventsQuery = Static<typeof ListEventsQuery>

export const EventList = Type.Object(
  {
    data: Type.Array(Ref(Event), { description: 'The page, in the order of `position`.' }),
    nextCursor: Type.String({
      description: 'The `after` of the next page. It is never `null`: use it again when more has happened.',
    }),
    hasMore: Type.Boolean({
      description:
        'Whether there are more events already. With filters, a page may be empty, although this is `true`: read on.',
    }),
  },
  {
    $id: 'EventList',
    description: 'One page of events.',
    examples: [{ data: [...EVENTS[4].examples], nextCursor: EXAMPLE_CURSOR, hasMore: false }],
  },
)
export type EventList = Static<typeof EventList>

export const ExpiredCursor = Type.Object(
  {
    error: Type.String({ description: 'The error in words, for people.' }),
    oldest: Type.String({ description: 'The `after` of a request for the oldest events that are kept.' }),
  },
  {
    $id: 'ExpiredCursor',
    description: 'The events after a cursor are no longer kept.',
    examples: [{ error: errorOf('cursor_expired').message, oldest: EXAMPLE_CURSOR }],
  },
)

export const GetEventQuery = Type.Object({
  allUsers: Type.Optional(
    Type.Boolean({
      description: '`true`: an event of any user, with its `userId`, for a key with the scope `admin`. Default: false.',
    }),
  ),
})
export type GetEventQuery = Static<typeof GetEventQuery>

export const EventPath = Type.Object({
  id: Type.String({ description: 'The id of the event.', examples: [EVENT_ID] }),
})
