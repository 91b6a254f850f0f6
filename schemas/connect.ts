import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { Ref } from './shared.ts'

/** In UTF-16 units; above what any network gives out. */
const VALUE_MAX = 2_048

const text = (description: string) => Type.String({ maxLength: VALUE_MAX, description })

const credentials = <T extends TProperties>(network: string, properties: T, example: Record<string, string>) =>
  Type.Object(properties, {
    $id: `${network}Credentials`,
    additionalProperties: false,
    description: `What lets Postroom publish to an account on ${network}. It is checked, stored encrypted and never shown.`,
    examples: [example],
  })

const BlueskyCredentials = credentials(
  'Bluesky',
  {
    service: Type.Optional(
      text('The server that keeps the account, or signs in to it: `https://bsky.social` when left out.'),
    ),
    identifier: text('The handle of the account, such as `alice.bsky.social`.'),
    password: text('An app password of the account (Settings, Privacy and security, App passwords).'),
  },
  { identifier: 'ada.example.com', password: 'abcd-efgh-ijkl-mnop' },
)

const MastodonCredentials = credentials(
  'Mastodon',
  {
    instance: text('The address of the Mastodon server, such as `https://mastodon.social`.'),
    accessToken: text(
      'An access token of the account with the scopes `read:accounts`, `read:statuses`, `write:media` and `write:statuses` (Preferences, Development, New application).',
    ),
  },
  { instance: 'https://mastodon.social', accessToken: 'ZA-Yj3aBD8U8Cm7lKUp-lm9O9BmDgdhHzDeqsY8tlL0' },
)

const TelegramCredentials = credentials(
  'Telegram',
  {
    botToken: text('The token that @BotFather gave for the bot, such as `123456:ABC-DEF`.'),
    chatId: text('The channel or group: `@name`, or its number. The bot has to be allowed to post there.'),
  },
  { botToken: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11', chatId: '@lighthouses' },
)

const DiscordCredentials = credentials(
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

const SandboxCredentials = credentials(
  'Sandbox',
  {
    username: text('The handle that the account is to have. One that is connected already is that account.'),
    displayName: Type.Optional(text('The display name that it is to have.')),
    token: Type.Optional(
      text(
        'A secret, as real networks have one. The sandbox takes any but `expired`, which it refuses as they do when one has run out.',
      ),
    ),
  },
  { username: 'ada', displayName: 'Ada Lovelace' },
)

/** The request to connect an account of one network. Its name in `platform` is what tells these apart. */
const connect = <const P extends string, T extends TObject>(platform: P, network: string, credentials: T) =>
  Type.Object(
    {
      platform: Type.Literal(platform, { description: 'The network.' }),
      credentials: Ref(credentials),
      organizationId: Type.Optional(
        Type.String({
          description:
            'An organisation that you belong to: its members may post to the account, too. When left out, an account that is connected already stays with the one that it has.',
        }),
      ),
    },
    {
      $id: `Connect${network}`,
      additionalProperties: false,
      description: `Connects an account on ${network}.`,
      examples: [{ platform, credentials: credentials.examples[0] }],
    },
  )

const ConnectBluesky = connect('bluesky', 'Bluesky', BlueskyCredentials)
const ConnectMastodon = connect('mastodon', 'Mastodon', MastodonCredentials)
const ConnectTelegram = connect('telegram', 'Telegram', TelegramCredentials)
const ConnectDiscord = connect('discord', 'Discord', DiscordCredentials)
const ConnectSandbox = connect('sandbox', 'Sandbox', SandboxCredentials)

/** One for each network that posts can be sent to. */
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
    description: 'An account to connect: its network, and the credentials that this network asks for.',
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
