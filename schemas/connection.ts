import { type Static, Type } from '@sinclair/typebox'
import { Account, OWNED } from './account.ts'
import { errorResponse, unavailableResponse } from './error.ts'
import { PlatformId } from './platform.ts'
import { NewMetadata, NewReference } from './references.ts'
import { Dictionary, Ref, StringEnum } from './shared.ts'

/** In UTF-16 units. */
const URL_LENGTH_MAX = 2_048
const TEXT_LENGTH_MAX = 256

export const CREATE_CONNECTION_EXAMPLES = {
  x: { platform: 'x' },
  mastodon: { platform: 'mastodon', hint: 'mastodon.social' },
  returnUrl: { platform: 'facebook', returnUrl: 'https://app.example.com/settings/accounts' },
  reconnect: { platform: 'instagram', accountId: '0196f0a1-5b80-7f21-b8e6-44d09a7c5e32' },
  manual: { platform: 'linkedin', manual: true, externalReference: 'customer-4711', metadata: { plan: 'pro' } },
} as const

export const CreateConnection = Type.Object(
  {
    platform: Ref(PlatformId),
    returnUrl: Type.Optional(
      Type.String({
        maxLength: URL_LENGTH_MAX,
        description:
          'Where the browser goes at the end, with `connection` (its id) and `state` added to the query. It must begin with a URL that the operator lists in `RETURN_URLS`. Without it, a page of this service shows the outcome. The browser may never arrive: read the outcome with `getConnection`.',
      }),
    ),
    accountId: Type.Optional(
      Type.String({
        description:
          'The id of an account to connect again: one of yours, or of an organisation that you are an admin of. It keeps its id, its owner and its posts. Consent to another account of the network ends with `other_account`.',
      }),
    ),
    organizationId: Type.Optional(
      Type.String({
        description:
          'The id of an organisation that you are an admin of. Its members may then post to the accounts as well. Without it, a new account has no organisation, and an account that you have connected before keeps its own.',
      }),
    ),
    hint: Type.Optional(
      Type.String({
        maxLength: TEXT_LENGTH_MAX,
        description:
          'The handle or the server of the account, on networks that have many servers. On Bluesky: a handle, a DID, or the https address of a server; the default is `https://bsky.social`. On Mastodon: `@ada@mastodon.social` or `mastodon.social`; required, except with `accountId`.',
      }),
    ),
    externalReference: Type.Optional({
      ...NewReference('account'),
      description:
        'A name of your own, such as the id of a customer. The accounts that are connected get it. Without it, an account that you have connected before keeps its own. It need not be unique.',
    }),
    metadata: Type.Optional({
      ...NewMetadata(),
      description: `${NewMetadata().description} The accounts that are connected get it, instead of any they had. Without it, an account that you have connected before keeps its own.`,
    }),
    manual: Type.Optional(
      Type.Boolean({
        description:
          '`true` where the browser cannot reach this service. `url` is then the page of the network itself. After consent, the browser shows an address that may not load: pass it to `completeConnection`. Default: `false`.',
      }),
    ),
  },
  {
    $id: 'CreateConnection',
    additionalProperties: false,
    description: 'A connection to begin: the network, and how it ends.',
    examples: Object.values(CREATE_CONNECTION_EXAMPLES),
  },
)
export type CreateConnection = Static<typeof CreateConnection>

const CONNECTION_STATES = ['pending', 'opened', 'choosing', 'connected', 'failed', 'expired'] as const

export const ConnectionState = StringEnum(CONNECTION_STATES, {
  $id: 'ConnectionState',
  description: `How far a connection is.

- \`pending\`: \`url\` has not been opened.
- \`opened\`: the browser is at the network.
- \`choosing\`: the user consented to several accounts and has to choose, on the page that the browser shows or with \`chooseAccounts\`.
- \`connected\`: \`accounts\` lists the connected accounts.
- \`failed\`: \`error\` says why. Begin another connection.
- \`expired\`: it did not end in time.`,
  examples: ['connected'],
})
export type ConnectionState = Static<typeof ConnectionState>

/** Why a connection failed, with the text of the documentation. */
const CONNECTION_ERRORS = {
  denied: 'the user refused.',
  network_refused: 'the network refused, for the reason in `message`.',
  network_unavailable: 'the network could not be reached, or did not respond in time.',
  invalid_response: 'the network sent a response that the service does not understand.',
  scopes_missing: 'the user did not grant a scope that is needed to publish.',
  nothing_to_choose: 'the user has no account that can be published to.',
  other_account: 'the user consented to another account than the one that `accountId` or `hint` names.',
  owned_elsewhere: 'another user of an organisation of yours has connected the account already.',
  not_organization_admin: 'you are no longer an admin of the organisation that `organizationId` names.',
  account_disconnected: '`accountId` was disconnected meanwhile.',
  app_changed: 'the credentials of the app were changed or deleted meanwhile.',
  internal_error: 'an unexpected failure. The log of the service has the cause.',
} as const
export type ConnectionErrorCode = keyof typeof CONNECTION_ERRORS

export const ConnectionError = Type.Object(
  {
    code: Type.String({
      description: `The reason, for programs. There may be others than these.\n\n${Object.entries(CONNECTION_ERRORS)
        .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
        .join('\n')}`,
    }),
    message: Type.String({ description: 'The reason in words, for people.' }),
  },
  {
    $id: 'ConnectionError',
    description: 'Why a connection failed.',
    examples: [{ code: 'denied', message: 'The access was refused at x' }],
  },
)
export type ConnectionError = Static<typeof ConnectionError>

