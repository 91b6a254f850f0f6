import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { NewMetadata, NewReference } from './references.ts'
import { Ref } from './shared.ts'

/** In UTF-16 units; longer than any credential of the networks. */
const VALUE_MAX = 2_048

const text = (description: string) => Type.String({ maxLength: VALUE_MAX, description })

const defineCredentials = <T extends TProperties>(network: string, properties: T, example: Record<string, string>) =>
  Type.Object(properties, {
    $id: `${network}Credentials`,
    additionalProperties: false,
    description: `The credentials of an account on ${network}. They are checked with the network, stored encrypted and never shown.`,
    examples: [example],
  })

const BlueskyCredentials = defineCredentials(
  'Bluesky',
  {
    service: Type.Optional(text('The server that hosts the account or signs it in. Default: `https://bsky.social`.')),
    identifier: text('The handle of the account, such as `alice.bsky.social`.'),
    password: text('An app password of the account (Settings, Privacy and security, App passwords).'),
  },
  { identifier: 'ada.example.com', password: 'abcd-efgh-ijkl-mnop' },
)

const MastodonCredentials = defineCredentials(
  'Mastodon',
  {
    instance: text('The address of the Mastodon server, such as `https://mastodon.social`.'),
    accessToken: text(
      'An access token of the account with the scopes `read:accounts`, `read:statuses`, `write:media` and `write:statuses` (Preferences, Development, New application).',
    ),
  },
  { instance: 'https://mastodon.social', accessToken: 'ZA-Yj3aBD8U8Cm7lKUp-lm9O9BmDgdhHzDeqsY8tlL0' },
)

const TelegramCredentials = defineCredentials(
  'Telegram',
  {
    botToken: text('The token of the bot, from @BotFather, such as `123456:ABC-DEF`.'),
    chatId: text('The channel or group: its `@name` or its numeric id. The bot must be allowed to post there.'),
  },
  { botToken: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11', chatId: '@lighthouses' },
)

const DiscordCredentials = defineCredentials(
  'Discord',
  {
    webhookUrl: text(
      'The URL of a webhook of the channel (Edit Channel, Integrations, Webhooks), as Discord copies it: `https://discord.com/api/webhooks/ID/TOKEN`.',
    ),
  },
  {
    webhookUrl: 'https://discord.com/api/webhooks/223704706495545344/3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe2',
  },
)

const SandboxCredentials = defineCredentials(
  'Sandbox',
  {
    username: text(
      'The handle of the account: 1 to 64 letters, digits, underscores, full stops and hyphens. A handle that you have connected already names the same account.',
    ),
    displayName: Type.Optional(text('The display name of the account.')),
    token: Type.Optional(
      text(
        'A secret, as real networks have. The sandbox accepts every value but `expired`, which it rejects as a network rejects an expired token.',
      ),
    ),
  },
  { username: 'ada', displayName: 'Ada Lovelace' },
)

/** The request to connect an account of one network. `platform` is the discriminator. */
const defineConnection = <const P extends string, T extends TObject>(platform: P, network: string, credentials: T) =>
  Type.Object(
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
      examples: [{ platform, credentials: credentials.examples[0] }],
    },
  )

const ConnectBluesky = defineConnection('bluesky', 'Bluesky', BlueskyCredentials)
const ConnectMastodon = defineConnection('mastodon', 'Mastodon', MastodonCredentials)
const ConnectTelegram = defineConnection('telegram', 'Telegram', TelegramCredentials)
const ConnectDiscord = defineConnection('discord', 'Discord', DiscordCredentials)
const ConnectSandbox = defineConnection('sandbox', 'Sandbox', SandboxCredentials)

/** One variant for each network that has an adapter. */
export const CONNECT_VARIANTS = [ConnectBluesky, ConnectMastodon, ConnectTelegram, ConnectDiscord, ConnectSandbox]

export const CONNECT_CREDENTIALS = [
  BlueskyCredentials,
  MastodonCredentials,
  TelegramCredentials,
  DiscordCredentials,
  SandboxCredentials,
]

export const CONNECT_EXAMPLES = Object.fromEntries(
  CONNECT_VARIANTS.map(({ properties, examples }) => [properties.platform.const, examples[0]]),
)

export const ConnectAccount = Type.Union(
  [Ref(ConnectBluesky), Ref(ConnectMastodon), Ref(ConnectTelegram), Ref(ConnectDiscord), Ref(ConnectSandbox)],
  {
    $id: 'ConnectAccount',
    // Some generators and tools for agents accept a body only if its root has this type.
    type: 'object',
    description: 'An account to connect: its network and the credentials that this network requires.',
    discriminator: {
      propertyName: 'platform',
      mapping: Object.fromEntries(
        CONNECT_VARIANTS.map(({ $id, properties }) => [properties.platform.const, `#/components/schemas/${$id}`]),
      ),
    },
    examples: Object.values(CONNECT_EXAMPLES),
  },
)
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
    .join(' | ')}, received 'instagram'`,
}
