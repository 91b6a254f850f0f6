import { type Static, Type } from '@sinclair/typebox'
import { EVENT_ID, EVENT_TYPES } from './event.ts'
import {
  Limit,
  NextCursor,
  NullableInteger,
  NullableString,
  Offset,
  PageQuery,
  Ref,
  StringEnum,
  UUID_PATTERN,
} from './shared.ts'

export const REDELIVERY_CURSOR = '^\\d{1,16}$'

/** Why an attempt failed. */
const WEBHOOK_ERRORS = {
  status: 'the receiver responded with a status other than 2xx',
  redirect: 'the receiver responded with a redirect, which is not followed',
  timeout: 'the receiver did not respond within 10 seconds',
  unreachable: 'no connection, or it broke before a response arrived',
  not_public: 'the host does not exist, or does not lead to the public internet',
  event_expired: 'the event is no longer kept',
} as const

export type WebhookErrorCode = keyof typeof WEBHOOK_ERRORS
const ERROR_NAMES = Object.keys(WEBHOOK_ERRORS) as WebhookErrorCode[]

const WEBHOOK_DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const

const errorList = Object.entries(WEBHOOK_ERRORS)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}.`)
  .join('\n')

const RESPONSE_EXAMPLE = { status: 503, body: 'try again later' }

const WebhookResponse = Type.Object(
  {
    status: Type.Integer({ description: 'The status of the response.' }),
    body: Type.String({ description: 'At most 1,024 bytes of its body.' }),
  },
  { $id: 'WebhookResponse', description: 'The response of a receiver.', examples: [RESPONSE_EXAMPLE] },
)

const WebhookDeliveryState = StringEnum(WEBHOOK_DELIVERY_STATES, {
  $id: 'WebhookDeliveryState',
  description:
    '`pending`: it waits for an attempt. `delivered`: the receiver responded 2xx. `failed`: ten attempts have failed, and there will be no other.',
  examples: ['delivered'],
})

const DELIVERY_EXAMPLE = {
  eventId: EVENT_ID,
  type: 'delivery.published',
  state: 'pending' as const,
  attempts: 1,
  queuedAt: '2026-11-23T08:04:10.118Z',
  attemptedAt: '2026-11-23T08:04:10.402Z',
  nextAttemptAt: '2026-11-23T08:04:15.610Z',
  durationMs: 212,
  response: RESPONSE_EXAMPLE,
  error: 'status' as const,
}

export const WebhookDelivery = Type.Object(
  {
    eventId: Type.String({ description: 'The id of the event, which is its `webhook-id`.' }),
    type: NullableString({ description: 'The type of the event. `null` if the event is no longer kept.' }),
    state: Ref(WebhookDeliveryState),
    attempts: Type.Integer({ description: 'The number of attempts since it was queued.' }),
    queuedAt: Type.String({ format: 'date-time', description: 'When it was queued, or queued again.' }),
    attemptedAt: NullableString({ format: 'date-time', description: 'When the last attempt began.' }),
    nextAttemptAt: NullableString({
      format: 'date-time',
      description: 'When the next attempt is due, at the earliest. `null` if there will be none.',
    }),
    durationMs: NullableInteger({ description: 'How long the last attempt took, in milliseconds.' }),
    response: Type.Union([Ref(WebhookResponse), Type.Null()], {
      description: 'The response to the last attempt. `null` if there was none.',
    }),
    error: Type.Union([StringEnum(ERROR_NAMES), Type.Null()], {
      description: `Why the last attempt failed; \`null\` if it did not. There may be others than these:\n\n${errorList}`,
    }),
  },
  {
    $id: 'WebhookDelivery',
    description: 'One event that is sent to one webhook.',
    examples: [DELIVERY_EXAMPLE],
  },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookDeliveryList = Type.Object(
  {
    data: Type.Array(Ref(WebhookDelivery), { description: 'The page, in descending order of event ids.' }),
    limit: Limit(),
    offset: Offset(),
    nextCursor: NextCursor(),
  },
  {
    $id: 'WebhookDeliveryList',
    description: 'One page of the deliveries of a webhook, with the paging that was applied.',
    examples: [{ data: [DELIVERY_EXAMPLE], limit: 25, offset: 0, nextCursor: null }],
  },
)
export type WebhookDeliveryList = Static<typeof WebhookDeliveryList>

export const ListWebhookDeliveriesQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(
    Type.Array(Ref(WebhookDeliveryState), {
      minItems: 1,
      description: 'Only deliveries in this state. May be repeated: `state=pending&state=failed`.',
    }),
  ),
  eventId: Type.Optional(
    Type.String({ pattern: UUID_PATTERN, description: 'Only the delivery of the event with this id.' }),
  ),
})
export type ListWebhookDeliveriesQuery = Static<typeof ListWebhookDeliveriesQuery>

const REDELIVERED_EVENTS_MAX = 100
export const REDELIVER_EXAMPLES = {
  sinceAnOutage: { from: '2026-11-21T03:00:00Z', onlyFailed: true },
  events: { eventIds: [EVENT_ID] },
}

export const RedeliverEvents = Type.Object(
  {
    eventIds: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: REDELIVERED_EVENTS_MAX,
        description: `The ids of up to ${REDELIVERED_EVENTS_MAX} events, delivered ones included. Either this or \`from\`.`,
      }),
    ),
    from: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Events from this time on, in RFC 3339, such as `failingSince` of the webhook.',
      }),
    ),
    before: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only events before this time, in RFC 3339. Needs `from`.' }),
    ),
    onlyFailed: Type.Optional(
      Type.Boolean({
        description:
          'With `from`. `true`: only events that were not delivered, because all attempts have failed, or because the webhook was disabled. Default: `true`.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: REDELIVERY_CURSOR,
        description: 'The `nextCursor` of the previous response, with the same `from` and `before`.',
      }),
    ),
  },
  {
    $id: 'RedeliverEvents',
    additionalProperties: false,
    // Not `oneOf`, of which client generators make several types. The operation checks it.
    not: { maxProperties: 0 },
    dependentSchemas: { eventIds: { maxProperties: 1 } },
    dependentRequired: { before: ['from'], onlyFailed: ['from'], cursor: ['from'] },
    description:
      'Which events are sent again: either `eventIds`, or `from` with what limits it. Unknown keys are rejected.',
    examples: Object.values(REDELIVER_EXAMPLES),
  },
)
export type RedeliverEvents = Static<typeof RedeliverEvents>

export const QueuedEvents = Type.Object(
  {
    queued: Type.Integer({ description: 'The number of events that are going to be sent now.' }),
    nextCursor: NullableString({
      description: 'The `cursor` of the next request. `null` where no more events are to be looked at.',
    }),
    reason: Type.Optional(
      Type.String({
        description: 'Why a request by time queued nothing, for people. Absent where it queued something.',
      }),
    ),
  },
  {
    $id: 'QueuedEvents',
    description: 'How many events were queued.',
    examples: [
      { queued: 1, nextCursor: null },
      { queued: 0, nextCursor: null, reason: 'There are no events in this time, or they are no longer kept' },
    ],
  },
)
export type QueuedEvents = Static<typeof QueuedEvents>

export const TEST_WEBHOOK_EXAMPLES = { test: {}, sample: { type: 'delivery.published' } }

const SampleType = StringEnum(EVENT_TYPES, {
  $id: 'SampleType',
  description:
    'Sends the example of this type, with ids of nothing. Leave it out to send a `webhook.test`, which is what the event stream shows in either case.',
  examples: ['delivery.published'],
})

export const TestWebhook = Type.Object(
  {
    type: Type.Optional(Ref(SampleType)),
  },
  {
    $id: 'TestWebhook',
    additionalProperties: false,
    description: 'What is sent as a test. Unknown keys are rejected.',
    examples: Object.values(TEST_WEBHOOK_EXAMPLES),
  },
)
export type TestWebhook = Static<typeof TestWebhook>
