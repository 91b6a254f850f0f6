import { type Static, Type } from '@sinclair/typebox'
import { AccountServer } from './account-facts.ts'
import { PricedOperation, UsdMicros } from './cost.ts'
import { LimitUnit } from './limit-unit.ts'
import { MetricName } from './metrics.ts'
import { PlatformId } from './platform.ts'
import { PlatformAppearance } from './platform-appearance.ts'
import { PlatformChanges } from './platform-changes.ts'
import { PLATFORM_IDS } from './platform-ids.ts'
import { AccountKind, SupportedPostTypes } from './post-type-limits.ts'
import { Dictionary, ListedText, Ref, StringEnum } from './shared.ts'
import { AltTextLimits } from './text-limits.ts'
import { Bounds, LimitSource } from './validate-post.ts'

const [SOURCE] = LimitSource.examples

export const ConnectMethod = Type.Object(
  {
    method: StringEnum(['credentials', 'oauth'], {
      description: '`credentials`: with `connectAccount`. `oauth`: with `createConnection`, by consent in a browser.',
    }),
    credentials: Type.Optional(
      Dictionary(Type.Unknown(), {
        description:
          'The `credentials` of `connectAccount`, as JSON Schema (2020-12). With the method `credentials` only.',
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The scopes that users are asked for, in the words of the network. With the method `oauth` only.',
      }),
    ),
    requiredScopes: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Those of `scopes` without which nothing can be published. With the method `oauth` only.',
      }),
    ),
    hint: Type.Optional(
      StringEnum(['required', 'optional', 'ignored'], {
        description: 'Whether `createConnection` needs the `hint`. With the method `oauth` only.',
      }),
    ),
  },
  {
    $id: 'ConnectMethod',
    description: 'One way to connect an account of the network.',
    examples: [
      {
        method: 'credentials',
        credentials: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          required: ['username'],
          properties: { username: { type: 'string', maxLength: 2048 } },
          additionalProperties: false,
        },
      },
      { method: 'oauth', scopes: ['tweet.read', 'tweet.write'], requiredScopes: ['tweet.write'], hint: 'ignored' },
    ],
  },
)
export type ConnectMethod = Static<typeof ConnectMethod>

const OfferedMetric = Type.Object(
  {
    metric: Ref(MetricName),
    native: Type.String({ description: 'The network’s own name of it.' }),
    scope: Type.Optional(
      Type.String({ description: 'The scope that an account needs beside those for publishing. Absent: none.' }),
    ),
    accounts: Type.Optional(Ref(AccountKind, { description: 'The accounts that have it. Absent: all.' })),
    source: Ref(LimitSource),
  },
  {
    $id: 'OfferedMetric',
    description: 'A number that a network tells about a post.',
    examples: [{ metric: 'likes', native: 'likeCount', source: SOURCE }],
  },
)

export const PlatformMetrics = Type.Object(
  {
    offered: Type.Array(Ref(OfferedMetric), {
      description: 'The numbers that can be read. Others are `not_offered`. Empty: none.',
    }),
    postsPerCall: Type.Integer({ minimum: 0, description: 'How many posts are read with one call; 0 where none are.' }),
    usdMicrosPerPostAndDay: Type.Optional(
      UsdMicros('What it costs to read a post as often as you like on one UTC day. Absent: nothing.'),
    ),
    tellsGone: Type.Boolean({
      description:
        'Whether a post that is not on the network any more is noticed: see `checkDelivery`. `false`: it looks like others that the network leaves out, or nothing can be read.',
    }),
    keepsHistory: Type.Boolean({ description: 'Whether `history` has the numbers of earlier days.' }),
    note: Type.Optional(Type.String({ description: 'What else to know about these numbers.' })),
    source: Type.Optional(Ref(LimitSource)),
  },
  {
    $id: 'PlatformMetrics',
    description: 'What a network tells about published posts: see `getPostMetrics`.',
    examples: [
      { offered: OfferedMetric.examples, postsPerCall: 25, tellsGone: true, keepsHistory: true, source: SOURCE },
    ],
  },
)
export type PlatformMetrics = Static<typeof PlatformMetrics>

