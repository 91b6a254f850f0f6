import { type Static, Type } from '@sinclair/typebox'
import { EVENT_TYPES, type EventGroup, WEBHOOK_ID } from './event.ts'
import { OVERLAP } from './key.ts'
import {
  Defaulted,
  Limit,
  NextCursor,
  Nullable,
  NullableString,
  Offset,
  Ref,
  StringEnum,
  WebAddress,
} from './shared.ts'
import { WebhookHeaders } from './webhook-headers.ts'

export const WEBHOOKS_MAX = 20
const WEBHOOK_URL_MAX = 2_000

/** Every event of a family, such as `delivery.*`. */
const EVENT_FAMILIES = [...new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*` as EventGroup))]

const WebhookEvents = StringEnum([...EVENT_TYPES, ...EVENT_FAMILIES], {
  $id: 'WebhookEvents',
  description: 'The type of an event, or a family of types: `delivery.*` is every type that begins with `delivery.`.',
  examples: ['delivery.*'],
})

const PAYLOADS = ['full', 'thin'] as const
const DISABLED_REASONS = ['owner', 'failing', 'gone'] as const

const WebhookPayload = StringEnum(PAYLOADS, {
  $id: 'WebhookPayload',
  description:
    'What an event says. `full`: `data` has what `getEvent` returns, without `metadata` if the request would have more than 20,000 bytes. `thin`: `data` has ids only, for receivers that read the rest with `getEvent`.',
  examples: ['full'],
})

const WebhookState = StringEnum(['active', 'disabled'], {
  $id: 'WebhookState',
  description: '`disabled`: nothing is sent. Events are recorded all the same.',
  examples: ['active'],
})

const WebhookDisabledReason = StringEnum(DISABLED_REASONS, {
  $id: 'WebhookDisabledReason',
  description:
    '`owner`: you disabled it. `failing`: no attempt has succeeded for 5 days. `gone`: the receiver responded 410.',
  examples: ['failing'],
})

const SECRET_EXAMPLE = { createdAt: '2026-11-23T08:02:44.905Z', expiresAt: null }

const WebhookSecret = Type.Object(
  {
    createdAt: Type.String({ format: 'date-time', description: 'When the secret was created.' }),
    expiresAt: NullableString({
      format: 'date-time',
      description: 'Until when it signs. `null` for the current secret, which signs until it is replaced.',
    }),
  },
  { $id: 'WebhookSecret', description: 'When a secret of a webhook is valid.', examples: [SECRET_EXAMPLE] },
)

export const WEBHOOK_EXAMPLE = {
  id: WEBHOOK_ID,
  url: 'https://app.example.com/hooks/postroom',
  types: ['delivery.*', 'post.settled'],
  accountIds: null,
  allUsers: false,
  organizationId: null,
  payload: 'full' as const,
  state: 'active' as const,
  disabledReason: null,
  failingSince: null,
  secretHint: 'whsec_k3Qx',
  secrets: [SECRET_EXAMPLE],
  createdAt: '2026-11-23T08:02:44.905Z',
  createdBy: '0196f0a1-3c7e-7d20-9b4f-61d8e2a5c047',
}

const WEBHOOK_PROPERTIES = {
  id: Type.String({ description: 'The id of the webhook.' }),
  url: Type.String({ description: 'Where events are sent to.' }),
  types: Nullable(Type.Array(Ref(WebhookEvents)), {
    description: 'The events that it gets. `null` means all that the scopes of the key that created it allow.',
  }),
  accountIds: Nullable(Type.Array(Type.String()), {
    description:
      'Only events of these accounts, and of posts whose accounts are all among them. `null` means all events.',
  }),
  allUsers: Type.Boolean({ description: 'Whether it gets the events of all users, each with its `userId`.' }),
  organizationId: NullableString({
    description: 'Of the events of all users, only those of this organisation. `null` means all.',
  }),
  payload: Ref(WebhookPayload),
  state: Ref(WebhookState),
  disabledReason: Nullable(Ref(WebhookDisabledReason), {
    description: 'Why it is disabled; `null` while it is active.',
  }),
  failingSince: NullableString({
    format: 'date-time',
    description: 'Since when no attempt has succeeded. `null` if the last one has.',
  }),
  secretHint: Type.String({ description: 'The first characters of the secret, to tell secrets apart.' }),
  secrets: Type.Array(Ref(WebhookSecret), {
    description: 'The secrets that sign each event: the current one, and after a rotation the previous one.',
  }),
  createdAt: Type.String({ format: 'date-time', description: 'When the webhook was created.' }),
  createdBy: NullableString({
    description:
      'The id of the API key that created it. The webhook stays when the key is revoked, but for the key of a connected app: its webhooks are deleted when its access ends. `null` if an earlier version created it.',
  }),
}

export const Webhook = Type.Object(WEBHOOK_PROPERTIES, {
  $id: 'Webhook',
  description: 'A URL that events are sent to, without its secret.',
  examples: [WEBHOOK_EXAMPLE],
})
export type Webhook = Static<typeof Webhook>

export const WebhookList = Type.Object(
  {
    data: Type.Array(Ref(Webhook), { description: 'The page, newest first.' }),
    limit: Limit(),
    offset: Offset(),
    nextCursor: NextCursor(),
  },
  {
    $id: 'WebhookList',
    description: 'One page of webhooks, with the paging that was applied.',
    examples: [{ data: [WEBHOOK_EXAMPLE], limit: 25, offset: 0, nextCursor: null }],
  },
)
export type WebhookList = Static<typeof WebhookList>

export const WebhookWithSecret = Type.Object(
  {
    ...WEBHOOK_PROPERTIES,
    secret: Type.String({
      description: 'The secret that signs each event, for the library of the receiver. No other response contains it.',
    }),
  },
  {
    $id: 'WebhookWithSecret',
    description: 'A webhook with its new secret.',
    // Too short for a secret: nobody should mistake it for one.
    examples: [{ ...WEBHOOK_EXAMPLE, secret: 'whsec_k3QxExampleExample' }],
  },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

const url = WebAddress({
  maxLength: WEBHOOK_URL_MAX,
  description: `Where events are sent to: an https URL of at most ${WEBHOOK_URL_MAX} characters, without a user name or password, that leads to the public internet. Any port will do. Redirects are not followed.`,
})
const types = Type.Array(Ref(WebhookEvents), { minItems: 1, description: 'The events that it gets.' })
const accountIds = Type.Array(Type.String(), {
  minItems: 1,
  description: 'It gets only events of these accounts, from `listAccounts`.',
})

export const CREATE_WEBHOOK_EXAMPLES = {
  outcomes: { url: 'https://app.example.com/hooks/postroom', types: ['delivery.*', 'post.settled'] },
  idsOnly: { url: 'https://app.example.com/hooks/postroom', payload: 'thin' },
  allUsers: { url: 'https://app.example.com/hooks/postroom', types: ['delivery.*'], allUsers: true },
  gateway: { url: 'https://app.example.com/hooks/postroom', headers: { authorization: 'Bearer example' } },
}

export const CreateWebhook = Type.Object(
  {
    url,
    types: Type.Optional({
      ...types,
      description:
        'The events that it gets: none that the scopes of your key do not allow to read. Leave it out for all that they allow, types of later versions included.',
    }),
    accountIds: Type.Optional({
      ...accountIds,
      description:
        'It gets only events of these accounts, from `listAccounts`. Leave it out for all accounts that your key can use.',
    }),
    allUsers: Defaulted(
      Type.Boolean({
        description:
          'Whether it gets the events of all users, each with its `userId`: for a key with the scope `admin`, and not together with `accountIds`. Default: `false`.',
      }),
      false,
    ),
    organizationId: Type.Optional(
      Type.String({
        description:
          'Of the events of all users, only those of accounts that belong to this organisation, and of posts all of whose accounts do. Implies `allUsers`.',
      }),
    ),
    payload: Defaulted(Ref(WebhookPayload), 'full'),
    headers: Type.Optional(WebhookHeaders),
  },
  {
    $id: 'CreateWebhook',
    additionalProperties: false,
    description: 'A new webhook. Unknown keys are rejected.',
    examples: Object.values(CREATE_WEBHOOK_EXAMPLES),
  },
)
export type CreateWebhook = Static<typeof CreateWebhook>

export const UPDATE_WEBHOOK_EXAMPLES = {
  enable: { state: 'active' },
  everything: { types: null, url: 'https://app.example.com/hooks/other' },
}

export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(url),
    types: Type.Optional(
      Nullable(types, { description: 'The events that it gets. `null` for all that its scopes allow.' }),
    ),
    accountIds: Type.Optional(
      Nullable(accountIds, {
        description: 'It gets only events of these accounts. `null` for all accounts that your key can use.',
      }),
    ),
    payload: Type.Optional(Ref(WebhookPayload)),
    headers: Type.Optional({
      ...WebhookHeaders,
      description: `${WebhookHeaders.description} These replace all that there are; \`{}\` removes them. A \`url\` of another host needs them again, because they may be secrets of the old one.`,
    }),
    state: Type.Optional(Ref(WebhookState)),
  },
  {
    $id: 'UpdateWebhook',
    additionalProperties: false,
    description: 'The changes to a webhook. What is left out stays as it is. Unknown keys are rejected.',
    examples: Object.values(UPDATE_WEBHOOK_EXAMPLES),
  },
)
export type UpdateWebhook = Static<typeof UpdateWebhook>

export const ROTATE_WEBHOOK_SECRET_EXAMPLES = { aDay: {}, leaked: { overlapSeconds: 0, force: true } }

export const RotateWebhookSecret = Type.Object(
  {
    overlapSeconds: Defaulted(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP.secondsMax,
        description: `For how long the old secret signs too: up to ${OVERLAP.secondsMax} seconds, which is 7 days. Default: ${OVERLAP.secondsDefault}, a day.`,
      }),
      OVERLAP.secondsDefault,
    ),
    force: Defaulted(
      Type.Boolean({
        description: 'Rotates although two secrets are valid: the older one ends immediately. Default: `false`.',
      }),
      false,
    ),
  },
  {
    $id: 'RotateWebhookSecret',
    additionalProperties: false,
    description: 'How the secret of a webhook is replaced. Unknown keys are rejected.',
    examples: Object.values(ROTATE_WEBHOOK_SECRET_EXAMPLES),
  },
)
export type RotateWebhookSecret = Static<typeof RotateWebhookSecret>

export const WebhookPath = Type.Object({
  id: Type.String({ description: 'The id of the webhook, from `listWebhooks`.', examples: [WEBHOOK_ID] }),
})
export type WebhookPath = Static<typeof WebhookPath>
