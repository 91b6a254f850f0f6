import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES, AccountAttention } from './account.ts'
import { PostCost } from './cost.ts'
import { LimitUnit } from './limit-unit.ts'
import { Adjustment, MEDIA_ID } from './media.ts'
import { PlatformId, PostType } from './platform.ts'
import { PostPart } from './post-part.ts'
import { TakenSlot } from './queue.ts'
import { Nullable, NullableString, Ref, StringEnum } from './shared.ts'
import { BodyPath, PostWarning } from './warning.ts'

/** The maximum of entries in each list of a validation, except for its targets. */
export const VALIDATION_LIST_MAX = 200

export const LimitSource = Type.Object(
  {
    url: Type.String({ description: 'The page that states the limit.' }),
    confidence: StringEnum(['official', 'copy', 'cross-checked', 'assumed'], {
      description:
        'How far the value can be trusted. `official`: the network’s own page, schema or source code. `copy`: a verbatim copy of it. `cross-checked`: several independent tools agree. `assumed`: an inference.',
    }),
    version: Type.String({ description: 'The version or the date of the page when it was read.' }),
    seenAt: Type.String({
      format: 'date',
      description: 'The day on which the limit was last compared with the page.',
    }),
  },
  {
    $id: 'LimitSource',
    description: 'Where a limit was read.',
    examples: [
      {
        url: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json',
        confidence: 'official',
        version: 'd6296a1, 2026-08-20',
        seenAt: '2026-11-22',
      },
    ],
  },
)
export type LimitSource = Static<typeof LimitSource>

export const Bounds = Type.Object(
  {
    min: Type.Optional(Type.Number({ description: 'The smallest allowed value, where the value is too small.' })),
    max: Type.Optional(Type.Number({ description: 'The greatest allowed value, where the value is too great.' })),
    allowed: Type.Optional(Type.Array(Type.String(), { description: 'The allowed values, where there is a list.' })),
  },
  { $id: 'Bounds', description: 'What would be allowed.', examples: [{ max: 300 }] },
)
export type Bounds = Static<typeof Bounds>

const violation = {
  accountId: ACCOUNT_EXAMPLES[0].id,
  platform: 'bluesky',
  username: ACCOUNT_EXAMPLES[0].username,
  postType: 'post',
  path: ['caption'],
  rule: 'caption_length',
  limit: { max: 300 },
  actual: 312,
  unit: 'graphemes',
  blocks: 'create',
  message: 'bluesky (@ada.example.com): caption is 312 characters long, at most 300 are allowed',
  source: LimitSource.examples[0],
}

export const PostViolation = Type.Object(
  {
    accountId: Type.String({ description: 'The account whose network has the limit.' }),
    platform: Ref(PlatformId),
    username: Type.String({ description: 'The account’s handle on the network.' }),
    postType: Ref(PostType),
    path: BodyPath(
      'The keys and indexes that lead to the value in the body of the request. For a missing value, where it should be: the index after the last override is an override that has to be added.',
    ),
    position: Type.Optional(
      Type.Integer({
        description:
          'Where markup is invalid in the text at `path`: an index in UTF-16 units, as in strings of JavaScript. Absent for other rules.',
      }),
    ),
    mediaId: Type.Optional(Type.String({ description: 'The file that breaks the limit. Absent for other limits.' })),
    fileName: Type.Optional(Type.String({ description: 'The name of that file, if it has one.' })),
    rule: Type.String({ description: 'The stable name of the rule, for programs, such as `caption_length`.' }),
    limit: Nullable(Ref(Bounds), {
      description: 'What would be allowed. `null` for rules that are not about an amount or a list of values.',
    }),
    actual: Type.Unsafe<number | string | null>({
      type: ['number', 'string', 'null'],
      description:
        'The value that the post has, in `unit`. A long text is cut. `null` where the rule compares no value.',
    }),
    unit: Nullable(Ref(LimitUnit), { description: 'The unit of `limit` and `actual`. `null` where they have none.' }),
    blocks: StringEnum(['create', 'publishing'], {
      description:
        '`create`: the post is rejected. `publishing`: the draft is stored, but cannot be scheduled or published like this.',
    }),
    message: Type.String({
      description: 'The violation in words, for people. It is the `error` with which `createPost` would respond.',
    }),
    source: Nullable(Ref(LimitSource), {
      description:
        'Where the limit was read. `null` where it has no page: the text limit of an account’s own server, or a post type that the network does not have.',
    }),
  },
  { $id: 'PostViolation', description: 'One limit of a network that the post breaks.', examples: [violation] },
)
export type PostViolation = Static<typeof PostViolation>

export const LimitCount = Type.Object(
  {
    path: BodyPath('The keys and indexes that lead to the value in the body of the request.'),
    actual: Type.Number({ description: 'What the post has, as the network counts it.' }),
    limit: Type.Number({ description: 'The maximum.' }),
    unit: Ref(LimitUnit),
  },
  {
    $id: 'LimitCount',
    description: 'One counter for an editor: how much of a maximum is used.',
    examples: [{ path: ['caption'], actual: 312, limit: 300, unit: 'graphemes' }],
  },
)
export type LimitCount = Static<typeof LimitCount>

export const DeliveryGuarantee = StringEnum(['exactly-once', 'reconcilable', 'at-most-once'], {
  $id: 'DeliveryGuarantee',
  description:
    'What a network offers where the response to a call was lost. `exactly-once`: repeating the call changes nothing, or the network is queried for the upload, which makes at most one post. `reconcilable`: the network can be queried for the post. `at-most-once`: none of these, so that the call is never repeated.',
  examples: ['exactly-once'],
})
export type DeliveryGuarantee = Static<typeof DeliveryGuarantee>

