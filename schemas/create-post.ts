import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES, SANDBOX_ACCOUNT_ID } from './account.ts'
import { ALT_TEXT_MAX } from './alt-text.ts'
import { CAPTION_SUFFIX_MAX } from './caption-suffix.ts'
import { POST_ID } from './delivery.ts'
import { Adjustment, MEDIA_ID, MediaFit, MediaIds, PadColor } from './media.ts'
import { PostType } from './platform.ts'
import { Fold } from './post.ts'
import { COMMENTS_MAX, PostComment } from './post-comment.ts'
import { PostLinks } from './post-links.ts'
import { PostPoll } from './post-poll.ts'
import { QueueRequest, TakenSlot } from './queue.ts'
import { METADATA_EXAMPLE, NewMetadata, NewReference, REFERENCE_EXAMPLE } from './references.ts'
import { Defaulted, Dictionary, FormedText, Nullable, NullableString, Ref, StringEnum } from './shared.ts'
import { LOCAL_TIME, ZONE_NAME } from './time.ts'
import { PostWarning } from './warning.ts'

const [{ id: ACCOUNT_ID }, { id: OTHER_ACCOUNT_ID }] = ACCOUNT_EXAMPLES

/** An instant first: its mistakes are those of a text that is neither. */
export const ScheduledTime = () => [
  Type.String({ format: 'date-time', description: 'With `Z` or an offset.' }),
  Type.String({ pattern: LOCAL_TIME, description: 'A local time in `timeZone`.' }),
]

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
          'Options of the network of this account, such as `boardId` on Pinterest, `subreddit` on Reddit or `title` on YouTube. Keys that the network knows are checked, inside nested objects as well, where `null` counts as absent. Other keys are stored unchanged, have no effect, and lead to a warning. At most 32 levels deep.',
      }),
    ),
    mediaIds: Type.Optional(
      Nullable(MediaIds(), {
        description:
          'The ids of the images and videos for this account, in their order, instead of `mediaIds`. In a thread, the first part has them. `null` or an absent key keeps `mediaIds`. An empty list is a post without files.',
      }),
    ),
    threadMedia: Type.Optional(
      Nullable(Type.Array(MediaIds()), {
        description:
          'With `postType` `thread`: the ids of the images and videos of each part of the thread for this account, one list for each part, in order. An empty list is a part without files. It takes the place of `mediaIds`, whose files belong to the first part, so one override cannot have both. An account without `threadParts` has one part. `null` or an absent key keeps the files of the first part.',
      }),
    ),
    scheduledAt: Type.Optional(
      Type.Union([...ScheduledTime(), Type.Null()], {
        description:
          'When to publish to this account, instead of `scheduledAt`, in the same form. It is rejected without a `scheduledAt` of the post: a draft has no times. A local time is in the `timeZone` of the post, and `fold` applies to it; only its instant is stored, so that a later change of `timeZone` does not move it. `null` or an absent key keeps `scheduledAt`.',
      }),
    ),
    mediaFit: Type.Optional(
      Nullable(Ref(MediaFit), { description: 'In place of `mediaFit` of the post. `null` or an absent key keeps it.' }),
    ),
    padColor: Type.Optional(
      Nullable(PadColor(), { description: 'In place of `padColor` of the post. `null` or an absent key keeps it.' }),
    ),
    captionSuffix: Type.Optional(
      NullableString({
        maxLength: CAPTION_SUFFIX_MAX,
        description:
          'The text that follows the caption or the last part of the thread, in place of the `captionSuffix` of the account. An empty string leaves that out. `null` or an absent key keeps it.',
      }),
    ),
  },
  {
    $id: 'AccountOverride',
    additionalProperties: false,
    description: 'The caption, options, files and time of the post for one of its accounts. Unknown keys are rejected.',
    examples: [{ accountId: ACCOUNT_ID, captionOverride: 'Hello, Bluesky!', fields: { langs: ['en'] } }],
  },
)
export type AccountOverride = Static<typeof AccountOverride>

interface OwnFiles {
  mediaIds?: readonly string[] | null
  threadMedia?: readonly (readonly string[])[] | null
}

/** The ids of an account's own files, by the parts that have them. Null for the files of the post. */
export const ownFilesOf = ({ mediaIds, threadMedia }: OwnFiles): readonly (readonly string[])[] | null =>
  threadMedia ?? (mediaIds ? [mediaIds] : null)

