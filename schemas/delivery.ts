import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES, SANDBOX_ACCOUNT_ID } from './account.ts'
import { DeliveryCost } from './cost.ts'
import { DELIVERY_ERRORS } from './delivery-errors.ts'
import { DELIVERY_STATES } from './delivery-states.ts'
import { Dictionary, Nullable, NullableInteger, NullableString, Ref, StringEnum, WebAddress } from './shared.ts'

export const POST_ID = '0196f0b2-81d4-7e6f-8a15-c07d2e9b4f63'
const [{ id: ACCOUNT_ID }] = ACCOUNT_EXAMPLES

const time = (description: string) => Type.String({ format: 'date-time', description })

export const DeliveryState = StringEnum(DELIVERY_STATES, {
  $id: 'DeliveryState',
  description:
    '- `waiting`: the post is a draft.\n- `queued`: the next attempt is due at `nextAttemptAt`.\n- `publishing`: a worker is sending it.\n- `published`: the post is published. An `error` beside this state is that of its first comment, thumbnail or playlist.\n- `failed`: the post, or the rest of its thread, was not published and is not retried automatically.\n- `cancelled`: you cancelled the delivery before the post, or the rest of its thread, was published. Nothing more is sent until you retry it.\n- `unconfirmed`: the post may have been published, and the network cannot tell, or was not queried because you cancelled the delivery. Check the network, then call `resolveDelivery`.\n- `missed`: the delivery was due for longer than the service allows, 24 hours by default, or the operator holds it back. The rest of it is not sent automatically.\n- `removing`: a worker takes down what is published, from the last act to the first. The next attempt is due at `nextAttemptAt`.\n- `removed`: it was taken down, and the network has confirmed that it is gone.\n- `remove_failed`: it could not be taken down, and is not tried again automatically. All acts without `removedAt` are still there.',
  examples: ['published'],
})
export type DeliveryState = Static<typeof DeliveryState>

/** The code of a delivery that has failed and lacks a file of its post, so that it cannot be retried. */
export const MEDIA_DELETED = 'media_deleted'

/**
 * The code of the error of a delivery that its owner has cancelled, also where the state is `unconfirmed` or
 * `published`.
 */
export const CANCELLED = 'cancelled'

export const DeliveryError = Type.Object(
  {
    code: Type.String({
      description: `The kind of failure, for programs. There may be others than these.\n\n${Object.entries(
        DELIVERY_ERRORS,
      )
        .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
        .join('\n')}`,
    }),
    message: Type.String({
      description: 'The failure in words, for people. Where the network gave a reason, these are its words.',
    }),
    retryable: Type.Boolean({
      description: 'Whether the same attempt may succeed later without any change.',
    }),
  },
  {
    $id: 'DeliveryError',
    description: 'Why an attempt failed.',
    examples: [{ code: 'unauthorized', message: 'mastodon.social: The access token is invalid', retryable: false }],
  },
)
export type DeliveryError = Static<typeof DeliveryError>

const ATTEMPT_OUTCOMES = [
  'published',
  'failed',
  'unknown',
  'found',
  'absent',
  'said_published',
  'said_not_published',
] as const

const nullableTime = (description: string) => NullableString({ format: 'date-time', description })
const NullableDeliveryError = (description: string) => Nullable(Ref(DeliveryError), { description })

