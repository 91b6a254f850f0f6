import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { MEDIA_ID } from './media.ts'
import { PlatformId, PostType } from './platform.ts'
import {
  Defaulted,
  Dictionary,
  Limit,
  NextCursor,
  Nullable,
  NullableInteger,
  NullableString,
  Offset,
  Ref,
  StringEnum,
} from './shared.ts'

const POST_ID = '0196f0b2-81d4-7e6f-8a15-c07d2e9b4f63'
const [{ id: ACCOUNT_ID }, { id: OTHER_ACCOUNT_ID }] = ACCOUNT_EXAMPLES

export const POST_STATUSES = ['draft', 'scheduled', 'published'] as const

export const PostStatus = StringEnum(POST_STATUSES, {
  $id: 'PostStatus',
  description: '`draft` has no time, `scheduled` waits for its time, `published` is out and can no longer be deleted.',
  examples: ['scheduled'],
})
export type PostStatus = Static<typeof PostStatus>

export const AccountOverride = Type.Object(
  {
    accountId: Type.String({
      description: 'The account that this is for: one of the `accountIds` of the post. Each may have one override.',
    }),
    captionOverride: Type.Optional(
      NullableString({
        description:
          'The caption for this account, in place of the default one. `null` or nothing keeps the default; an empty string is an empty caption.',
      }),
    ),
    fields: Type.Optional(
      Dictionary(Type.Unknown(), {
        description:
          'What only the network of this account knows: `boardId` on Pinterest, `subreddit` on Reddit, `title` on YouTube, and so on. Keys that the network knows have to have the right type; others are kept as they are. At most 32 levels deep.',
      }),
    ),
  },
  {
    $id: 'AccountOverride',
    additionalProperties: false,
    description: 'What is different about the post for one of its accounts.',
    examples: [{ accountId: ACCOUNT_ID, captionOverride: 'Hello, Bluesky!', fields: { langs: ['en'] } }],
  },
)
export type AccountOverride = Static<typeof AccountOverride>

export const CREATE_POST_EXAMPLES = {
  draft: { accountIds: [ACCOUNT_ID], caption: 'Hello from Postroom' },
  scheduled: {
    accountIds: [ACCOUNT_ID, OTHER_ACCOUNT_ID],
    caption: 'We are live.',
    firstComment: 'More in our blog.',
    mediaIds: [MEDIA_ID],
    accountOverrides: [{ accountId: ACCOUNT_ID, captionOverride: 'We are live, Bluesky!', fields: { langs: ['en'] } }],
    scheduledAt: '2027-01-15T09:30:00Z',
  },
  thread: {
    accountIds: [ACCOUNT_ID],
    postType: 'thread',
    threadParts: { [ACCOUNT_ID]: ['First, some context.', 'And now the news.'] },
    scheduledAt: '2027-01-15T10:30:00+01:00',
  },
}

export const CreatePost = Type.Object(
  {
    accountIds: Type.Array(Type.String(), {
      minItems: 1,
      description:
        'Where to publish: ids of accounts that `GET /api/v1/accounts` lists. An id that is repeated counts once.',
    }),
    caption: Defaulted(
      Type.String({ default: '', description: 'The text for every account that has no `captionOverride` of its own.' }),
    ),
    firstComment: Type.Optional(
      Type.String({
        description:
          'A comment to write under the post as soon as it is out. Refused where a network of the post has none.',
      }),
    ),
    postType: Defaulted(Ref(PostType, { default: 'post' })),
    mediaIds: Defaulted(
      Type.Array(Type.String(), {
        default: [],
        description: 'Ids of your own images and videos, in the order in which they shall appear.',
      }),
    ),
    accountOverrides: Defaulted(
      Type.Array(Ref(AccountOverride), {
        default: [],
        description: 'What is different for single accounts: at most one entry for each.',
      }),
    ),
    threadParts: Type.Optional(
      Nullable(Dictionary(Nullable(Type.Array(Type.String()))), {
        description:
          'With `postType` `thread`: the texts of the thread, by the id of the account they are for. On x, threads, bluesky, mastodon and the sandbox each text becomes one post of the chain; on linkedin and facebook there is one text, the whole. `null` for an account, or for all of them, means no texts.',
      }),
    ),
    scheduledAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When to publish: a date and time in RFC 3339 with `Z` or an offset such as `+02:00`, in the years 1970 to 9999. A time in the past means at once. Leave it out to keep the post as a draft.',
        examples: ['2027-01-15T09:30:00Z'],
      }),
    ),
  },
  {
    $id: 'CreatePost',
    additionalProperties: false,
    description: 'A post for one or more accounts. A key that is not listed here is refused.',
    examples: Object.values(CREATE_POST_EXAMPLES),
  },
)
export type CreatePost = Static<typeof CreatePost>