export const CREATE_POST_EXAMPLES = {
  draft: { accountIds: [SANDBOX_ACCOUNT_ID], caption: 'Hello from Postroom' },
  scheduled: {
    accountIds: [ACCOUNT_ID, OTHER_ACCOUNT_ID],
    caption: 'We are live.',
    firstComment: 'More in our blog.',
    mediaIds: [MEDIA_ID],
    accountOverrides: [{ accountId: ACCOUNT_ID, captionOverride: 'We are live, Bluesky!', fields: { langs: ['en'] } }],
    scheduledAt: '2027-01-15T09:30:00Z',
    externalReference: REFERENCE_EXAMPLE,
    metadata: METADATA_EXAMPLE,
  },
  thread: {
    accountIds: [SANDBOX_ACCOUNT_ID],
    postType: 'thread',
    threadParts: { [SANDBOX_ACCOUNT_ID]: ['First, some context.', 'And now the news.'] },
    accountOverrides: [{ accountId: SANDBOX_ACCOUNT_ID, threadMedia: [[], [MEDIA_ID]] }],
    scheduledAt: '2027-01-15T10:30:00+01:00',
  },
  inTimeZone: {
    accountIds: [ACCOUNT_ID],
    caption: 'Good morning, Berlin!',
    scheduledAt: '2027-03-28T09:30:00',
    timeZone: 'Europe/Berlin',
  },
  tagged: {
    accountIds: [ACCOUNT_ID, OTHER_ACCOUNT_ID],
    caption: 'We are live: https://example.com/blog',
    links: PostLinks.examples[0],
    scheduledAt: '2027-01-15T09:30:00Z',
  },
  poll: {
    accountIds: [OTHER_ACCOUNT_ID],
    caption: 'What do you drink?',
    poll: PostPoll.examples[0],
    scheduledAt: '2027-01-15T09:30:00Z',
  },
  discussed: {
    accountIds: [SANDBOX_ACCOUNT_ID],
    caption: 'We are live.',
    comments: PostComment.examples,
    scheduledAt: '2027-01-15T09:30:00Z',
  },
  queued: { accountIds: [ACCOUNT_ID], caption: 'We are live.', schedule: { queue: 'next' as const } },
}

export const ZoneName = (description: string) =>
  FormedText(ZONE_NAME, { maxLength: 64, description, examples: ['Europe/Berlin'] })

/** The maximum of accounts of one post. More could not be stored within the time limit of a request. */
export const POST_ACCOUNTS_MAX = 2_000

