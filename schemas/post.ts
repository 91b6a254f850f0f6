import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { Delivery, POST_ID } from './delivery.ts'
import { MEDIA_ID } from './media.ts'
import { PlatformId, PostType } from './platform.ts'
import {
  Defaulted,
  Dictionary,
  Limit,
  NextCursor,
  Nullable,
  NullableString,
  Offset,
  Ref,
  StringEnum,
} from './shared.ts'

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
      Type.String({
        description: 'The text for every account without a `captionOverride`. Default: the empty string.',
      }),
      '',
    ),
    firstComment: Type.Optional(
      Type.String({
        description:
          'A comment to write under the post as soon as it is out. Refused where a network of the post has none.',
      }),
    ),
    postType: Defaulted(Ref(PostType, { description: 'Default: `post`.' }), 'post'),
    mediaIds: Defaulted(
      Type.Array(Type.String(), {
        description: 'Ids of your own images and videos, in the order in which they appear. Default: none.',
      }),
      [],
    ),
    accountOverrides: Defaulted(
      Type.Array(Ref(AccountOverride), {
        description: 'Captions and fields of single accounts: at most one entry for each. Default: none.',
      }),
      [],
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

const target = {
  accountId: ACCOUNT_ID,
  platform: 'bluesky',
  username: ACCOUNT_EXAMPLES[0].username,
  captionOverride: 'We are live, Bluesky!',
  fields: { langs: ['en'] },
  threadParts: null,
  delivery: Delivery.examples[0],
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

export const PostPath = Type.Object({
  id: Type.String({ description: 'The id of the post, as the list shows it.', examples: [POST_ID] }),
})
export type PostPath = Static<typeof PostPath>
