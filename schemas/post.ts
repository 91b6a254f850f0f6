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
  description:
    '- `draft`: the post has no `scheduledAt`.\n- `scheduled`: the post has a `scheduledAt`, and nothing of it has been published. This includes a post whose deliveries have all failed: it can be deleted, or published again.\n- `published`: something of the post has been published, or may have been. It cannot be deleted.',
  examples: ['scheduled'],
})
export type PostStatus = Static<typeof PostStatus>

export const AccountOverride = Type.Object(
  {
    accountId: Type.String({
      description: 'The id of the account: one of the `accountIds` of the post. Each account can have one override.',
    }),
    captionOverride: Type.Optional(
      NullableString({
        description:
          'The caption for this account, instead of `caption`. `null` or an absent key keeps `caption`. An empty string is an empty caption.',
      }),
    ),
    fields: Type.Optional(
      Dictionary(Type.Unknown(), {
        description:
          'Options of the network of this account, such as `boardId` on Pinterest, `subreddit` on Reddit or `title` on YouTube. Keys that the network knows are checked, inside nested objects as well, where `null` counts as absent. Other keys are stored unchanged. At most 32 levels deep.',
      }),
    ),
  },
  {
    $id: 'AccountOverride',
    additionalProperties: false,
    description: 'The caption and options of the post for one of its accounts. Unknown keys are rejected.',
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
      description: 'The ids of the accounts to publish to, from `listAccounts`. A repeated id counts once.',
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
          'A comment to publish under the post as soon as the post is published. A blank one counts as absent. It is rejected where a network of the post has no first comments.',
      }),
    ),
    postType: Defaulted(Ref(PostType), 'post'),
    mediaIds: Defaulted(
      Type.Array(Type.String(), {
        description:
          'The ids of your own images and videos, in the order in which they appear. A repeated id is attached twice. Default: none.',
      }),
      [],
    ),
    accountOverrides: Defaulted(
      Type.Array(Ref(AccountOverride), {
        description: 'The captions and fields of single accounts. Default: none.',
      }),
      [],
    ),
    threadParts: Type.Optional(
      Nullable(Dictionary(Nullable(Type.Array(Type.String()))), {
        description:
          'With `postType` `thread`: the parts of the thread for each account, by the id of the account. On x, threads, bluesky, mastodon and the sandbox each part becomes one post of the chain. On linkedin and facebook there is one part, which holds the whole text. For an account with parts, the caption is neither checked nor published. For an account without parts, the caption is the only part. `null`, for one account or for all, means no parts.',
      }),
    ),
    scheduledAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When to publish: a date and time in RFC 3339 with seconds and with `Z` or an offset such as `+02:00`, in the years 1970 to 9999. It is stored to the millisecond. A post with a time in the past is due immediately. Leave it out to save a draft.',
        examples: ['2027-01-15T09:30:00Z'],
      }),
    ),
  },
  {
    $id: 'CreatePost',
    additionalProperties: false,
    description: 'A post for one or more accounts. Unknown keys are rejected.',
    examples: Object.values(CREATE_POST_EXAMPLES),
  },
)
export type CreatePost = Static<typeof CreatePost>

export const CreatedPost = Type.Object(
  {
    id: Type.String({ description: 'The id of the new post.' }),
    status: StringEnum(['draft', 'scheduled'], {
      description: '`scheduled` where a time was given, otherwise `draft`.',
    }),
  },
  {
    $id: 'CreatedPost',
    description: 'The created post.',
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
    userId: Type.String({
      description: 'The id of the user who owns the post: the owner of the API key that created it.',
    }),
    caption: Type.String({
      description: 'The caption for every account without a `captionOverride`. Empty where none was given.',
    }),
    firstComment: NullableString({
      description: 'The comment to publish under the post, or `null`.',
    }),
    postType: Ref(PostType),
    status: Ref(PostStatus),
    scheduledAt: NullableString({
      format: 'date-time',
      description:
        'When the post is due, in UTC with milliseconds. `null` for a draft. `publishPost` sets it to the current time.',
    }),
    createdAt: time('When the post was created, in UTC with milliseconds.'),
    updatedAt: time('When the post was last changed, in UTC with milliseconds.'),
  },
  { $id: 'Post', description: 'A post without its accounts and files.', examples: [post, draft] },
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
    description: 'One page of your posts, with the paging that was applied.',
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
    accountId: Type.String({ description: 'The id of the account.' }),
    platform: Ref(PlatformId),
    username: Type.String({ description: 'The account’s handle on the network.' }),
    captionOverride: NullableString({ description: 'The caption for this account, or `null`.' }),
    fields: Nullable(Dictionary(Type.Unknown()), { description: 'The options for its network, or `null`.' }),
    threadParts: Nullable(Type.Array(Type.String()), { description: 'The parts of its thread, or `null`.' }),
    delivery: Ref(Delivery),
  },
  { $id: 'PostTarget', description: 'One account of a post, with the delivery to it.', examples: [target] },
)
export type PostTarget = Static<typeof PostTarget>

export const PostDetail = Type.Object(
  {
    ...Post.properties,
    mediaIds: Type.Array(Type.String(), { description: 'The ids of its images and videos, in order.' }),
    targets: Type.Array(Ref(PostTarget), { description: 'Its accounts, each with the state of its delivery.' }),
  },
  {
    $id: 'PostDetail',
    description: 'A post with its files, its accounts and their deliveries.',
    examples: [{ ...post, status: 'published', mediaIds: [MEDIA_ID], targets: [target] }],
  },
)
export type PostDetail = Static<typeof PostDetail>

export const PostPath = Type.Object({
  id: Type.String({
    description: 'The id of the post, from `listPosts` or from the response that created it.',
    examples: [POST_ID],
  }),
})
export type PostPath = Static<typeof PostPath>
