import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES, AccountTag } from './account.ts'
import { Delivery, DeliveryError, type DeliveryState, POST_ID } from './delivery.ts'
import { DELIVERY_STATES } from './delivery-states.ts'
import { MEDIA_ID, Media, PREVIEW_WIDTHS } from './media.ts'
import { PlatformId, POST_TYPES } from './platform.ts'
import { PLATFORM_IDS } from './platform-ids.ts'
import { POST_STATUSES, Post, PostDetail, PostTarget } from './post.ts'
import { REFERENCE_MAX } from './references.ts'
import {
  Advised,
  FormedText,
  Limit,
  Nullable,
  NullableString,
  Offset,
  PAGE,
  PageQuery,
  Ref,
  StringEnum,
  UUID,
  UUID_PATTERN,
} from './shared.ts'
import { ZONE_NAME } from './time.ts'

const [{ id: ACCOUNT_ID }] = ACCOUNT_EXAMPLES

/** A cursor that names the query it belongs to. */
const OPAQUE_CURSOR = '[A-Za-z0-9_-]{60,400}'
export const POSTS_CURSOR = `^(?:${UUID}|${OPAQUE_CURSOR})$`
export const DELIVERIES_CURSOR = `^${OPAQUE_CURSOR}$`

/** In UTF-16 units. */
const SEARCH_MAX = 200

export const ERROR_CODE_FORM = '^[a-z0-9_]{1,64}$'

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

const from = (what: string) => time(`Only ${what} at this time or later, in RFC 3339.`)
const before = (what: string) => time(`Only ${what} before this time, in RFC 3339.`)

/** The posts that a filter on `scheduledAt` selects. */
const OF_POSTS =
  'posts that are scheduled, themselves or for one of their accounts, for a delivery that meets the other filters if there are some,'

/** `other` is the filter that has the values which are mistaken for these. */
const several = <const T extends readonly string[]>(values: T, description: string, other: Filter) =>
  Type.Optional(
    Type.Array(
      Advised(StringEnum(values), (value) =>
        other.values.includes(value) ? `${other.owners} have it: ${other.name}=${value}` : undefined,
      ),
      { description },
    ),
  )

interface Filter {
  name: string
  owners: string
  values: readonly string[]
}

const STATUS: Filter = { name: 'status', owners: 'Posts', values: POST_STATUSES }
const STATE: Filter = { name: 'state', owners: 'Deliveries', values: DELIVERY_STATES }

const DELIVERY_FILTERS = {
  organizationId: Type.Optional(
    Type.String({
      pattern: UUID_PATTERN,
      description:
        'The posts of all members of this organisation instead of your own: those all of whose accounts belong to it. Only admins of the organisation may use it.',
    }),
  ),
  state: several(
    DELIVERY_STATES,
    'Only deliveries in this state. May be repeated: `state=failed&state=missed`.',
    STATUS,
  ),
  errorCode: Type.Optional(
    Type.String({
      pattern: ERROR_CODE_FORM,
      description: 'Only deliveries whose last error has this code, such as `unauthorized`.',
    }),
  ),
  accountId: Type.Optional(
    Type.String({ pattern: UUID_PATTERN, description: 'Only deliveries to the account with this id.' }),
  ),
  accountTag: Type.Optional(
    AccountTag('Only deliveries to accounts that have this tag now, which has to be the same in case and accents too.'),
  ),
  platform: Type.Optional(StringEnum(PLATFORM_IDS, { description: 'Only deliveries to accounts on this network.' })),
}

/** The filters of posts. */
export const POST_FILTERS = {
  status: several(
    POST_STATUSES,
    'Only posts with this status. May be repeated: `status=draft&status=scheduled`.',
    STATE,
  ),
  ...DELIVERY_FILTERS,
  postType: Type.Optional(StringEnum(POST_TYPES, { description: 'Only posts of this type.' })),
  scheduledFrom: from(OF_POSTS),
  scheduledBefore: before(OF_POSTS),
  createdFrom: from('posts that were created'),
  createdBefore: before('posts that were created'),
  updatedFrom: from('posts that were last changed'),
  updatedBefore: before('posts that were last changed'),
  externalReference: Type.Optional(
    Type.String({ maxLength: REFERENCE_MAX, description: 'Only posts with exactly this `externalReference`.' }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: SEARCH_MAX,
      description:
        'Only posts with all these words, in any order, in the caption, the captions and threads for single accounts, or the `externalReference`. Whole words are compared, without regard to case, accents, points or punctuation: `strasse` finds `Straße`, and `lodz` finds `Łódź`; no character is a wildcard. In scripts without spaces, such as Chinese and Japanese, neighbouring characters are compared. An emoji is a word. New and changed posts are found within a few seconds, while a worker runs.',
    }),
  ),
}

