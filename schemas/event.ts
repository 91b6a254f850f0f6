import { type Static, type TLiteral, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { Delivery, DeliveryError, DeliveryState, POST_ID } from './delivery.ts'
import { DeliveryCounts } from './find.ts'
import { PlatformId } from './platform.ts'
import { PostStatus } from './post.ts'
import { Dictionary, Ref, StringEnum } from './shared.ts'

const [{ id: ACCOUNT_ID, username: USERNAME }] = ACCOUNT_EXAMPLES
export const EVENT_ID = '0196f0d2-5b1e-7c43-9a6d-2f80b7c1e954'
const KEY_ID = '0196f0a1-3c7e-7d20-9b4f-61d8e2a5c047'
const TIME = '2026-11-21T08:15:30.123Z'

const time = (description: string) => Type.String({ format: 'date-time', description })
const optional = Type.Optional
const id = (of: string) => Type.String({ description: `The id of the ${of}.` })

const references = {
  externalReference: optional(Type.String({ description: 'The `externalReference` of the post, if it has one.' })),
  metadata: optional(Dictionary(Type.String(), { description: 'The `metadata` of the post, if it has some.' })),
  scheduledAt: optional(time('The time of the post, and of a delivery its own if it has one. Absent for a draft.')),
}

const post = {
  postId: id('post'),
  accountIds: Type.Array(Type.String(), { description: 'The ids of its accounts, in their order.' }),
  ...references,
}
const POST = { postId: POST_ID, accountIds: [ACCOUNT_ID], scheduledAt: '2026-11-21T08:15:00.000Z' }

const writtenPost = {
  ...post,
  status: Ref(PostStatus),
}

const EventActor = Type.Object(
  { keyId: id('API key') },
  { $id: 'EventActor', description: 'The key of the request that caused the event.', examples: [{ keyId: KEY_ID }] },
)

const actor = optional(
  Ref(EventActor, { description: 'The key of the request. Absent where the operator of the service did it.' }),
)

const delivery = {
  postId: id('post'),
  accountId: id('account'),
  platform: Ref(PlatformId),
  username: Type.String({ description: 'The handle of the account on its network.' }),
  ...references,
  state: Ref(DeliveryState),
  publishedAt: optional(time('When the post became visible. Absent if it did not.')),
  externalId: optional(Type.String({ description: 'The id of the post on its network, if it is known.' })),
  externalUrl: optional(Type.String({ description: 'The address of the post on its network, if it is known.' })),
  acts: Type.Integer({
    minimum: 0,
    description:
      'How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment.',
  }),
  attempt: Type.Integer({ minimum: 0, description: 'The number of the last attempt.' }),
  error: optional(Ref(DeliveryError)),
}
const [DELIVERY] = Delivery.examples
const PUBLISHED = {
  postId: POST_ID,
  accountId: ACCOUNT_ID,
  platform: 'bluesky',
  username: USERNAME,
  scheduledAt: POST.scheduledAt,
  state: 'published',
  publishedAt: TIME,
  acts: 1,
  attempt: 1,
  externalId: DELIVERY.externalId,
  externalUrl: DELIVERY.externalUrl,
}
const { publishedAt: _, externalId: __, externalUrl: ___, ...UNPUBLISHED } = PUBLISHED
const REFUSED = { code: 'content_refused', message: 'The network rejected the image', retryable: false }
const KEPT = { code: 'unauthorized', message: 'The access token is invalid', retryable: false }
const LOST = { code: 'timeout', message: 'The response of the network was lost', retryable: true }
const LATE = { code: 'too_late', message: 'Due for more than 24 hours', retryable: false }

const account = {
  accountId: id('account'),
  platform: Ref(PlatformId),
  username: Type.String({ description: 'The handle of the account on its network.' }),
  externalReference: optional(Type.String({ description: 'The `externalReference` of the account, if it has one.' })),
  metadata: optional(Dictionary(Type.String(), { description: 'The `metadata` of the account, if it has some.' })),
}
const ACCOUNT = { accountId: ACCOUNT_ID, platform: 'bluesky', username: USERNAME }

const key = {
  keyId: id('key'),
  name: optional(Type.String({ description: 'The name of the key, if it has one.' })),
}
const KEY = { keyId: KEY_ID, name: 'calendar' }

export const WEBHOOK_ID = '01a20e1c-5b7a-7c02-9e34-6a1f0d2c8b95'
const failingWebhook = {
  webhookId: id('webhook'),
  failingSince: time('Since when no attempt has succeeded.'),
}

/** The schema of one type of event. */
function defineEvent<const T extends string, P extends TProperties>(
  type: T,
  description: string,
  data: P,
  example: Record<string, unknown>,
) {
  const name = type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const eventData = Type.Object(data, {
    $id: `${name}Data`,
    description: `What the event \`${type}\` tells.`,
    examples: [example],
  })
  return Type.Object(
    {
      id: Type.String({ description: 'The id of the event. It is the same in every copy of the event.' }),
      type: Type.Literal(type, { description: 'The type of the event.' }),
      timestamp: time('When it happened, in UTC with milliseconds.'),
      userId: optional(
        Type.String({ description: 'The id of its user. Only for readers of the events of all users: `allUsers`.' }),
      ),
      position: Type.Integer({
        minimum: 1,
        description: 'The place of the event among all events of its user. Positions increase; some are not shown.',
      }),
      data: Ref(eventData),
    },
    {
      $id: `${name}Event`,
      description,
      examples: [{ id: EVENT_ID, type, timestamp: TIME, position: 42, data: example }],
    },
  )
}

/** Every type of event, in the order of the documentation. */
export const EVENTS = [
  defineEvent('post.created', 'A post was created.', writtenPost, { ...POST, status: 'scheduled' }),
  defineEvent(
    'post.updated',
    'A post was changed by `updatePost` or `publishPost`, or the alternative text or the focus of one of its files by `updateMedia`.',
    {
      ...writtenPost,
      changed: Type.Array(Type.String(), {
        description:
          'The names of the properties that have other values now. `altText` and `focus` are those of a file in `mediaIds`.',
      }),
    },
    { ...POST, status: 'scheduled', changed: ['scheduledAt'] },
  ),
  defineEvent('post.deleted', 'A post was deleted by `deletePost`.', writtenPost, { ...POST, status: 'scheduled' }),
  defineEvent(
    'post.settled',
    'Nothing of a post is going to be sent any more: every delivery is published, failed, cancelled, unconfirmed or missed. A delivery that is retried after that leads to another event.',
    { ...post, deliveries: Ref(DeliveryCounts) },
    { ...POST, deliveries: { published: 1 } },
  ),
  defineEvent(
    'delivery.published',
    'A post is visible on the network of an account: of a thread, the first part is. More of it may follow.',
    {
      ...delivery,
      latenessMs: optional(
        Type.Integer({ minimum: 0, description: 'Milliseconds between its time and its publication.' }),
      ),
    },
    { ...PUBLISHED, latenessMs: 412 },
  ),
  defineEvent(
    'delivery.failed',
    'A delivery has failed and is not tried again automatically. With the state `published`, it is the first comment that has failed.',
    delivery,
    { ...UNPUBLISHED, state: 'failed', acts: 0, error: REFUSED },
  ),
  defineEvent(
    'delivery.unconfirmed',
    'A post may be out, and the network cannot tell. Check the network, then call `resolveDelivery`.',
    { ...delivery, intendedAt: optional(time('When the call was made whose outcome is unknown.')) },
    { ...UNPUBLISHED, state: 'unconfirmed', acts: 0, error: LOST, intendedAt: TIME },
  ),
  defineEvent(
    'delivery.missed',
    'A delivery was due for too long, or the operator holds it back or has restored a backup.',
    delivery,
    {
      ...UNPUBLISHED,
      state: 'missed',
      acts: 0,
      attempt: 0,
      error: LATE,
    },
  ),
  defineEvent(
    'delivery.cancelled',
    'A delivery was cancelled by `cancelDelivery`.',
    { ...delivery, actor },
    {
      ...UNPUBLISHED,
      state: 'cancelled',
      acts: 0,
      attempt: 0,
      error: { code: 'cancelled', message: 'The owner cancelled the delivery', retryable: true },
      actor: { keyId: KEY_ID },
    },
  ),
  defineEvent(
    'delivery.removed',
    'What was published of a delivery is no longer on its network, after `removeDelivery` or `removePost`.',
    delivery,
    { ...PUBLISHED, state: 'removed', acts: 0 },
  ),
  defineEvent(
    'delivery.remove_failed',
    'What was published of a delivery could not be removed, and is not tried again automatically.',
    delivery,
    { ...PUBLISHED, state: 'remove_failed', error: KEPT },
  ),
  defineEvent(
    'delivery.edited',
    'What was published of a delivery was edited on its network, by `editDelivery`. On a network that publishes an edit as a new post, `externalId` and `externalUrl` are those of the new one.',
    delivery,
    PUBLISHED,
  ),
  defineEvent(
    'delivery.edit_failed',
    'What was published of a delivery could not be edited, and is not tried again automatically. The post is still published. `error` is that of the edit.',
    delivery,
    { ...PUBLISHED, error: KEPT },
  ),
  defineEvent(
    'delivery.resolved',
    'The owner has stated the outcome of a delivery, by `resolveDelivery` or `markDeliveryPublished`, or the operator has, such as after a restore from a backup.',
    { ...delivery, outcome: Ref(DeliveryState, { description: 'The state that the owner has given it.' }), actor },
    { ...PUBLISHED, outcome: 'published', actor: { keyId: KEY_ID } },
  ),
  defineEvent(
    'delivery.retried',
    'A delivery that had ended is going to be sent again, or looked up on its network.',
    { ...delivery, actor },
    { ...UNPUBLISHED, state: 'queued', acts: 0, error: REFUSED, actor: { keyId: KEY_ID } },
  ),
  defineEvent(
    'delivery.gone',
    'A published post is not on its network any more: somebody has deleted or hidden it there, or the network has. Two readings have not found it. Only written where `METRICS` is on. If the post shows again and is then gone again, another event is written.',
    { ...delivery, goneAt: time('When a reading did not find it for the first time.') },
    { ...PUBLISHED, goneAt: '2026-11-23T10:02:11.048Z' },
  ),
  defineEvent(
    'metrics.updated',
    'A network has reported other numbers of a post than before: `getPostMetrics` returns them. Only written while a webhook of the user, or of all users, names this type or `metrics.*`.',
    { postId: id('post'), accountId: id('account'), platform: Ref(PlatformId) },
    { postId: POST_ID, accountId: ACCOUNT_ID, platform: 'bluesky' },
  ),
  defineEvent(
    'account.connected',
    'An account was connected, or needs its owner no longer. Everybody who may use the account gets the events about it.',
    account,
    ACCOUNT,
  ),
  defineEvent(
    'account.updated',
    'The display name or the default fields of an account were changed by `updateAccount`, or its schedule by `putSchedule`.',
    {
      ...account,
      changed: Type.Array(Type.String(), { description: 'The names of the properties that have other values now.' }),
      actor,
    },
    { ...ACCOUNT, changed: ['displayName'], actor: { keyId: KEY_ID } },
  ),
  defineEvent('account.disconnected', 'An account was disconnected.', account, ACCOUNT),
  defineEvent(
    'account.reconnect_required',
    'The owner of an account has to act, in most cases by connecting it again.',
    { ...account, reason: Type.String({ description: 'The `code` of the `attention` of the account.' }) },
    { ...ACCOUNT, reason: 'unauthorized' },
  ),
  defineEvent(
    'account.expiring',
    'The credentials of an account expire and cannot be refreshed. Written 7 days before and 1 day before.',
    { ...account, expiresAt: time('When they expire.') },
    { ...ACCOUNT, expiresAt: '2026-11-28T08:15:30.000Z' },
  ),
  defineEvent('key.created', 'An API key was created.', { ...key, actor }, { ...KEY, actor: { keyId: KEY_ID } }),
  defineEvent(
    'key.rotated',
    'An API key was created in place of another one.',
    { ...key, replaces: id('key that it replaces'), actor },
    { ...KEY, replaces: '0196f09f-77d1-7a3c-8e52-0b94d6f1c385', actor: { keyId: KEY_ID } },
  ),
  defineEvent('key.revoked', 'An API key was revoked.', { ...key, actor }, { ...KEY, actor: { keyId: KEY_ID } }),
  defineEvent(
    'key.expiring',
    'An API key expires within 7 days, and no other key replaces it.',
    { ...key, expiresAt: time('When it expires.') },
    { ...KEY, expiresAt: '2026-11-28T08:15:30.000Z' },
  ),
  defineEvent(
    'webhook.test',
    'A test of a webhook, by `testWebhook`. Only this webhook gets it, even if its types exclude it.',
    {
      webhookId: id('webhook'),
      sample: optional(Type.String({ description: 'The type whose example the webhook got in place of this event.' })),
    },
    { webhookId: WEBHOOK_ID },
  ),
  defineEvent(
    'webhook.failing',
    'No attempt of a webhook has succeeded for a day. Written again a day before the webhook is disabled.',
    { ...failingWebhook, disabledFrom: time('When it is disabled, if no attempt succeeds until then.') },
    { webhookId: WEBHOOK_ID, failingSince: '2026-11-20T08:15:30.123Z', disabledFrom: '2026-11-25T08:15:30.123Z' },
  ),
  defineEvent(
    'webhook.disabled',
    'A webhook was disabled: no attempt has succeeded for 5 days, or its receiver responded 410. Nothing is lost: see the tag *webhooks*.',
    {
      ...failingWebhook,
      reason: StringEnum(['failing', 'gone'], { description: 'The `disabledReason` of the webhook.' }),
    },
    { webhookId: WEBHOOK_ID, failingSince: '2026-11-16T08:15:30.123Z', reason: 'failing' },
  ),
  defineEvent(
    'sandbox.clock_reached',
    'Your sandbox clock has reached the time of `putSandboxClock`. Everything that was due before has happened, and has its events before this one.',
    { now: time('The time that it has reached.') },
    { now: '2027-02-21T00:00:00.000Z' },
  ),
] as const

type OneEvent = Static<(typeof EVENTS)[number]>
export type EventType = OneEvent['type']

type GroupOf<T> = T extends `${infer Name}.${string}` ? `${Name}.*` : never
/** All types of events that begin alike, such as `delivery.*`. */
export type EventGroup = GroupOf<EventType>

const typeOf = (event: TObject) => (event.properties.type as TLiteral<EventType>).const

export const EVENT_TYPES = EVENTS.map(typeOf) as EventType[]

export const Event = Type.Unsafe<OneEvent>({
  $id: 'Event',
  description: 'Something that has become true. `type` says what, and which `data` the event has.',
  oneOf: EVENTS.map((event) => Ref(event)),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(EVENTS.map((event) => [typeOf(event), `#/components/schemas/${event.$id}`])),
  },
  examples: [...EVENTS[4].examples],
})
export type Event = OneEvent

export const VISIBLE = `A key sees the events that its scopes allow: of posts and deliveries with \`posts:read\`, of accounts with \`accounts:read\`, of keys with \`keys:manage\`, of webhooks with \`webhooks:manage\`. A key without any of these scopes gets a 403. A key that is limited to accounts sees events all of whose accounts are in its list.`