export const ConnectionChoice = Type.Object(
  {
    id: Type.String({ description: 'The id of the account on its network, for `chooseAccounts`.' }),
    kind: Type.String({
      description: 'What it is, in the terms of the network, such as `page`, `organization` or `profile`.',
    }),
    username: Type.String({ description: 'The handle on the network, without a leading @.' }),
    displayName: Type.Optional(
      Type.String({ description: 'The display name on the network. Absent where it is not known.' }),
    ),
    connectedAs: Type.Optional(
      Type.String({ description: 'The id of the account of yours that it is connected as already.' }),
    ),
  },
  {
    $id: 'ConnectionChoice',
    description: 'An account that the user can publish to.',
    examples: [{ id: '17841405822304914', kind: 'page', username: 'lighthouses', displayName: 'Lighthouses' }],
  },
)
export type ConnectionChoice = Static<typeof ConnectionChoice>

const CONNECTION_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

const COMMON = {
  id: CONNECTION_ID,
  createdAt: '2026-11-22T08:00:00.000Z',
  expiresAt: '2026-11-22T08:15:00.000Z',
}
const ENDED = {
  ...COMMON,
  platform: 'bluesky' as const,
  state: 'connected' as const,
  accounts: [
    {
      id: '0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10',
      platform: 'bluesky' as const,
      username: 'ada.example.com',
      displayName: 'Ada Lovelace',
      ...OWNED,
    },
  ],
}
export const CONNECTION_EXAMPLES = {
  connected: ENDED,
  choosing: {
    ...COMMON,
    platform: 'facebook' as const,
    state: 'choosing' as const,
    choices: [
      { id: '101', kind: 'page', username: 'lighthouses', displayName: 'Lighthouses' },
      { id: '102', kind: 'page', username: 'harbours', displayName: 'Harbours' },
    ],
    accounts: [],
  },
  failed: {
    ...COMMON,
    platform: 'x' as const,
    state: 'failed' as const,
    returnUrl: 'https://app.example.com/settings/accounts',
    accounts: [],
    error: ConnectionError.examples[0],
  },
}

const properties = {
  id: Type.String({ description: 'The id of the connection.' }),
  platform: Ref(PlatformId),
  state: Ref(ConnectionState),
  returnUrl: Type.Optional(Type.String({ description: 'As it was sent.' })),
  accountId: Type.Optional(Type.String({ description: 'As it was sent: the account to connect again.' })),
  organizationId: Type.Optional(
    Type.String({ description: 'As it was sent, or the organisation of an `accountId` of another member.' }),
  ),
  hint: Type.Optional(Type.String({ description: 'As it was sent, or the handle or the DID of `accountId`.' })),
  externalReference: Type.Optional(Type.String({ description: 'As it was sent.' })),
  metadata: Type.Optional(Dictionary(Type.String(), { description: 'As it was sent.' })),
  choices: Type.Optional(
    Type.Array(Ref(ConnectionChoice), { description: 'What the user can choose from. In the state `choosing` only.' }),
  ),
  accounts: Type.Array(Ref(Account), {
    description: 'The accounts that this connection has connected, and that you can still post to.',
  }),
  error: Type.Optional(Ref(ConnectionError)),
  createdAt: Type.String({ format: 'date-time', description: 'In UTC with milliseconds.' }),
  expiresAt: Type.String({
    format: 'date-time',
    description: 'When the connection expires if it has not ended, in UTC with milliseconds.',
  }),
}

export const Connection = Type.Object(properties, {
  $id: 'Connection',
  description: 'One attempt to connect accounts by the consent of their user. It can be read for 24 hours.',
  examples: Object.values(CONNECTION_EXAMPLES),
})
export type Connection = Static<typeof Connection>

const CREATED = {
  ...COMMON,
  platform: 'x' as const,
  state: 'pending' as const,
  accounts: [],
  url: 'https://postroom.example.com/connect/Fq3tXr0Jc2hNq1yWm8Zk4A',
}

export const CreatedConnection = Type.Object(
  {
    ...properties,
    url: Type.String({
      description:
        'Where to send the user. It works once, in one browser, until `expiresAt`. No other response contains it.',
    }),
  },
  { $id: 'CreatedConnection', description: 'A connection that was begun.', examples: [CREATED] },
)
export type CreatedConnection = Static<typeof CreatedConnection>

export const ChooseAccounts = Type.Object(
  {
    ids: Type.Array(Type.String(), {
      minItems: 1,
      description: 'The ids of the `choices` to connect. Repeated ids count once.',
    }),
  },
  {
    $id: 'ChooseAccounts',
    additionalProperties: false,
    description: 'The accounts to connect.',
    examples: [{ ids: ['101'] }],
  },
)
export type ChooseAccounts = Static<typeof ChooseAccounts>

export const CompleteConnection = Type.Object(
  {
    callbackUrl: Type.String({
      maxLength: 16_384,
      description: 'The address that the browser showed after the network sent it back, with its whole query.',
    }),
  },
  {
    $id: 'CompleteConnection',
    additionalProperties: false,
    description: 'The end of a flow whose browser did not reach this service.',
    examples: [{ callbackUrl: 'http://localhost:3000/connect/callback?state=pYcWz4n8sT0h2LkQ&code=Zx81kQv-7mPq' }],
  },
)
export type CompleteConnection = Static<typeof CompleteConnection>

export const ConnectionPath = Type.Object({
  id: Type.String({ description: 'The id of the connection, from `createConnection`.', examples: [COMMON.id] }),
})

export const notFoundResponse = errorResponse('You have no connection with this id, or it is older than 24 hours.', [
  'connection_not_found',
])

export const noKeyResponse = unavailableResponse(
  ' `Credentials key not set`: the operator has not configured `CREDENTIALS_KEY`, so accounts cannot be connected. `Stored credentials are encrypted with a key …`: the operator has to add that key to `CREDENTIALS_KEY`.',
  ['credentials_key_missing', 'credentials_key_mismatch'],
)