const SORTS = ['createdAt', 'scheduledAt', 'updatedAt'] as const
const INCLUDES = ['deliveries', 'targets', 'media'] as const

export const ListPostsQuery = Type.Object({
  ...PageQuery.properties,
  limit: {
    ...PageQuery.properties.limit,
    description: `The maximum number of posts on the page: 1 to ${PAGE.limitMax}. Default: ${PAGE.limitDefault}. A page ends sooner after ${PAGE.bytesMax / 2 ** 20} MB of long texts, of accounts with \`include=targets\`, or of files with \`include=media\`: \`nextCursor\` leads on, and \`limit\` of the response is then the number of posts on the page.`,
  },
  cursor: Type.Optional(
    Type.String({
      pattern: POSTS_CURSOR,
      description:
        'The `nextCursor` of the previous page, with the same filters and order. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Cannot be combined with an `offset` other than 0.',
    }),
  ),
  ...POST_FILTERS,
  sort: Type.Optional(
    StringEnum(SORTS, {
      description:
        'The time to sort by. Default: `scheduledAt` with a filter on it, otherwise `updatedAt` with a filter on that, otherwise `createdAt`. With `scheduledAt`, only posts that have one are listed. With `updatedAt`, a post that changes while you read may be listed twice or not at all.',
    }),
  ),
  order: Type.Optional(
    StringEnum(['asc', 'desc'], { description: '`desc` puts the latest first, `asc` the earliest. Default: `desc`.' }),
  ),
  include: Type.Optional(
    Type.Array(StringEnum(INCLUDES), {
      description: `What each post has besides. May be repeated. \`deliveries\`: the number of its deliveries in each state. \`targets\`: its accounts with their deliveries, without \`history\`. \`media\`: the properties and addresses of its files; the key needs \`media:read\` too.`,
    }),
  ),
})
export type ListPostsQuery = Static<typeof ListPostsQuery>

const { history, ...listedDelivery } = Delivery.properties
const { history: _, ...LISTED_DELIVERY } = Delivery.examples[0]

const ListedDelivery = Type.Object(listedDelivery, {
  $id: 'ListedDelivery',
  description: 'The delivery of a post to one account, without its attempts.',
  examples: [LISTED_DELIVERY],
})

const [TARGET] = PostTarget.examples

export const ListedTarget = Type.Object(
  { ...PostTarget.properties, delivery: Ref(ListedDelivery) },
  {
    $id: 'ListedTarget',
    description: 'One account of a listed post, with the delivery to it.',
    examples: [{ ...TARGET, delivery: LISTED_DELIVERY }],
  },
)
export type ListedTarget = Static<typeof ListedTarget>

const { id, kind, mimeType, bytes, width, height, durationSeconds, fileName } = Media.properties
const [IMAGE] = Media.examples

export const ListedFile = Type.Object(
  {
    id,
    kind,
    mimeType,
    bytes,
    width,
    height,
    durationSeconds,
    fileName,
    altText: NullableString({
      description:
        'The alternative text: that of the post in `altTexts`, or else that of the file. `null` without one.',
    }),
    url: NullableString({
      description:
        'An address of the file as it is published, for `src` of an image or a video. It takes no API key and works for a day. `null` where the file has no content.',
    }),
    previewUrl: NullableString({
      description: `An address of the preview that \`getMediaPreview\` returns, for \`src\` of an image. It takes no API key, works for half a day or more, and stays the same for half a day, so that browsers keep the picture. Its \`width\` may be changed to ${PREVIEW_WIDTHS.join(', ')}; the signature holds for all. \`null\` where the file has no content.`,
    }),
  },
  {
    $id: 'ListedFile',
    description: 'A file of a listed post.',
    examples: [
      {
        id: IMAGE.id,
        kind: IMAGE.kind,
        mimeType: IMAGE.mimeType,
        bytes: IMAGE.bytes,
        width: IMAGE.width,
        height: IMAGE.height,
        durationSeconds: null,
        altText: IMAGE.altText,
        fileName: IMAGE.fileName,
        url: 'https://postroom.example.com/files/4f0e6c1d2b9a48c7a5d3e8f1706b2c94.jpg?expires=1795334400&signature=k3Zq',
        previewUrl: `https://postroom.example.com/files/previews/${Post.examples[0].userId}/${IMAGE.id}?expires=1795334400&signature=Wd8f&width=320`,
      },
    ],
  },
)
export type ListedFile = Static<typeof ListedFile>

