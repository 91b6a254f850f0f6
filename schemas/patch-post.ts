import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { ALT_TEXT_MAX } from './alt-text.ts'
import { CAPTION_SUFFIX_MAX } from './caption-suffix.ts'
import { AccountOverride, CreatedPost, ScheduledTime, ZoneName } from './create-post.ts'
import { MEDIA_ID, MediaFit, MediaIds, PadColor } from './media.ts'
import { PostType } from './platform.ts'
import { Fold, PostDetail } from './post.ts'
import { COMMENTS_MAX, PostComment } from './post-comment.ts'
import { LinksPatch } from './post-links.ts'
import { PostPoll } from './post-poll.ts'
import { QueueRequest } from './queue.ts'
import { MetadataPatch, REFERENCE_EXAMPLE, ReferencePatch } from './references.ts'
import { Dictionary, Nullable, NullableString, Ref } from './shared.ts'

const [{ id: ACCOUNT_ID }, { id: OTHER_ACCOUNT_ID }] = ACCOUNT_EXAMPLES

export const OverridePatch = Type.Object(
  {
    captionOverride: Type.Optional(
      NullableString({ description: 'The new caption for this account. `null` removes it, so that `caption` counts.' }),
    ),
    fields: Type.Optional(
      Nullable(Dictionary(Type.Unknown()), {
        description:
          'Changes to the options of its network: a merge patch, in which `null` removes a key, at any depth. `null` removes all options.',
      }),
    ),
    mediaIds: Type.Optional(
      Nullable(MediaIds(), {
        description:
          'The ids of all images and videos for this account, in their order. `null` removes them, so that `mediaIds` counts. An empty list is a post without files.',
      }),
    ),
    threadMedia: Type.Optional(
      Nullable(Type.Array(MediaIds()), {
        description:
          'The ids of the images and videos of each part of the thread for this account, one list for each part. It replaces the `mediaIds` of this account, and a new `mediaIds` replaces it. `null` removes it.',
      }),
    ),
    scheduledAt: Type.Optional(
      Type.Union([...ScheduledTime(), Type.Null()], {
        description:
          'When to publish to this account, in the form of `createPost`. A local time is in the time zone of the post, and only its instant is stored. `null` removes it, so that the `scheduledAt` of the post counts.',
      }),
    ),
    mediaFit: Type.Optional(
      Nullable(Ref(MediaFit), { description: 'The new `mediaFit` for this account. `null`: that of the post.' }),
    ),
    padColor: Type.Optional(
      Nullable(PadColor(), { description: 'The new `padColor` for this account. `null`: that of the post.' }),
    ),
    captionSuffix: Type.Optional(
      NullableString({
        maxLength: CAPTION_SUFFIX_MAX,
        description:
          'The new text that follows the caption or the last part of the thread. An empty string removes it. `null` or an absent key keeps the one that the post has for this account.',
      }),
    ),
  },
  {
    $id: 'OverridePatch',
    additionalProperties: false,
    description:
      'Changes to the caption, options, files and time of a post for one of its accounts. Unknown keys are rejected.',
    examples: [{ captionOverride: 'We are live, Bluesky!', fields: { langs: ['en'], labels: null } }],
  },
)
export type OverridePatch = Static<typeof OverridePatch>

export const PATCH_POST_EXAMPLES = {
  reschedule: { scheduledAt: '2027-01-16T09:30:00Z' },
  toTimeZone: { scheduledAt: '2027-03-28T09:30:00', timeZone: 'Europe/Berlin' },
  backToDraft: { scheduledAt: null },
  toNextSlots: { schedule: { queue: 'next' as const } },
  text: { caption: 'We are live!', firstComment: null },
  override: { overrides: { [ACCOUNT_ID]: { fields: { langs: ['en'] } }, [OTHER_ACCOUNT_ID]: null } },
  references: { externalReference: REFERENCE_EXAMPLE, metadata: { campaign: 'summer', editor: null } },
  accountsAndFiles: { accountIds: [ACCOUNT_ID, OTHER_ACCOUNT_ID], mediaIds: [MEDIA_ID] },
}