export const CreatedPost = Type.Object(
  {
    id: Type.String({ description: 'The id of the new post.' }),
    status: StringEnum(['draft', 'scheduled'], { description: '`scheduled` when a time was given, else `draft`.' }),
  },
  {
    $id: 'CreatedPost',
    description: 'The post that now exists.',
    examples: [
      { id: POST_ID, status: 'draft' },
      { id: POST_ID, status: 'scheduled' },
    ],
  },
)
export type CreatedPost = Static<typeof CreatedPost>

const time = (description: string) => Type.String({ format: 'date-time', description })

const post = {
  id: POST_ID,
  userId: '0196f09e-04b3-7d58-a2c9-6be1f80357da',
  caption: 'We are live.',
  firstComment: 'More in our blog.',
  postType: 'post',
  status: 'scheduled',
  scheduledAt: '2027-01-15T09:30:00.000Z',
  createdAt: '2026-11-21T08:15:30.123Z',
  updatedAt: '2026-11-21T08:15:30.123Z',
}

const draft = {
  ...post,
  id: '0196f0ae-7c15-7b38-9a60-2d84e1f7c539',
  caption: 'Hello from Postroom',
  firstComment: null,
  status: 'draft',
  scheduledAt: null,
  createdAt: '2026-11-20T17:02:11.480Z',
  updatedAt: '2026-11-20T17:02:11.480Z',
}

export const Post = Type.Object(
  {
    id: Type.String({ description: 'The id of the post. Newer posts have greater ones.' }),
    userId: Type.String({ description: 'The user who owns the post: the owner of the API key that wrote it.' }),
    caption: Type.String({
      description: 'The caption for every account that has none of its own; empty if none was given.',
    }),
    firstComment: NullableString({
      description: 'The comment to write under the post as soon as it is out, or `null`.',
    }),
    postType: Ref(PostType),
    status: Ref(PostStatus),
    scheduledAt: NullableString({
      format: 'date-time',
      description: 'When the post is due, in UTC with milliseconds; `null` for a draft.',
    }),
    createdAt: time('When the post was created, in UTC with milliseconds.'),
    updatedAt: time('When the post was last changed, in UTC with milliseconds.'),
  },
  { $id: 'Post', description: 'A post as it is stored.', examples: [post, draft] },
)
export type Post = Static<typeof Post>

export const PostList = Type.Object(
  {
    data: Type.Array(Ref(Post), { description: 'The page, newest first.' }),
    limit: Limit(),
    offset: Offset(),
    nextCursor: NextCursor(),
  },
  {
    $id: 'PostList',
    description: 'One page of the caller’s posts, with the paging that was applied.',
    examples: [{ data: [post, draft], limit: 25, offset: 0, nextCursor: null }],
  },
)
export type PostList = Static<typeof PostList>

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

const target = {
  accountId: ACCOUNT_ID,
  platform: 'bluesky',
  username: ACCOUNT_EXAMPLES[0].username,
  captionOverride: 'We are live, Bluesky!',
  fields: { langs: ['en'] },
  threadParts: null,
  delivery,
}

export const PostTarget = Type.Object(
  {
    accountId: Type.String({ description: 'The account.' }),
    platform: Ref(PlatformId),
    username: Type.String({ description: 'The account’s handle on the network.' }),
    captionOverride: NullableString({ description: 'The caption for this account, or `null`.' }),
    fields: Nullable(Dictionary(Type.Unknown()), { description: 'What only its network knows, or `null`.' }),
    threadParts: Nullable(Type.Array(Type.String()), { description: 'The texts of its thread, or `null`.' }),
    delivery: Ref(Delivery),
  },
  { $id: 'PostTarget', description: 'A post on one of its accounts.', examples: [target] },
)
export type PostTarget = Static<typeof PostTarget>

export const PostDetail = Type.Object(
  {
    ...Post.properties,
    mediaIds: Type.Array(Type.String(), { description: 'Its images and videos, in order.' }),
    targets: Type.Array(Ref(PostTarget), { description: 'Each of its accounts, and what became of the post there.' }),
  },
  {
    $id: 'PostDetail',
    description: 'A post with all that hangs on it.',
    examples: [{ ...post, status: 'published', mediaIds: [MEDIA_ID], targets: [target] }],
  },
)
export type PostDetail = Static<typeof PostDetail>

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

export const PostPath = Type.Object({
  id: Type.String({ description: 'The id of the post, as the list shows it.', examples: [POST_ID] }),
})
export type PostPath = Static<typeof PostPath>