export const FieldSource = Type.Object(
  {
    param: Type.String({ description: 'The name of the parameter in the API of the network.' }),
    source: Ref(LimitSource),
  },
  {
    $id: 'FieldSource',
    description: 'Where a key of `fields` comes from.',
    examples: [{ param: 'langs', source: SOURCE }],
  },
)
export type FieldSource = Static<typeof FieldSource>

export const FieldCondition = Type.Object(
  {
    path: Type.Array(Type.String(), {
      description: 'The keys that lead from `fields` to the value. `*` stands for each item of a list.',
    }),
    rule: Type.String({ description: 'The `rule` of the violation in `validatePost`, such as `field_length`.' }),
    limit: Type.Optional(Ref(Bounds)),
    unit: Type.Optional(Ref(LimitUnit)),
    message: Type.String({ description: 'The condition in words, for people.' }),
    source: Ref(LimitSource),
  },
  {
    $id: 'FieldCondition',
    description:
      'A condition on `fields` that JSON Schema cannot express, such as a length in other units than code points, or one that depends on the rest of the post.',
    examples: [
      {
        path: ['tags', '*'],
        rule: 'field_length',
        limit: { max: 64 },
        unit: 'graphemes',
        message: 'at most 64 graphemes',
        source: SOURCE,
      },
    ],
  },
)
export type FieldCondition = Static<typeof FieldCondition>

export const NetworkRate = Type.Object(
  {
    resource: Type.String({ description: 'What is counted.' }),
    count: Type.Integer({ description: 'The maximum.' }),
    perSeconds: Type.Optional(
      Type.Integer({ description: 'The window in seconds. Absent: the maximum holds for all time, or for one call.' }),
    ),
    of: Type.String({ description: 'What the maximum belongs to, such as `account`, `app` or `IP`.' }),
    perAct: Type.Optional(
      Type.Integer({
        description:
          'How much of the maximum one post, part of a thread or first comment uses up. Postroom then keeps to the limit: what exceeds it waits. Absent: for information.',
      }),
    ),
    source: Ref(LimitSource),
  },
  {
    $id: 'NetworkRate',
    description: 'How fast the network accepts something.',
    examples: [
      {
        resource: 'points for record writes (3 per create)',
        count: 5000,
        perSeconds: 3600,
        of: 'account',
        perAct: 3,
        source: {
          url: 'https://docs.bsky.app/docs/advanced-guides/rate-limits',
          confidence: 'official',
          version: '2026-04-21',
          seenAt: '2026-11-21',
        },
      },
    ],
  },
)
export type NetworkRate = Static<typeof NetworkRate>

export const NetworkPrice = Type.Object(
  {
    operation: Ref(PricedOperation),
    usdMicros: UsdMicros('What one operation costs.'),
    source: Ref(LimitSource),
  },
  {
    $id: 'NetworkPrice',
    description: 'What a network charges for one kind of operation, with the page and the date where it was read.',
    examples: [
      {
        operation: 'post_with_url',
        usdMicros: 200_000,
        source: {
          url: 'https://docs.x.com/x-api/getting-started/pricing',
          confidence: 'official',
          version: '2026-08-22',
          seenAt: '2026-11-21',
        },
      },
    ],
  },
)
export type NetworkPrice = Static<typeof NetworkPrice>

/** The properties of a post that only some networks have. */
export const BODY_FIELDS = ['comments', 'poll'] as const