const count = Type.Integer({ minimum: 1, description: 'The number of deliveries in this state.' })

export const DeliveryCounts = Type.Partial(
  Type.Object({
    waiting: count,
    queued: count,
    publishing: count,
    published: count,
    failed: count,
    cancelled: count,
    unconfirmed: count,
    missed: count,
    removing: count,
    removed: count,
    remove_failed: count,
  } satisfies Record<DeliveryState, typeof count>),
  {
    $id: 'DeliveryCounts',
    description: 'The number of deliveries in each state. A state without deliveries is absent.',
    examples: [{ published: 1, failed: 2 }],
  },
)
export type DeliveryCounts = Static<typeof DeliveryCounts>

const POST = { ...Post.examples[0], mediaIds: [] as string[] }
const DRAFT = { ...Post.examples[1], mediaIds: [] as string[] }

const NextOfFiltered = (advice: string) =>
  NullableString({ description: `The \`cursor\` of the next page. \`null\` on the last page. ${advice}` })

export const ListedPost = Type.Object(
  {
    ...Post.properties,
    mediaIds: PostDetail.properties.mediaIds,
    deliveries: Type.Optional(Ref(DeliveryCounts)),
    media: Type.Optional(
      Type.Array(Ref(ListedFile), {
        description:
          'Its files in the order of `mediaIds`, and with `include=targets` then those of single accounts. Only with `include=media`.',
      }),
    ),
    targets: Type.Optional(
      Type.Array(Ref(ListedTarget), { description: 'Its accounts. Only with `include=targets`.' }),
    ),
  },
  {
    $id: 'ListedPost',
    description:
      'A post in a list. `deliveries`, `targets` and `media` are there with the `include` of this name. Without them, see `getPost`.',
    examples: [
      POST,
      DRAFT,
      { ...POST, status: 'published', deliveries: DeliveryCounts.examples[0] },
      { ...POST, mediaIds: [MEDIA_ID], media: ListedFile.examples },
    ],
  },
)
export type ListedPost = Static<typeof ListedPost>

export const PostList = Type.Object(
  {
    data: Type.Array(Ref(ListedPost), { description: 'The page, newest first unless another order is requested.' }),
    limit: Limit(),
    offset: Offset(),
    nextCursor: NextOfFiltered(
      'A page may be shorter than the `limit` of the request, and with filters empty, although more follows: read on until it is `null`.',
    ),
  },
  {
    $id: 'PostList',
    description: 'One page of your posts, with the paging that was applied.',
    examples: [{ data: [POST, DRAFT], limit: 25, offset: 0, nextCursor: null }],
  },
)
export type PostList = Static<typeof PostList>

export const ListDeliveriesQuery = Type.Object({
  limit: PageQuery.properties.limit,
  cursor: Type.Optional(
    Type.String({
      pattern: DELIVERIES_CURSOR,
      description: 'The `nextCursor` of the previous page, with the same filters. Leave it out to get the first page.',
    }),
  ),
  ...DELIVERY_FILTERS,
  scheduledFrom: from('deliveries that are scheduled'),
  scheduledBefore: before('deliveries that are scheduled'),
  changedAfter: time(
    'Only deliveries whose `changedAt` is after this time, in RFC 3339. A change may become visible a few seconds after its `changedAt`: to follow all changes, repeat the request with a time some seconds before the last one that you have seen.',
  ),
})
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>

const { state, attempts, nextAttemptAt, publishedAt, externalId, externalUrl, edit, goneAt, cost } = Delivery.properties

