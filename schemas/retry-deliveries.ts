import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { POST_ID } from './delivery.ts'
import { errorOf } from './errors.ts'
import { DELIVERIES_CURSOR, ListDeliveriesQuery } from './find.ts'
import { PlatformId } from './platform.ts'
import { Defaulted, Limit, NullableString, PAGE, Ref, StringEnum } from './shared.ts'

const { errorCode, accountId, accountTag, scheduledFrom, scheduledBefore, changedAfter } =
  ListDeliveriesQuery.properties

/** The states in which a delivery ends without all of its acts, or with an unknown outcome. */
const RETRIED_STATES = ['failed', 'cancelled', 'missed', 'unconfirmed', 'published'] as const

export const RETRY_DELIVERIES_EXAMPLES = {
  allThatFailed: {},
  ofOneAccount: { accountId: ACCOUNT_EXAMPLES[0].id, errorCode: 'unauthorized' },
  sinceAnOutage: { state: ['failed', 'missed'], platform: 'mastodon', changedAfter: '2026-11-22T09:30:00Z' },
}

export const RetryDeliveries = Type.Object(
  {
    state: Defaulted(
      Type.Array(StringEnum(RETRIED_STATES), {
        minItems: 1,
        description:
          'Deliveries in one of these states. `published` selects those with an `error`: only their first comment is missing. Default: `["failed"]`.',
      }),
      ['failed'],
    ),
    errorCode,
    accountId,
    accountTag,
    platform: Type.Optional(Ref(PlatformId)),
    scheduledFrom,
    scheduledBefore,
    changedAfter,
    limit: Defaulted(
      Limit({ description: `The maximum number of deliveries in the response. Default: ${PAGE.limitMax}.` }),
      PAGE.limitMax,
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: DELIVERIES_CURSOR,
        description: 'The `nextCursor` of the previous response, with the same filters. Leave it out to begin.',
      }),
    ),
  },
  {
    $id: 'RetryDeliveries',
    additionalProperties: false,
    description: 'Which deliveries are retried. Filters apply together. Unknown keys are rejected.',
    examples: Object.values(RETRY_DELIVERIES_EXAMPLES),
  },
)
export type RetryDeliveries = Static<typeof RetryDeliveries>

const deliveryKey = {
  postId: Type.String({ description: 'The id of the post.' }),
  accountId: Type.String({ description: 'The id of the account.' }),
}
const key = { postId: POST_ID, accountId: ACCOUNT_EXAMPLES[0].id }

const RetriedDelivery = Type.Object(deliveryKey, {
  $id: 'RetriedDelivery',
  description: 'A delivery that is due now.',
  examples: [key],
})

/** Why a cancelled delivery is left. No error of an operation, which retries it. */
export const RETRY_CANCELLED = { code: 'delivery_cancelled', message: 'Its owner cancelled the delivery' } as const

export const LeftDelivery = Type.Object(
  {
    ...deliveryKey,
    code: StringEnum(['delivery_cancelled', 'delivery_unconfirmed', 'media_deleted'], {
      description:
        'Why it was not retried, for programs. There may be others than these.\n\n- `delivery_cancelled`: its owner cancelled it after a call. Retry it with the filter `errorCode` `cancelled`, or by itself.\n- `delivery_unconfirmed`: it may have been published, and its network cannot be queried. Call `resolveDelivery`.\n- `media_deleted`: its post lacks a deleted file.',
    }),
    message: Type.String({ description: 'The reason in words, for people.' }),
  },
  {
    $id: 'LeftDelivery',
    description: 'A delivery that meets the filters and was not retried. It has not changed.',
    examples: [
      { ...key, code: 'delivery_unconfirmed', message: errorOf('delivery_unconfirmed').message },
      { ...key, ...RETRY_CANCELLED },
    ],
  },
)
export type LeftDelivery = Static<typeof LeftDelivery>

export const RetriedDeliveries = Type.Object(
  {
    retried: Type.Array(Ref(RetriedDelivery), { description: 'The deliveries that are due now.' }),
    left: Type.Array(Ref(LeftDelivery), { description: 'Those that were not retried, with the reason.' }),
    nextCursor: NullableString({
      description: 'The `cursor` of the next request. `null` where no more deliveries are to be looked at.',
    }),
  },
  {
    $id: 'RetriedDeliveries',
    description: 'The outcome of the deliveries that meet the filters.',
    examples: [{ retried: [key], left: [LeftDelivery.examples[0]], nextCursor: null }],
  },
)
export type RetriedDeliveries = Static<typeof RetriedDeliveries>