export const DeliveryAttempt = Type.Object(
  {
    number: Type.Integer({ description: 'The number of the attempt within the delivery, from 1.' }),
    act: Type.Integer({
      description:
        'The number of the act that was attempted: 1 is the post or the first part of its thread, followed by the other parts, then the first comment, the thumbnail and the playlist.',
    }),
    startedAt: time('When the attempt began, including uploads.'),
    intendedAt: nullableTime(
      'When the call that makes the act visible was about to be made. `null` where the attempt ended before it.',
    ),
    finishedAt: nullableTime('When the outcome was known, which may be after the attempt. `null` while it is open.'),
    outcome: Nullable(StringEnum(ATTEMPT_OUTCOMES), {
      description:
        '- `published`: the network accepted the act.\n- `failed`: the network certainly did not accept it.\n- `unknown`: the response was lost.\n- `found`, `absent`: the response was lost, and the network showed later that the act exists or does not.\n- `said_published`, `said_not_published`: the response was lost, and the owner called `resolveDelivery`.\n- `null`: the attempt is open.',
    }),
    error: NullableDeliveryError('Why the attempt failed, or `null`.'),
  },
  {
    $id: 'DeliveryAttempt',
    description: 'One attempt to make one act visible on a network.',
    examples: [
      {
        number: 1,
        act: 1,
        startedAt: '2027-01-15T09:30:00.112Z',
        intendedAt: '2027-01-15T09:30:00.240Z',
        finishedAt: '2027-01-15T09:30:00.655Z',
        outcome: 'published',
        error: null,
      },
    ],
  },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const PublishedAct = Type.Object(
  {
    externalId: NullableString({
      description: 'The id on the network. `null` where it is not known, such as after `resolveDelivery`.',
    }),
    externalUrl: NullableString({ description: 'The public address. `null` where the network has none.' }),
    removedAt: Type.Optional(time('When it was removed from the network. Absent where it was not.')),
  },
  {
    $id: 'PublishedAct',
    description:
      'A post, a part of a thread, a first comment, a thumbnail or a playlist item that exists on a network, or did.',
    examples: [
      {
        externalId: 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3mbzyl2u5xk2a',
        externalUrl: 'https://bsky.app/profile/did:plc:ewvi7nxzyoun6zhxrhs64oiz/post/3mbzyl2u5xk2a',
      },
    ],
  },
)
export type PublishedAct = Static<typeof PublishedAct>

export const DeliveryEdit = Type.Object(
  {
    state: StringEnum(['pending', 'failed'], {
      description:
        '- `pending`: a worker edits the post, or tries again after `error`.\n- `failed`: it could not be edited, and is not tried again automatically. After an error that leaves the outcome open, such as `timeout`, the network may show the new text.',
    }),
    text: NullableString({
      description:
        'The new text. `null` where the database of the service was restored from a backup from before the edit.',
    }),
    fields: Nullable(Dictionary(Type.Unknown()), {
      description: 'All `fields` of the post after the edit. `null` where it has none, or they are not known.',
    }),
    error: NullableDeliveryError('Why the last attempt failed. `null` where none has.'),
  },
  {
    $id: 'DeliveryEdit',
    description: 'An edit by `editDelivery` that is under way, or has failed.',
    examples: [{ state: 'pending', text: 'We are live, and the doors are open.', fields: null, error: null }],
  },
)
export type DeliveryEdit = Static<typeof DeliveryEdit>

const delivery = {
  state: 'published',
  attempts: 1,
  nextAttemptAt: null,
  publishedAt: '2027-01-15T09:30:00.655Z',
  latenessMs: 655,
  ...PublishedAct.examples[0],
  acts: PublishedAct.examples,
  error: null,
  history: DeliveryAttempt.examples,
}

export const Delivery = Type.Object(
  {
    state: Ref(DeliveryState),
    attempts: Type.Integer({ description: 'The number of attempts, counted over all acts of the delivery.' }),
    nextAttemptAt: nullableTime('When the next attempt is due. `null` where none is planned.'),
    publishedAt: nullableTime(
      'When the post, or the first part of its thread, was published. `null` where it was not.',
    ),
    latenessMs: NullableInteger({
      description:
        'The milliseconds from the later of `scheduledAt`, of the account or else of the post, and `createdAt` to `publishedAt`. `null` where the post is not published.',
    }),
    externalId: NullableString({
      description: 'The id on the network of the post, or of the first part of its thread. `null` if it has none.',
    }),
    externalUrl: NullableString({
      description: 'The public address of the post. `null` where it is not published or has no address.',
    }),
    acts: Type.Array(Ref(PublishedAct), {
      description:
        'The published acts, also those that were removed since, in order: the post or the parts of its thread, then the first comment, then the thumbnail and the playlist. One that has failed is not listed; its error is in `history`.',
    }),
    error: NullableDeliveryError(
      'The last error. `null` where there was none, or where an act succeeded after it, unless what failed was left out.',
    ),
    edit: Type.Optional(
      Ref(DeliveryEdit, {
        description:
          'The edit that is under way, or has failed. Absent otherwise: then the content of the post is what was sent to the network last.',
      }),
    ),
    goneAt: Type.Optional(
      time(
        'Since when the network does not show the post any more: somebody has deleted or hidden it there, or the network has. Two readings, at least 10 minutes apart, have not found it. Absent while it is shown, and where nothing is read: see `checkDelivery`.',
      ),
    ),
    cost: Type.Optional(
      Ref(DeliveryCost, { description: 'What the acts have cost. Absent where none has cost anything.' }),
    ),
    history: Type.Array(Ref(DeliveryAttempt), {
      description:
        'All attempts, oldest first. An attempt that was interrupted before its visible call is not listed, because nothing was sent. Once the delivery is over, attempts are removed after a time that the operator sets, 90 days by default.',
    }),
  },
  { $id: 'Delivery', description: 'The delivery of a post to one account.', examples: [delivery] },
)
export type Delivery = Static<typeof Delivery>

export const RESOLVE_EXAMPLES = {
  published: { outcome: 'published', url: 'https://t.me/lighthouses/17' },
  notPublished: { outcome: 'not_published' },
}

export const ResolveDelivery = Type.Object(
  {
    outcome: StringEnum(['published', 'not_published'], {
      description:
        '`published`: the post is on the network. `not_published`: it is not, and the delivery can then be retried.',
    }),
    url: Type.Optional(
      WebAddress({ maxLength: 2048, description: 'The public http(s) address of the post. Only with `published`.' }),
    ),
  },
  {
    $id: 'ResolveDelivery',
    additionalProperties: false,
    description: 'What you found on the network. Unknown keys are rejected.',
    examples: Object.values(RESOLVE_EXAMPLES),
  },
)
export type ResolveDelivery = Static<typeof ResolveDelivery>

export const MARK_EXAMPLES = {
  withUrl: { url: 'https://bsky.app/profile/ada.example.com/post/3mbzyl2u5xk2a' },
  withoutUrl: {},
}

export const MarkPublished = Type.Object(
  {
    url: Type.Optional(
      WebAddress({
        maxLength: 2048,
        description: 'The public http(s) address of what you published: of a post, on the network of the account.',
      }),
    ),
  },
  {
    $id: 'MarkPublished',
    additionalProperties: false,
    description: 'What you published by hand. Unknown keys are rejected.',
    examples: Object.values(MARK_EXAMPLES),
  },
)
export type MarkPublished = Static<typeof MarkPublished>

/** Posts of the demo whose delivery to the sandbox is published, has failed, or is unconfirmed. */
export const PUBLISHED_POST_ID = '0196f0b4-2c16-7d81-a4c2-9e05b7f31d68'
export const FAILED_POST_ID = '0196f0b4-2c17-7a3e-9d50-6b81f2e4c7a9'
export const UNCONFIRMED_POST_ID = '0196f0b4-2c18-7f02-8b64-13d9a5c07e2f'

export const DeliveryPath = Type.Object({
  id: Type.String({
    description: 'The id of the post, from `listPosts` or from the response that created it.',
    examples: [POST_ID],
  }),
  accountId: Type.String({ description: 'The id of one of the accounts of the post.', examples: [ACCOUNT_ID] }),
})
export type DeliveryPath = Static<typeof DeliveryPath>

/** The path of a delivery to the sandbox, for operations that need one in another state than that of `POST_ID`. */
export const sandboxDeliveryPath = (postId: string) =>
  Type.Object({
    id: { ...DeliveryPath.properties.id, examples: [postId] },
    accountId: { ...DeliveryPath.properties.accountId, examples: [SANDBOX_ACCOUNT_ID] },
  })