const target = {
  accountId: ACCOUNT_EXAMPLES[0].id,
  platform: 'bluesky',
  username: ACCOUNT_EXAMPLES[0].username,
  publishes: true,
  guarantee: 'exactly-once',
  counts: [
    LimitCount.examples[0],
    { path: ['caption'], actual: 312, limit: 3000, unit: 'bytes' },
    { path: ['mediaIds'], actual: 0, limit: 4, unit: 'files' },
  ],
}

export const ValidatedTarget = Type.Object(
  {
    accountId: Type.String({ description: 'The id of the account.' }),
    platform: Ref(PlatformId),
    username: Type.String({ description: 'The account’s handle on the network.' }),
    publishes: Type.Boolean({ description: 'Whether this version can publish to the network. Always `true` so far.' }),
    guarantee: Nullable(Ref(DeliveryGuarantee), {
      description:
        'What holds where a response of the network is lost: the weakest guarantee of the acts of this post, for any kind of account. Never `null` so far.',
    }),
    counts: Type.Array(Ref(LimitCount), {
      description:
        'The counters of this account: its caption or each part of its thread, the first comment, the title, and the numbers of files and parts. A text with two limits has two counters.',
    }),
    parts: Type.Optional(
      Type.Array(Ref(PostPart), {
        description:
          'What would be sent, in order. Only with `include=parts`; also absent where the parts of all targets would be too large, which `truncated` says. Empty where the network has no such type of post.',
      }),
    ),
    cost: Type.Optional(
      Ref(PostCost, {
        description: 'What the network charges the owner of the app for this post. Absent where posts cost nothing.',
      }),
    ),
    attention: Type.Optional(Ref(AccountAttention)),
    delayedUntil: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'The post goes out no earlier: until then nothing is sent to the account, because a rate limit of its network is used up, or its network does not respond. Absent where the time of the post is later. For a draft, as if it were published now.',
        examples: ['2026-09-12T15:00:00.000Z'],
      }),
    ),
  },
  {
    $id: 'ValidatedTarget',
    description: 'One account of the post: whether it can be published to, and how much of its limits the post uses.',
    examples: [target],
  },
)
export type ValidatedTarget = Static<typeof ValidatedTarget>

export const CreateOutcome = Type.Object(
  {
    status: Type.Integer({
      description: 'The status: 201, 400, 403 or, with `schedule`, 409; 200 for `createPosts` with `mode` `each`.',
    }),
    error: NullableString({ description: 'The `error` of the body. `null` for 201 and 200.' }),
  },
  {
    $id: 'CreateOutcome',
    description: 'How `createPost` or `createPosts` would respond to the same body now.',
    examples: [{ status: 400, error: violation.message }],
  },
)
export type CreateOutcome = Static<typeof CreateOutcome>

const InaccessibleIds = Type.Object(
  {
    accountIds: Type.Array(Type.String(), { description: 'The ids of accounts that you cannot post to.' }),
    mediaIds: Type.Array(Type.String(), { description: 'The ids of files that are not yours.' }),
  },
  {
    $id: 'InaccessibleIds',
    description:
      'Ids that you may not use, with which `createPost` responds with 403. It does not tell whether they exist. A disconnected account is one of them. A very long id is cut.',
    examples: [{ accountIds: ['0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'], mediaIds: [] }],
  },
)

export const UncheckedFact = Type.Object(
  {
    mediaId: Type.String({ description: 'The id of the file.' }),
    property: StringEnum(['width', 'height', 'durationSeconds', 'fps', 'frames', 'tracks'], {
      description:
        'The property that is not known. `tracks` stands for all that is inside of a video that was added before version 1.1.',
    }),
  },
  {
    $id: 'UncheckedFact',
    description: 'A property of a file that a network limits, but that is not known. It is not checked.',
    examples: [{ mediaId: MEDIA_ID, property: 'durationSeconds' }],
  },
)
export type UncheckedFact = Static<typeof UncheckedFact>

export const PostValidation = Type.Object(
  {
    create: Ref(CreateOutcome),
    publishable: Type.Boolean({
      description:
        'Whether nothing would stop the post from being published now: it has no violations, you may use all accounts and files, and each account can be published to.',
    }),
    violations: Type.Array(Ref(PostViolation), {
      description: 'Every limit that the post breaks, in the order in which `createPost` checks them. At most 200.',
    }),
    warnings: Type.Array(Ref(PostWarning), {
      description: 'The warnings that `createPost` would return. At most 100.',
    }),
    adjustments: Type.Array(Ref(Adjustment), {
      description: 'The files that an account would get in another form, by `mediaFit`. At most 200.',
    }),
    targets: Type.Array(Ref(ValidatedTarget), { description: 'The accounts that you may use, in your order.' }),
    slots: Type.Optional(
      Type.Array(Ref(TakenSlot), {
        description: 'The slots that the post would take now. Absent without `schedule`, and where it would get none.',
      }),
    ),
    notYours: Ref(InaccessibleIds),
    unchecked: Type.Array(Ref(UncheckedFact), {
      description: 'What could not be checked, because it is not known of a file. At most 200.',
    }),
    truncated: Type.Boolean({ description: 'Whether a list would have more entries than its maximum.' }),
  },
  {
    $id: 'PostValidation',
    description: 'Everything that is to be said about a post before it is stored.',
    examples: [
      {
        create: CreateOutcome.examples[0],
        publishable: false,
        violations: [violation],
        warnings: [PostWarning.examples[0]],
        adjustments: [],
        targets: [target],
        notYours: { accountIds: [], mediaIds: [] },
        unchecked: [],
        truncated: false,
      },
    ],
  },
)
export type PostValidation = Static<typeof PostValidation>