export const PatchPost = Type.Object(
  {
    caption: Type.Optional(Type.String({ description: 'The new caption. The empty string removes it.' })),
    firstComment: Type.Optional(NullableString({ description: 'The new first comment. `null` removes it.' })),
    comments: Type.Optional(
      Nullable(Type.Array(Ref(PostComment), { maxItems: COMMENTS_MAX }), {
        description: 'All its comments, in place of the earlier ones and of `firstComment`. `null` removes them.',
      }),
    ),
    poll: Type.Optional(Nullable(Ref(PostPoll), { description: 'The new poll. `null` removes it.' })),
    links: Type.Optional(
      Nullable(Ref(LinksPatch), {
        description: 'Changes to the parameters that addresses get. `null` removes all of them.',
      }),
    ),
    postType: Type.Optional(Ref(PostType)),
    mediaIds: Type.Optional(
      MediaIds({ description: 'The ids of all its images and videos, in their order. An empty list removes them.' }),
    ),
    altTexts: Type.Optional(
      Nullable(Dictionary(Nullable(Type.String({ maxLength: ALT_TEXT_MAX }))), {
        description:
          'The new alternative texts for this post alone, by the id of the file. Other files keep theirs. `null`, for one file or for all, removes them, so that the texts of the files count.',
      }),
    ),
    mediaFit: Type.Optional(
      Nullable(Ref(MediaFit), { description: 'What happens to files that a network does not take. `null`: `exact`.' }),
    ),
    padColor: Type.Optional(
      Nullable(PadColor(), { description: 'The colour of the bars that `pad` adds. `null`: white.' }),
    ),
    accountIds: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description:
          'The ids of all its accounts. An account that is not in the list loses its delivery, its override and its parts. A repeated id counts once.',
      }),
    ),
    overrides: Type.Optional(
      Nullable(Dictionary(Nullable(Ref(OverridePatch))), {
        description:
          'Changes to the overrides of single accounts, by the id of the account. Other accounts keep theirs. `null`, for one account or for all, removes overrides, but no slots.',
      }),
    ),
    accountOverrides: Type.Optional(
      Type.Array(Ref(AccountOverride), {
        description:
          'All overrides, as in `createPost`: accounts without an entry have none any more. Cannot be combined with `overrides`.',
      }),
    ),
    threadParts: Type.Optional(
      Nullable(Dictionary(Nullable(Type.Array(Type.String()))), {
        description:
          'The new parts of threads, by the id of the account. Other accounts keep theirs. `null`, for one account or for all, removes parts.',
      }),
    ),
    scheduledAt: Type.Optional(
      Type.Union([...ScheduledTime(), Type.Null()], {
        description:
          'When to publish, in the form of `createPost`. A time schedules a draft. A time in the past makes the post due immediately. A local time without `timeZone` is in the zone that the post has. A time with an offset removes the local time and the zone. Accounts with a time of their own keep it. `null` makes the post a draft, and removes the times of its accounts.',
      }),
    ),
    timeZone: Type.Optional(
      Nullable(ZoneName('The IANA name of a time zone.'), {
        description:
          'The time zone of `scheduledAt`, as in `createPost`. Without `scheduledAt`, the post keeps its local time, and moves to the instant that this is in the new zone. Accounts with a time of their own do not move: only the instant of their time is stored. `null` removes the local time and the zone, and the instant stays.',
      }),
    ),
    fold: Type.Optional(Ref(Fold)),
    schedule: Type.Optional(Ref(QueueRequest)),
    externalReference: Type.Optional(ReferencePatch('post')),
    metadata: Type.Optional(MetadataPatch()),
  },
  {
    $id: 'PatchPost',
    additionalProperties: false,
    description:
      'Changes to a post, as a JSON merge patch (RFC 7396). An absent key changes nothing. Lists are replaced. Unknown keys are rejected, and `null` where nothing can be removed.',
    examples: Object.values(PATCH_POST_EXAMPLES),
  },
)
export type PatchPost = Static<typeof PatchPost>

export const UpdatedPost = Type.Object(
  { ...PostDetail.properties, warnings: CreatedPost.properties.warnings },
  {
    $id: 'UpdatedPost',
    description: 'A post after a change, with what has no effect in it.',
    examples: [PostDetail.examples[0]],
  },
)
export type UpdatedPost = Static<typeof UpdatedPost>
