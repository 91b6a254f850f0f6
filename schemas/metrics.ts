import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { DeliveryError, DeliveryState, POST_ID } from './delivery.ts'
import { ListDeliveriesQuery } from './find.ts'
import { METRIC_NAMES, METRIC_REASONS, METRICS, type Metric, type MetricReason } from './metric-names.ts'
import { PlatformId } from './platform.ts'
import { Dictionary, Limit, Nullable, NullableInteger, NullableString, PAGE, Ref, StringEnum } from './shared.ts'

const [{ id: ACCOUNT_ID }] = ACCOUNT_EXAMPLES

/** The maximal length of a page with `history`. */
export const HISTORY_LIMIT_MAX = 25

/** How often a post is read because somebody wants to. */
export const REFRESH_PAUSE_SECONDS = 60

export const MetricName = StringEnum(METRIC_NAMES, {
  $id: 'MetricName',
  description: `The name of a number, the same on all networks.\n\n${METRIC_NAMES.map((name) => `- \`${name}\`: ${METRICS[name]}`).join('\n')}`,
  examples: ['likes'],
})

const REASONS = Object.keys(METRIC_REASONS) as MetricReason[]

const count = NullableInteger({ description: 'The number, or `null`: then `unavailable` has the reason.' })

export const MetricValues = Type.Object(
  Object.fromEntries(METRIC_NAMES.map((name) => [name, count])) as Record<Metric, typeof count>,
  {
    $id: 'MetricValues',
    description: 'Every number. `null` is unknown, `0` is what the network reported.',
    examples: [
      {
        likes: 12,
        comments: 3,
        reposts: 2,
        quotes: 0,
        shares: null,
        saves: 1,
        views: null,
        reach: null,
        clicks: null,
        score: null,
      },
    ],
  },
)
export type MetricValues = Static<typeof MetricValues>

export const UnavailableMetric = Type.Object(
  {
    metric: Ref(MetricName),
    reason: StringEnum(REASONS, {
      description: `Why it is \`null\`. There may be others than these.\n\n${REASONS.map((reason) => `- \`${reason}\`: ${METRIC_REASONS[reason]}`).join('\n')}`,
    }),
    scope: Type.Optional(Type.String({ description: 'The missing scope. With `scope_missing` only.' })),
  },
  {
    $id: 'UnavailableMetric',
    description: 'A number that is `null`, and why.',
    examples: [{ metric: 'views', reason: 'not_offered' }],
  },
)
export type UnavailableMetric = Static<typeof UnavailableMetric>

const MetricPoint = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'The day in UTC.' }),
    values: Ref(MetricValues, { description: 'The last numbers that were read on this day.' }),
  },
  {
    $id: 'MetricPoint',
    description: 'The numbers of one day.',
    examples: [{ day: '2027-01-15', values: MetricValues.examples[0] }],
  },
)

const time = (description: string) => NullableString({ format: 'date-time', description })
const [VALUES] = MetricValues.examples
const unavailableOf = (values: object) =>
  Object.entries(values).flatMap(([metric, value]) => (value === null ? [{ metric, reason: 'not_offered' }] : []))

export const DeliveryMetrics = Type.Object(
  {
    postId: Type.String({ description: 'The id of the post.' }),
    accountId: Type.String({ description: 'The id of the account.' }),
    platform: Ref(PlatformId),
    state: Ref(DeliveryState),
    publishedAt: time('When the post became visible. `null` if nothing is out.'),
    fetchedAt: time('When the network reported these numbers. `null`: never.'),
    nextFetchAt: time('When they are read next. `null`: not any more, or not yet planned.'),
    goneAt: time(
      'The `goneAt` of the delivery: since when the network does not show the post. `null` while it does, or was not read.',
    ),
    values: Ref(MetricValues),
    native: Dictionary(Type.Number(), {
      description:
        'What the network reported, under its own names. It may have more than `values`. For a thread, the numbers are those of its first part.',
    }),
    unavailable: Type.Array(Ref(UnavailableMetric), { description: 'Each number that is `null`, and why.' }),
    error: Nullable(Ref(DeliveryError), {
      description:
        'Why the last reading failed, or why `refresh=true` read nothing: `rate_limited` if the account rests, or if its calls are kept for publishing. The message says until when. `null` if it did not fail.',
    }),
    history: Type.Optional(
      Type.Array(Ref(MetricPoint), {
        description:
          'One point for each day on which the post was read, the earliest first. Only with `history=true`. Empty where the terms of the network forbid to keep numbers.',
      }),
    ),
  },
  {
    $id: 'DeliveryMetrics',
    description: 'The numbers of a post on one account.',
    examples: [
      {
        postId: POST_ID,
        accountId: ACCOUNT_ID,
        platform: 'bluesky',
        state: 'published',
        publishedAt: '2027-01-15T09:30:00.655Z',
        fetchedAt: '2027-01-15T11:45:02.130Z',
        nextFetchAt: '2027-01-15T12:45:02.130Z',
        goneAt: null,
        values: VALUES,
        native: { likeCount: 12, replyCount: 3, repostCount: 2, quoteCount: 0, bookmarkCount: 1 },
        unavailable: unavailableOf(VALUES),
        error: null,
      },
    ],
  },
)
export type DeliveryMetrics = Static<typeof DeliveryMetrics>

export const PostMetrics = Type.Object(
  { data: Type.Array(Ref(DeliveryMetrics), { description: 'One entry for each account, in their order.' }) },
  {
    $id: 'PostMetrics',
    description: 'The numbers of a post.',
    examples: [{ data: DeliveryMetrics.examples }],
  },
)
export type PostMetrics = Static<typeof PostMetrics>

export const DeliveryMetricsList = Type.Object(
  {
    data: Type.Array(Ref(DeliveryMetrics), { description: 'The page.' }),
    limit: Limit(),
    nextCursor: NullableString({
      description:
        'The `cursor` of the next page. `null` on the last page. A page may be shorter than `limit`, or empty, although more follows: read on until it is `null`.',
    }),
  },
  {
    $id: 'DeliveryMetricsList',
    description: 'One page of the numbers of your posts.',
    examples: [{ data: DeliveryMetrics.examples, limit: PAGE.limitDefault, nextCursor: null }],
  },
)
export type DeliveryMetricsList = Static<typeof DeliveryMetricsList>

const history = Type.Optional(Type.Boolean({ description: 'Whether each entry has its `history`. Default: `false`.' }))

export const GetPostMetricsQuery = Type.Object({
  history,
  refresh: Type.Optional(
    Type.Boolean({
      description: `Whether to read the numbers now, at most once in ${REFRESH_PAUSE_SECONDS} seconds for each account: otherwise the response has those of the last reading. \`fetchedAt\` tells. Default: \`false\`.`,
    }),
  ),
})
export type GetPostMetricsQuery = Static<typeof GetPostMetricsQuery>

export const ListDeliveryMetricsQuery = Type.Object({
  ...ListDeliveriesQuery.properties,
  history: Type.Optional(
    Type.Boolean({
      description: `Whether each entry has its \`history\`. \`limit\` is then at most ${HISTORY_LIMIT_MAX}. Default: \`false\`.`,
    }),
  ),
})
export type ListDeliveryMetricsQuery = Static<typeof ListDeliveryMetricsQuery>
