import { type Static, type TProperties, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import type { PlatformId } from './platform.ts'
import { findPlatform } from './platform-names.ts'
import { NewMetadata, NewReference } from './references.ts'
import { Advised, FormedText, Ref } from './shared.ts'
import {
  BLUESKY_SERVER,
  DISCORD_WEBHOOK,
  MASTODON_SERVER,
  MASTODON_TOKEN,
  SANDBOX_USERNAME,
  TELEGRAM_CHAT,
  TELEGRAM_TOKEN,
} from './text-forms.ts'

/** In UTF-16 units; longer than any credential of the networks. */
const VALUE_MAX = 2_048

const text = (description: string) => Type.String({ maxLength: VALUE_MAX, description })
/** The adapter names the mistake in the address of a server. */
const server = (pattern: string, description: string) => FormedText(pattern, { maxLength: VALUE_MAX, description })
const formed = (pattern: string, description: string) => Type.String({ pattern, maxLength: VALUE_MAX, description })

interface ConnectionOptions<T extends TProperties> {
  /** The credentials, for people. */
  credentials: string
  /** The page of the network that shows them. */
  source: string
  properties: T
  example: Record<string, string>
}

/** The credentials of an account of one network, and the request that connects it. `platform` is the discriminator. */
function defineConnection<const P extends PlatformId, T extends TProperties>(
  platform: P,
  network: string,
  { credentials: described, source, properties, example }: ConnectionOptions<T>,
) {
  const credentials = Type.Object(properties, {
    $id: `${network}Credentials`,
    additionalProperties: false,
    description: `The credentials of an account on ${network}. They are checked with the network, stored encrypted and never shown.`,
    examples: [example],
  })
  const body = Type.Object(
    {
      platform: Type.Literal(platform, { description: 'The network.' }),
      credentials: Ref(credentials),
      organizationId: Type.Optional(
        Type.String({
          description:
            'The id of an organisation that you are an admin of. Its members may then post to the account as well. Where it is absent, a new account has no organisation, and a known account keeps the one that it has.',
        }),
      ),
      externalReference: Type.Optional(NewReference('account')),
      metadata: Type.Optional(NewMetadata()),
    },
    {
      $id: `Connect${network}`,
      additionalProperties: false,
      description: `Connects an account on ${network}.`,
      examples: [{ platform, credentials: example }],
    },
  )
  return { platform, described, source, credentials, body }
}

/** The networks whose accounts are connected by credentials. */
const CONNECTIONS = [
  defineConnection('bluesky', 'Bluesky', {
    credentials: 'handle and app password; `service` if another server than `https://bsky.social` signs you in',
    source: 'Settings, Privacy and security, App passwords',
    properties: {
      service: Type.Optional(
        server(BLUESKY_SERVER, 'The server that hosts the account or signs it in. Default: `https://bsky.social`.'),
      ),
      identifier: text('The handle of the account, such as `alice.bsky.social`.'),
      password: text('An app password of the account (Settings, Privacy and security, App passwords).'),
    },
    example: { identifier: 'ada.example.com', password: 'abcd-efgh-ijkl-mnop' },
  }),
  defineConnection('mastodon', 'Mastodon', {
    credentials:
      'server and access token with the scopes `read:accounts`, `read:statuses`, `write:media`, `write:statuses`',
    source: 'Preferences, Development, New application',
    properties: {
      instance: server(
        MASTODON_SERVER,
        'The address of the Mastodon server, such as `https://mastodon.social`, without a path.',
      ),
      accessToken: formed(
        MASTODON_TOKEN,
        'An access token of the account with the scopes `read:accounts`, `read:statuses`, `write:media` and `write:statuses` (Preferences, Development, New application).',
      ),
    },
    example: { instance: 'https://mastodon.social', accessToken: 'ZA-Yj3aBD8U8Cm7lKUp-lm9O9BmDgdhHzDeqsY8tlL0' },
  }),
  defineConnection('telegram', 'Telegram', {
    credentials: 'token of a bot that may post in the channel or group, and its `@name` or id',
    source: '@BotFather',
    properties: {
      botToken: formed(TELEGRAM_TOKEN, 'The token of the bot, from @BotFather, such as `123456:ABC-DEF`.'),
      chatId: formed(
        TELEGRAM_CHAT,
        'The channel or group: its `@name` or its numeric id. The bot must be allowed to post there.',
      ),
    },
    example: { botToken: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11', chatId: '@lighthouses' },
  }),
  defineConnection('discord', 'Discord', {
    credentials: 'URL of a webhook of the channel',
    source: 'Edit Channel, Integrations, Webhooks',
    properties: {
      webhookUrl: formed(
        DISCORD_WEBHOOK,
        'The URL of a webhook of the channel (Edit Channel, Integrations, Webhooks), as Discord copies it: `https://discord.com/api/webhooks/ID/TOKEN`.',
      ),
    },
    example: {
      webhookUrl:
        'https://discord.com/api/webhooks/223704706495545344/3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe2',
    },
  }),
  defineConnection('sandbox', 'Sandbox', {
    credentials: 'any user name',
    source: '',
    properties: {
      username: formed(
        SANDBOX_USERNAME,
        'The handle of the account: 1 to 64 letters, digits, underscores, full stops and hyphens. A handle that you have connected already names the same account.',
      ),
      displayName: Type.Optional(text('The display name of the account.')),
      token: Type.Optional(
        text(
          'A secret, as real networks have. The sandbox accepts every value but `expired`, which it rejects as a network rejects an expired token.',
        ),
      ),
    },
    example: { username: 'ada', displayName: 'Ada Lovelace' },
  }),
] as const

/** A row for each network: its id, the credentials, the page that shows them. */
export const CONNECTION_ROWS = CONNECTIONS.map(
  ({ platform, described, source }) => `| \`${platform}\` | ${described} | ${source && `${source} `}|`,
).join('\n')

export const CONNECT_VARIANTS = CONNECTIONS.map(({ body }) => body)

export const CONNECT_CREDENTIALS = CONNECTIONS.map(({ credentials }) => credentials)

export const CONNECT_EXAMPLES = Object.fromEntries(
  CONNECTIONS.map(({ platform, credentials }) => [platform, { platform, credentials: credentials.examples[0] }]),
)

type Bodies<T extends typeof CONNECTIONS> = { -readonly [K in keyof T]: TUnsafe<Static<T[K]['body']>> }

/** Points an account of a network that takes no credentials to the operation that connects it. */
function adviseConnection(value: string): string | undefined {
  const platform = findPlatform(value)
  const isOther = platform !== undefined && !Object.hasOwn(CONNECT_EXAMPLES, platform)
  return isOther ? `Accounts of ${platform} are connected with POST /api/v1/connections` : undefined
}

const connectAccount = Type.Union(CONNECTIONS.map(({ body }) => Ref<TSchema>(body)) as Bodies<typeof CONNECTIONS>, {
  $id: 'ConnectAccount',
  // Some generators and tools for agents accept a body only if its root has this type.
  type: 'object',
  description: 'An account to connect: its network and the credentials that this network requires.',
  discriminator: {
    propertyName: 'platform',
    mapping: Object.fromEntries(
      CONNECTIONS.map(({ platform, body }) => [platform, `#/components/schemas/${body.$id}`]),
    ),
  },
  examples: Object.values(CONNECT_EXAMPLES),
})
export const ConnectAccount = Advised(connectAccount, adviseConnection)
export type ConnectAccount = Static<typeof ConnectAccount>

export const MISSING_PASSWORD = {
  code: 'invalid_type' as const,
  expected: 'string',
  received: 'undefined',
  path: ['credentials', 'password'],
  message: 'Required',
}

export const UNKNOWN_PLATFORM = {
  code: 'invalid_enum_value' as const,
  options: Object.keys(CONNECT_EXAMPLES),
  received: 'instagram',
  path: ['platform'],
  message: `Invalid enum value. Expected ${Object.keys(CONNECT_EXAMPLES)
    .map((name) => `'${name}'`)
    .join(' | ')}, received 'instagram'. ${adviseConnection('instagram')}`,
}
