import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { CreatedPost } from './create-post.ts'
import { BATCH_LIST_MAX } from './create-posts.ts'
import { DeliveryState, POST_ID } from './delivery.ts'
import { Issue } from './error.ts'
import { errorOf } from './errors.ts'
import { POST_FILTERS, POSTS_CURSOR } from './find.ts'
import { PatchPost } from './patch-post.ts'
import { PlatformId, PostType } from './platform.ts'
import { Post, PostStatus } from './post.ts'
import { DURATION_TIME } from './post-comment.ts'
import { Defaulted, Dictionary, NullableString, Ref } from './shared.ts'

/** The maximum of posts that one request changes or deletes. */
export const CHANGED_POSTS_MAX = 500

/** The maximum of ids in the response to a dry run. */
export const DRY_RUN_MAX = 10_000

/** After this time, a request leaves the rest of its posts as they are. Most clients wait for longer. */
export const CHANGES_TIME_MAX_MS = 10_000

/** An ISO 8601 duration with a sign. */
export const SHIFT = `^[+-]?P(?:\\d{1,2}W|\\d{1,3}D|(?:\\d{1,3}D)?${DURATION_TIME})$`

export const BAD_SHIFT = {
  code: 'invalid_string',
  validation: 'regex',
  path: ['shift'],
  message: 'Must be an ISO 8601 duration of weeks, or of days, hours, minutes and seconds, such as PT2H or -P1D',
} as const satisfies Issue

export const PostFilters = Type.Object(
  {
    ...POST_FILTERS,
    status: Type.Optional(Type.Array(Ref(PostStatus), { description: 'Only posts with one of these statuses.' })),
    state: Type.Optional(
      Type.Array(Ref(DeliveryState), { description: 'Only posts with a delivery in one of these states.' }),
    ),
    platform: Type.Optional(Ref(PlatformId)),
    postType: Type.Optional(Ref(PostType)),
  },
  {
    $id: 'PostFilters',
    additionalProperties: false,
    description: 'The filters of `listPosts`, at least one. They apply together. Unknown keys are rejected.',
    examples: [{ accountId: ACCOUNT_EXAMPLES[0].id, scheduledFrom: '2027-01-15T00:00:00Z' }, { status: ['draft'] }],
  },
)
export type PostFilters = Static<typeof PostFilters>

const SELECTION = {
  ids: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: CHANGED_POSTS_MAX,
      description: `The ids of the posts: 1 to ${CHANGED_POSTS_MAX}. A repeated id counts once. Either \`ids\` or \`filters\` is required.`,
    }),
  ),
  filters: Type.Optional(Ref(PostFilters)),
  versions: Type.Optional(
    Dictionary(Type.String({ format: 'date-time' }), {
      description:
        'With `ids`: the `updatedAt` of posts as you have seen them, by the id of the post. A post that has changed since is rejected with 412.',
    }),
  ),
  dryRun: Defaulted(
    Type.Boolean({
      description: `\`true\` changes nothing, and returns the ids of the posts that the request would try to change: up to ${DRY_RUN_MAX} on a page. Default: false.`,
    }),
    false,
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: POSTS_CURSOR,
      description: 'With `dryRun` and `filters`: the `nextCursor` of the previous response. Leave it out to begin.',
    }),
  ),
}

const {
  firstComment,
  comments,
  links,
  mediaFit,
  padColor,
  accountIds,
  overrides,
  scheduledAt,
  timeZone,
  fold,
  schedule,
  metadata,
} = PatchPost.properties

export const PostsPatch = Type.Object(
  {
    firstComment,
    comments,
    links,
    mediaFit,
    padColor,
    accountIds,
    overrides,
    scheduledAt,
    timeZone,
    fold,
    schedule,
    metadata,
  },
  {
    $id: 'PostsPatch',
    additionalProperties: false,
    description:
      'The same change to each of several posts, as in `updatePost`. It has none of the properties that are the own content of one post, such as `caption`.',
    examples: [{ firstComment: 'More in our blog.' }, { metadata: { campaign: 'summer' } }],
  },
)
export type PostsPatch = Static<typeof PostsPatch>

export const CHANGE_POSTS_EXAMPLES = {
  twoHoursLater: { ids: [POST_ID], shift: 'PT2H' },
  dryRun: { filters: PostFilters.examples[0], shift: '-P1D', dryRun: true },
  backToDrafts: { filters: PostFilters.examples[0], set: { scheduledAt: null } },
}