export const CreatePost = Type.Object(
  {
    accountIds: Type.Array(Type.String(), {
      minItems: 1,
      description: `The ids of the accounts to publish to, from \`listAccounts\`, at most ${POST_ACCOUNTS_MAX} different ones. A repeated id counts once.`,
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
    comments: Type.Optional(
      Type.Array(Ref(PostComment), {
        maxItems: COMMENTS_MAX,
        description:
          'Comments that are published under the post, or under the last part of a thread, in this order. Each waits for its pause. `firstComment` is the short form of one comment: give one or the other. Each comment has the limits of `firstComment`. A network without comments rejects them. The delivery is `queued` during a pause, and `published` after the last comment. After a comment that fails, the others wait for a retry.',
      }),
    ),
    poll: Type.Optional(Ref(PostPoll)),
    links: Type.Optional(Ref(PostLinks)),
    postType: Defaulted(Ref(PostType), 'post'),
    mediaIds: Defaulted(
      MediaIds({
        description:
          'The ids of your own images and videos, in the order in which they appear, for every account without its own `mediaIds`. A repeated id is attached twice. Default: none.',
      }),
      [],
    ),
    altTexts: Type.Optional(
      Nullable(Dictionary(Nullable(Type.String({ maxLength: ALT_TEXT_MAX }))), {
        description:
          'Alternative texts for this post alone, by the id of the file, in place of the `altText` of the file. An empty string publishes the file without one. `null` or an absent key keeps the text of the file.',
      }),
    ),
    mediaFit: Type.Optional(Ref(MediaFit)),
    padColor: Type.Optional(PadColor()),
    accountOverrides: Defaulted(
      Type.Array(Ref(AccountOverride), {
        description: 'The captions, fields, files and times of single accounts. Default: none.',
      }),
      [],
    ),
    threadParts: Type.Optional(
      Nullable(Dictionary(Nullable(Type.Array(Type.String()))), {
        description:
          'With `postType` `thread`: the parts of the thread for each account, by the id of the account. On x, threads, bluesky, mastodon and the sandbox each part becomes one post of the chain. On linkedin and facebook there is one part, which holds the whole text. For an account with parts, the caption is neither checked nor published. For an account without parts, the caption is the only part. `null`, for one account or for all, means no parts. With another `postType` the parts are not published, which leads to a warning.',
      }),
    ),
    scheduledAt: Type.Optional(
      Type.Union(ScheduledTime(), {
        description:
          'When to publish: a date and time in RFC 3339 with seconds and with `Z` or an offset such as `+02:00`, in the years 1970 to 9999; or without both, a local time in `timeZone`. It is stored to the millisecond. A post with a time in the past is due immediately. Leave it out to save a draft.',
        examples: ['2027-01-15T09:30:00Z'],
      }),
    ),
    timeZone: Type.Optional(
      ZoneName(
        'The IANA name of the time zone of `scheduledAt`, such as `Europe/Berlin`, in any case. `scheduledAt` is then a local time, and the response of `getPost` has both, beside the instant.',
      ),
    ),
    fold: Type.Optional(Ref(Fold)),
    schedule: Type.Optional(Ref(QueueRequest)),
    externalReference: Type.Optional(NewReference('post')),
    metadata: Type.Optional(NewMetadata()),
  },
  {
    $id: 'CreatePost',
    additionalProperties: false,
    description: 'A post for one or more accounts. Unknown keys are rejected.',
    examples: Object.values(CREATE_POST_EXAMPLES),
  },
)
export type CreatePost = Static<typeof CreatePost>

export const CreatePostQuery = Type.Object({
  // No example: Swagger UI would send it.
  strict: Type.Optional(
    Type.Boolean({
      description:
        'Whether a post that would be stored with `warnings` is rejected: 400 with the code `warnings_not_allowed`, and one entry of `details` for each of the first 20 warnings. `unused_alt_text` and the warnings about other posts do not count: `repeated_text`, `close_posts` and `daily_limit`. Validation then says so in `create`. Default: false.',
    }),
  ),
})
export type CreatePostQuery = Static<typeof CreatePostQuery>

export const ValidatePostQuery = Type.Object({
  ...CreatePostQuery.properties,
  include: Type.Optional(
    Type.Array(StringEnum(['parts']), {
      description: '`parts`: what would be sent to each account, for an editor that shows it. See `targets[].parts`.',
    }),
  ),
})
export type ValidatePostQuery = Static<typeof ValidatePostQuery>

const CreatedStatus = StringEnum(['draft', 'scheduled'], {
  $id: 'CreatedStatus',
  description: '`scheduled` where a time or a slot was requested, otherwise `draft`.',
  examples: ['draft'],
})

export const CreatedPost = Type.Object(
  {
    id: Type.String({ description: 'The id of the new post.' }),
    status: Ref(CreatedStatus),
    adjustments: Type.Optional(
      Type.Array(Ref(Adjustment), {
        description: 'The files that an account gets in another form, by `mediaFit`. Absent without any.',
      }),
    ),
    slots: Type.Optional(
      Type.Array(Ref(TakenSlot), {
        description: 'The slot of each account, in the order of `accountIds`. Absent without `schedule`.',
      }),
    ),
    warnings: Type.Optional(
      Type.Array(Ref(PostWarning), {
        description:
          'What has no effect, or another one than you may expect. At most 100. Absent where there is nothing.',
      }),
    ),
  },
  {
    $id: 'CreatedPost',
    description: 'The created post.',
    examples: [
      { id: POST_ID, status: 'draft' },
      { id: POST_ID, status: 'scheduled' },
      { id: POST_ID, status: 'scheduled', warnings: [PostWarning.examples[0]] },
      { id: POST_ID, status: 'scheduled', adjustments: [Adjustment.examples[0]] },
      { id: POST_ID, status: 'scheduled', slots: TakenSlot.examples },
    ],
  },
)
export type CreatedPost = Static<typeof CreatedPost>