/** In code points. */
export const EXCERPT_MAX = 200

const FoundDelivery = Type.Object(
  {
    postId: Type.String({ description: 'The id of the post.' }),
    accountId: Type.String({ description: 'The id of the account.' }),
    platform: Ref(PlatformId),
    username: Type.String({ description: 'The account’s handle on the network.' }),
    captionExcerpt: Type.String({
      description: `The first ${EXCERPT_MAX} characters of the caption for this account, to recognise the post by.`,
    }),
    state,
    scheduledAt: NullableString({
      format: 'date-time',
      description: 'When the delivery is due: at the time of its account, or else of the post. `null` for a draft.',
    }),
    attempts,
    nextAttemptAt,
    publishedAt,
    changedAt: NullableString({
      format: 'date-time',
      description:
        'The time of the last change: of the state, of the error, or of the acts on the network. It is also a change that the post disappeared from its network. It does not count when a worker claims the delivery. `null` if nothing has changed since the post was created.',
    }),
    externalId,
    externalUrl,
    error: Nullable(Ref(DeliveryError), { description: 'The last error, or `null`.' }),
    edit,
    goneAt,
    cost,
  },
  {
    $id: 'FoundDelivery',
    description: 'The delivery of a post to one account, in a list.',
    examples: [
      {
        postId: POST_ID,
        accountId: ACCOUNT_ID,
        platform: 'bluesky',
        username: 'ada.example.com',
        captionExcerpt: POST.caption,
        state: 'failed',
        scheduledAt: '2027-01-15T09:30:00.000Z',
        attempts: 1,
        nextAttemptAt: null,
        publishedAt: null,
        changedAt: '2027-01-15T09:30:00.655Z',
        externalId: null,
        externalUrl: null,
        error: {
          code: 'unauthorized',
          message: 'bsky.social: Invalid identifier or password',
          retryable: false,
        },
      },
    ],
  },
)

export const DeliveryList = Type.Object(
  {
    data: Type.Array(Ref(FoundDelivery), { description: 'The page.' }),
    limit: Limit(),
    nextCursor: NextOfFiltered(
      'A page may be shorter than `limit`, or empty, although more follows: read on until it is `null`.',
    ),
  },
  {
    $id: 'DeliveryList',
    description: 'One page of the deliveries of your posts.',
    examples: [{ data: FoundDelivery.examples, limit: PAGE.limitDefault, nextCursor: null }],
  },
)
export type DeliveryList = Static<typeof DeliveryList>

export const CountPostsQuery = Type.Object({
  by: StringEnum(['status', 'state', 'account', 'day'], {
    description:
      'What to group by. `status` counts posts. `day` counts posts by the day on which an account publishes them in `timeZone`: that of `scheduledAt` of the post, or of the time that the account has of its own. A post with times on two days counts on both. `state` and `account` count deliveries.',
    examples: ['status'],
  }),
  timeZone: Type.Optional(
    FormedText(ZONE_NAME, {
      maxLength: 64,
      description: 'The IANA name of the time zone of the days, such as `Europe/Berlin`. Default: `UTC`.',
    }),
  ),
  ...POST_FILTERS,
})
export type CountPostsQuery = Static<typeof CountPostsQuery>

const PostCount = Type.Object(
  {
    value: Type.String({
      description: 'The status, the state, the id of the account, or the day as `YYYY-MM-DD`.',
    }),
    count: Type.Integer({ minimum: 1, description: 'The number of posts or deliveries.' }),
  },
  { $id: 'PostCount', description: 'One group.', examples: [{ value: 'draft', count: 3 }] },
)

export const PostCounts = Type.Object(
  {
    data: Type.Array(Ref(PostCount), { description: 'The groups in the order of their values, without empty ones.' }),
    capped: Type.Boolean({
      description: 'Whether there were more than 10,000 posts to look at. Each count is then a lower bound.',
    }),
  },
  {
    $id: 'PostCounts',
    description: 'How many posts or deliveries there are.',
    examples: [
      {
        data: [
          { value: 'draft', count: 3 },
          { value: 'scheduled', count: 12 },
        ],
        capped: false,
      },
    ],
  },
)
export type PostCounts = Static<typeof PostCounts>