export const ChangePosts = Type.Object(
  {
    ...SELECTION,
    set: Type.Optional(Ref(PostsPatch)),
    shift: Type.Optional(
      Type.String({
        pattern: SHIFT,
        description:
          'Moves each post, and its accounts with a time of their own, by this ISO 8601 duration: `PT2H` is two hours later, and `-P1D` a day earlier. Days and weeks are counted on the clocks of the time zone of the post, so that the time of day stays the same; without a zone they have 24 hours. Cannot be combined with a time in `set`.',
        examples: ['PT2H', '-P1D'],
      }),
    ),
    allowPast: Defaulted(
      Type.Boolean({
        description:
          '`true` also changes posts that the change makes due immediately, because their time has passed: they are published now. Default: false, which rejects such posts.',
      }),
      false,
    ),
  },
  {
    $id: 'ChangePosts',
    additionalProperties: false,
    description: 'A change of several posts. It needs `set` or `shift`, or both. Unknown keys are rejected.',
    examples: Object.values(CHANGE_POSTS_EXAMPLES),
  },
)
export type ChangePosts = Static<typeof ChangePosts>

export const DELETE_POSTS_EXAMPLES = {
  byId: { ids: [POST_ID] },
  dryRun: { filters: PostFilters.examples[1], dryRun: true },
}

export const DeletePosts = Type.Object(SELECTION, {
  $id: 'DeletePosts',
  additionalProperties: false,
  description: 'Which posts are deleted. Unknown keys are rejected.',
  examples: Object.values(DELETE_POSTS_EXAMPLES),
})
export type DeletePosts = Static<typeof DeletePosts>

const id = Type.String({ description: 'The id of the post.' })

const PAGE_OF_IDS = {
  ids: Type.Array(Type.String(), {
    description: 'The ids of the selected posts, in your order; with `filters` in the order of the list, ascending.',
  }),
  nextCursor: NullableString({
    description: 'The `cursor` of the next dry run. `null` where no more posts are selected.',
  }),
}

const { warnings } = CreatedPost.properties

export const ChangedPost = Type.Object(
  {
    id,
    status: Post.properties.status,
    scheduledAt: Post.properties.scheduledAt,
    updatedAt: Post.properties.updatedAt,
    warnings,
  },
  {
    $id: 'ChangedPost',
    description: `A post after a change, with at most ${BATCH_LIST_MAX} of its warnings.`,
    examples: [
      {
        id: POST_ID,
        status: 'scheduled',
        scheduledAt: '2027-01-15T11:30:00.000Z',
        updatedAt: '2026-11-22T09:31:04.270Z',
      },
    ],
  },
)
export type ChangedPost = Static<typeof ChangedPost>

export const UnchangedPost = Type.Object(
  {
    id,
    status: Type.Integer({ description: 'The status with which the operation for this post alone would reject it.' }),
    code: Type.String({ description: 'The `x-error-code` of that response.' }),
    error: Type.String({ description: 'The `error` of that response.' }),
    details: Type.Optional(
      Type.Array(Ref(Issue), { maxItems: BATCH_LIST_MAX, description: 'The `details` of that response.' }),
    ),
  },
  {
    $id: 'UnchangedPost',
    description: 'A post that the request left as it is, and why.',
    examples: [
      { id: POST_ID, status: 409, code: 'time_in_past', error: errorOf('time_in_past').message },
      { id: POST_ID, status: 404, code: 'post_not_found', error: errorOf('post_not_found').message },
    ],
  },
)
export type UnchangedPost = Static<typeof UnchangedPost>

const rejected = Type.Array(Ref(UnchangedPost), {
  description: 'The others, in the order of `ids`. Empty in a dry run.',
})

export const ChangedPosts = Type.Object(
  {
    ...PAGE_OF_IDS,
    data: Type.Array(Ref(ChangedPost), {
      description: 'The changed posts, in the order of `ids`. Empty in a dry run.',
    }),
    rejected,
  },
  {
    $id: 'ChangedPosts',
    description: 'The outcome of each selected post.',
    examples: [
      { ids: [POST_ID], nextCursor: null, data: ChangedPost.examples, rejected: [] },
      { ids: [POST_ID], nextCursor: null, data: [], rejected: [UnchangedPost.examples[0]] },
      { ids: [POST_ID], nextCursor: null, data: [], rejected: [] },
    ],
  },
)
export type ChangedPosts = Static<typeof ChangedPosts>

const DeletedPost = Type.Object(
  { id },
  { $id: 'DeletedPost', description: 'A post that no longer exists.', examples: [{ id: POST_ID }] },
)

export const DeletedPosts = Type.Object(
  {
    ...PAGE_OF_IDS,
    data: Type.Array(Ref(DeletedPost), {
      description: 'The deleted posts, in the order of `ids`. Empty in a dry run.',
    }),
    rejected,
  },
  {
    $id: 'DeletedPosts',
    description: 'The outcome of each selected post.',
    examples: [
      { ids: [POST_ID], nextCursor: null, data: DeletedPost.examples, rejected: [] },
      { ids: [POST_ID], nextCursor: null, data: [], rejected: [UnchangedPost.examples[1]] },
      { ids: [POST_ID], nextCursor: null, data: [], rejected: [] },
    ],
  },
)
export type DeletedPosts = Static<typeof DeletedPosts>
