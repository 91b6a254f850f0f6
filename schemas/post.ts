import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES, AccountAttention } from './account.ts'
import { Delivery, POST_ID } from './delivery.ts'
import { Adjustment, MEDIA_ID, MediaFit, PadColor } from './media.ts'
import { PlatformId, PostType } from './platform.ts'
import { PostComment } from './post-comment.ts'
import { PostLinks } from './post-links.ts'
import { PostPoll } from './post-poll.ts'
import { referenceProperties } from './references.ts'
import { Dictionary, Nullable, NullableString, Ref, StringEnum } from './shared.ts'

const [{ id: ACCOUNT_ID }] = ACCOUNT_EXAMPLES

export const POST_STATUSES = ['draft', 'scheduled', 'published'] as const

export const PostStatus = StringEnum(POST_STATUSES, {
  $id: 'PostStatus',
  description:
    '- `draft`: the post has no `scheduledAt`.\n- `scheduled`: the post has a `scheduledAt`, and nothing of it has been published. This includes a post whose deliveries have all failed: it can be changed, deleted, or published again.\n- `published`: something of the post has been published, or may have been. It cannot be changed. It can be deleted once it was taken down from all accounts.',
  examples: ['scheduled'],
})
export type PostStatus = Static<typeof PostStatus>

export const Fold = StringEnum(['earlier', 'later'], {
  $id: 'Fold',
  description:
    'Which instant a local time means when the clocks of its zone change. Clocks that are put back show it twice: `earlier` or `later` says which. Clocks that are put forward skip it: if they skip an hour, `earlier` moves it back by an hour, and `later` forward. At other times it has no effect.',
  examples: ['earlier'],
})
export type Fold = Static<typeof Fold>

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
    id: Type.String({ description: 'The id of the post. Newer posts have greater ids.' }),
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
        'When the post is due for every account without its own time, in UTC with milliseconds. `null` for a draft. `publishPost` sets it to the current time.',
    }),
    scheduledAtLocal: Type.Optional(
      Type.String({
        description:
          'The local time that was sent as `scheduledAt`, with seconds. Absent if the time was sent with an offset, or set by `publishPost`.',
        examples: ['2027-03-28T09:30:00'],
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        description: 'The time zone that was sent with it. Absent without a local time.',
        examples: ['Europe/Berlin'],
      }),
    ),
    fold: Type.Optional(Ref(Fold)),
    createdAt: time('When the post was created, in UTC with milliseconds.'),
    updatedAt: time(
      'When the post itself last changed, in UTC with milliseconds: its content, its time or its status. What happens to its deliveries changes it only where it changes the status; see `changedAt` of `listDeliveries` for the rest.',
    ),
    ...referenceProperties('post'),
  },
  { $id: 'Post', description: 'A post without its accounts and files.', examples: [post, draft] },
)
export type Post = Static<typeof Post>

const target = {
  accountId: ACCOUNT_ID,
  platform: 'bluesky',
  username: ACCOUNT_EXAMPLES[0].username,
  captionOverride: 'We are live, Bluesky!',
  fields: { langs: ['en'] },
  threadParts: null,
  mediaIds: null,
  scheduledAt: null,
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
    mediaIds: Nullable(Type.Array(Type.String()), {
      description:
        'The ids of the files for this account, in order, or `null` for those of the post. `null` beside `threadMedia`.',
    }),
    threadMedia: Type.Optional(
      Type.Array(Type.Array(Type.String()), {
        description:
          'The ids of the files of each part of the thread for this account. Absent where the first part has all files.',
      }),
    ),
    scheduledAt: NullableString({
      format: 'date-time',
      description:
        'When the post is due for this account alone, in UTC with milliseconds. A local time that was sent for it is not kept. `null` where the `scheduledAt` of the post counts.',
    }),
    mediaFit: Type.Optional(Ref(MediaFit)),
    padColor: Type.Optional(PadColor()),
    captionSuffix: Type.Optional(
      Type.String({
        description: 'The text that follows the caption or the last part of the thread. Absent if it has none.',
      }),
    ),
    delivery: Ref(Delivery),
    attention: Type.Optional(Ref(AccountAttention)),
  },
  { $id: 'PostTarget', description: 'One account of a post, with the delivery to it.', examples: [target] },
)
export type PostTarget = Static<typeof PostTarget>

export const PostDetail = Type.Object(
  {
    ...Post.properties,
    mediaIds: Type.Array(Type.String(), {
      description: 'The ids of its images and videos, in order, for every account without its own.',
    }),
    altTexts: Type.Optional(
      Dictionary(Type.String(), {
        description: 'Alternative texts for this post alone, by the id of the file. Absent if it has none.',
      }),
    ),
    comments: Type.Optional(
      Type.Array(Ref(PostComment), { description: 'Its comments, in place of `firstComment`. Absent without any.' }),
    ),
    poll: Type.Optional(Ref(PostPoll)),
    links: Type.Optional(Ref(PostLinks)),
    mediaFit: Type.Optional(Ref(MediaFit)),
    padColor: Type.Optional(PadColor()),
    adjustments: Type.Optional(
      Type.Array(Ref(Adjustment), {
        description: 'The files that an account gets in another form, by `mediaFit`. Absent without any.',
      }),
    ),
    targets: Type.Array(Ref(PostTarget), {
      description: 'Its accounts in the order of `accountIds`, each with its delivery.',
    }),
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

/** The time of a post as its author wrote it, and the instant that it meant then. */
export interface LocalSchedule extends Pick<Post, 'fold'>, Required<Pick<Post, 'scheduledAtLocal' | 'timeZone'>> {
  scheduledAt: string
}