export const Platform = Type.Object(
  {
    id: Ref(PlatformId),
    name: Type.String({ description: 'The name of the network, for people.' }),
    server: Type.Optional(
      Ref(AccountServer, {
        description:
          'The server whose own limits these are: in `getAccountLimits`, for accounts on such a network. A limit that it states has its address as the `url` of the source.',
      }),
    ),
    publishes: Type.Boolean({
      description: 'Whether this version can publish to the network. Always `true` so far.',
    }),
    isSimulated: Type.Optional(
      Type.Boolean({
        description: '`true`: the service plays the network itself, and nobody sees its posts. Absent: a real network.',
      }),
    ),
    canEdit: Type.Boolean({
      description: 'Whether the network lets apps edit published posts: see `changes`.',
    }),
    canDelete: Type.Boolean({
      description: 'Whether the network lets apps remove published posts: see `changes`.',
    }),
    connect: Type.Array(Ref(ConnectMethod), {
      description: 'The ways to connect an account. Empty: only the operator can add accounts of the network.',
    }),
    postTypes: Ref(SupportedPostTypes),
    appearance: Ref(PlatformAppearance),
    altTexts: Dictionary(Ref(AltTextLimits), {
      description:
        'By `kind` of file: how long its alternative text may be. A kind that is absent: the network takes no alternative text for such a file, and the text is not sent.',
    }),
    altTextFilesMax: Type.Optional(
      Type.Integer({
        description: 'The network takes alternative texts for this number of first files. Absent: for all files.',
      }),
    ),
    fields: Dictionary(Type.Unknown(), {
      description:
        'What the `fields` of an override may contain, as JSON Schema (2020-12), together with `fieldConditions`. It describes a scheduled post: in a draft, required values may be missing, blank or too few. Other keys are stored, have no effect, and lead to a warning.',
    }),
    fieldConditions: Type.Array(Ref(FieldCondition), { description: 'What `fields` cannot express.' }),
    fieldSources: Dictionary(Ref(FieldSource), { description: 'Where each key of `fields` comes from.' }),
    fieldOptions: Dictionary(Type.Array(Type.String()), {
      description:
        'The keys of `fields` whose values depend on the account: `listFieldOptions` lists them. Each has the parameters that this operation needs.',
    }),
    bodyFields: Type.Array(StringEnum(BODY_FIELDS), {
      description:
        'The properties of a post that only some networks have, and this one has: `comments` and `poll` of `createPost`.',
    }),
    rateLimits: Type.Array(Ref(NetworkRate), { description: 'How fast posts are accepted.' }),
    metrics: Ref(PlatformMetrics),
    changes: Ref(PlatformChanges),
    prices: Type.Array(Ref(NetworkPrice), {
      description:
        'What the network charges the owner of the app that publishes. Empty: posts cost nothing. Calls that read, such as those after a lost response, are not among them.',
    }),
  },
  {
    $id: 'Platform',
    description:
      'What a network accepts. Posts are checked against these limits, each of which has the page where it was read. Some are inferences: `source.confidence` says so.',
    examples: [
      {
        id: 'bluesky',
        name: 'Bluesky',
        publishes: true,
        canEdit: true,
        canDelete: true,
        connect: ConnectMethod.examples.slice(0, 1),
        postTypes: SupportedPostTypes.examples[0],
        appearance: PlatformAppearance.examples[0],
        altTexts: { video: AltTextLimits.examples[0] },
        fields: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: {
            tags: { type: 'array', items: { type: 'string', maxLength: 640 }, maxItems: 8 },
          },
        },
        fieldConditions: FieldCondition.examples,
        fieldSources: { tags: FieldSource.examples[0] },
        fieldOptions: {},
        bodyFields: ['comments'],
        rateLimits: NetworkRate.examples,
        metrics: PlatformMetrics.examples[0],
        changes: PlatformChanges.examples[0],
        prices: [],
      },
    ],
  },
)
export type Platform = Static<typeof Platform>

export const PlatformList = Type.Object(
  {
    data: Type.Array(Ref(Platform), { description: 'All networks.' }),
    convertsVideos: Type.Boolean({
      description: 'Whether `mediaFit` changes videos: a worker with ffmpeg has run within a day.',
    }),
  },
  {
    $id: 'PlatformList',
    description: 'What each network accepts.',
    examples: [{ data: Platform.examples, convertsVideos: true }],
  },
)
export type PlatformList = Static<typeof PlatformList>

export const PlatformPath = Type.Object({
  platform: ListedText(PLATFORM_IDS, {
    description: 'The id of the network, such as `bluesky`.',
    examples: ['bluesky'],
  }),
})
