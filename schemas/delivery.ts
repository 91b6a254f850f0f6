import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { Nullable, NullableInteger, NullableString, Ref, StringEnum } from './shared.ts'

export const POST_ID = '0196f0b2-81d4-7e6f-8a15-c07d2e9b4f63'
const [{ id: ACCOUNT_ID }] = ACCOUNT_EXAMPLES

const time = (description: string) => Type.String({ format: 'date-time', description })

export const DELIVERY_STATES = [
  'waiting',
  'queued',
  'publishing',
  'published',
  'failed',
  'unconfirmed',
  'missed',
] as const

export const DeliveryState = StringEnum(DELIVERY_STATES, {
  $id: 'DeliveryState',
  description:
    '`waiting`: the post is a draft. `queued`: it goes out at `nextAttemptAt`. `publishing`: it is being sent. `published`: it is out; an `error` beside it is that of its first comment. `failed`: it is not out, or not all of it, and is not tried again by itself. `unconfirmed`: it may be out, and the network cannot be asked: look there, and say so with `resolveDelivery`. `missed`: it would have been too late, and what is not out yet is not sent by itself.',
  examples: ['published'],
})
export type DeliveryState = Static<typeof DeliveryState>

/** The code of what can no longer be sent as its owner has written it. */
export const MEDIA_DELETED = 'media_deleted'

export const DeliveryError = Type.Object(
  {
    code: Type.String({
      description:
        'What kind of failure it was, for programs: `rate_limited`, `unauthorized`, `content_refused`, `unreachable`, `timeout`, `disconnected`, `server_error`, `unexpected_answer`, `media_unreadable`, `media_deleted`, `not_connected`, `not_supported`, `no_access`, `credentials_unreadable`, `interrupted`, `unknown_outcome`, `not_published`, `parent_unknown`, `too_late`, `internal_error`. There may be others.',
    }),
    message: Type.String({ description: 'The failure in words: the network’s own where it has some.' }),
    retryable: Type.Boolean({
      description: 'Whether the same may succeed later, without anybody changing anything.',
    }),
  },
  {
    $id: 'DeliveryError',
    description: 'Why something did not get to its network.',
    examples: [{ code: 'unauthorized', message: 'mastodon.social: The access token is invalid', retryable: false }],
  },
)
export type DeliveryError = Static<typeof DeliveryError>

export const ATTEMPT_OUTCOMES = [
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
    number: Type.Integer({ description: 'Which attempt of this delivery it was, from 1.' }),
    act: Type.Integer({
      description:
        'What it was to send: 1 is the post or the first part of its thread, then come the other parts, then the first comment.',
    }),
    startedAt: time('When it began, with uploads and the like.'),
    intendedAt: nullableTime(
      'When the call that makes it visible was about to be made; `null` if it did not get there.',
    ),
    finishedAt: nullableTime(
      'When it was over, also where its outcome was found out later; `null` while it is under way.',
    ),
    outcome: Nullable(StringEnum(ATTEMPT_OUTCOMES), {
      description:
        '`published`: the network has it. `failed`: the network certainly did not take it. `unknown`: there was no answer. `found`, `absent`: there was none, and the network, asked later, had it or did not. `said_published`, `said_not_published`: there was none, and its owner looked. `null` while it is under way.',
    }),
    error: NullableDeliveryError('What went wrong, or `null`.'),
  },
  {
    $id: 'DeliveryAttempt',
    description: 'One attempt to make something visible on a network.',
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
    externalId: NullableString({ description: 'The network’s own id; `null` if only its owner has seen it there.' }),
    externalUrl: NullableString({ description: 'Where people see it; `null` if the network has no address for it.' }),
  },
  {
    $id: 'PublishedAct',
    description: 'Something that exists on a network.',
    examples: [
      {
        externalId: 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3mbzyl2u5xk2a',
        externalUrl: 'https://bsky.app/profile/did:plc:ewvi7nxzyoun6zhxrhs64oiz/post/3mbzyl2u5xk2a',
      },
    ],
  },
)
export type PublishedAct = Static<typeof PublishedAct>

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
    attempts: Type.Integer({ description: 'How many attempts there were, those at each part and comment counted.' }),
    nextAttemptAt: nullableTime('When the next attempt is due; `null` if none is.'),
    publishedAt: nullableTime('When the post, or the first part of its thread, was out; `null` if it is not.'),
    latenessMs: NullableInteger({
      description:
        'How many milliseconds after its time it was out, counted from when it was written if that was later; `null` if it is not out.',
    }),
    externalId: NullableString({
      description: 'The network’s own id of the post, or of the first part of its thread; `null` if there is none.',
    }),
    externalUrl: NullableString({ description: 'Where people see it; `null` if it is not out, or has no address.' }),
    acts: Type.Array(Ref(PublishedAct), {
      description: 'All that is out, in order: the post or the parts of its thread, then the first comment.',
    }),
    error: NullableDeliveryError('What went wrong last, if nothing has gone well since; else `null`.'),
    history: Type.Array(Ref(DeliveryAttempt), { description: 'Every attempt, the first one first.' }),
  },
  { $id: 'Delivery', description: 'What became of a post on one account.', examples: [delivery] },
)
export type Delivery = Static<typeof Delivery>

export const RESOLVE_EXAMPLES = {
  published: { outcome: 'published', url: 'https://t.me/lighthouses/17' },
  notPublished: { outcome: 'not_published' },
}

export const ResolveDelivery = Type.Object(
  {
    outcome: StringEnum(['published', 'not_published'], {
      description: '`published`: it is on the network. `not_published`: it is not; it can then be retried.',
    }),
    url: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Where people see it, if it is published: an http(s) address.' }),
    ),
  },
  {
    $id: 'ResolveDelivery',
    additionalProperties: false,
    description: 'What you have seen on the network.',
    examples: Object.values(RESOLVE_EXAMPLES),
  },
)
export type ResolveDelivery = Static<typeof ResolveDelivery>

export const DeliveryPath = Type.Object({
  id: Type.String({ description: 'The id of the post, as the list shows it.', examples: [POST_ID] }),
  accountId: Type.String({ description: 'The id of one of its accounts.', examples: [ACCOUNT_ID] }),
})
export type DeliveryPath = Static<typeof DeliveryPath>
