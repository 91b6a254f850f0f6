import { type Static, Type } from '@sinclair/typebox'
import { CaptionSuffix } from './caption-suffix.ts'
import { PlatformId } from './platform.ts'
import { PLATFORM_IDS } from './platform-ids.ts'
import { referenceProperties } from './references.ts'
import { Dictionary, NOT_BLANK, Nullable, Ref, StringEnum, UUID_PATTERN } from './shared.ts'

export const ACCOUNT_EXAMPLES = [
  {
    id: '0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10',
    platform: 'bluesky',
    username: 'ada.example.com',
    displayName: 'Ada Lovelace',
  },
  { id: '0196f0a1-5b80-7f21-b8e6-44d09a7c5e32', platform: 'x', username: 'ada' },
  {
    id: '0196f0a1-5b82-7a64-9c17-8e2b40d6f173',
    platform: 'mastodon',
    username: 'ada@social.example',
    displayName: 'Ada Lovelace',
    textLengthMax: 5000,
  },
] as const

/** The account on the sandbox in the demo data. */
export const SANDBOX_ACCOUNT_ID = '0196f0a1-5b84-7d05-8e3a-905b7c2e4f18'

/** The `attention` of an account without credentials. */
export const NOT_CONNECTED = {
  code: 'not_connected',
  message: 'This account has no credentials: connect it, or publish manually',
}

/** The `attention` of an account whose access token has expired, and cannot be refreshed. */
export const RECONNECT_REQUIRED = {
  code: 'reconnect_required',
  message: 'The access token has expired: connect the account again',
}

/** The `attention` of an account whose access token has expired an hour ago, and was not refreshed. */
export const REFRESH_FAILED = {
  code: 'refresh_failed',
  message:
    'The access token has expired and could not be refreshed yet, which is tried again: connect the account again if this lasts',
}

/** The `attention` of an account whose access token cannot be refreshed without its app. */
export const APP_MISSING = {
  code: 'app_missing',
  message:
    'The app that this account was connected with is no longer configured, so the access token cannot be refreshed: the operator has to put the app back, or the account has to be connected again',
}

/** The `attention` of an account whose access token is about to expire, and cannot be refreshed. */
export const EXPIRING = {
  code: 'expiring',
  message: 'The access token is about to expire, and cannot be refreshed: connect the account again before it does',
}

/** The `attention` of an account that its owner has paused. */
export const PAUSED = {
  code: 'paused',
  message: 'The account is paused: nothing is published to it until it is resumed',
}

export const AccountAttention = Type.Object(
  {
    code: Type.String({
      description:
        'The reason, for programs. There may be others than these.\n\n- `not_connected`: the account has no credentials. Connect it.\n- `unauthorized`: the network rejected the credentials. Connect the account again.\n- `reconnect_required`: the access token has expired and cannot be refreshed, or the network refused to refresh it. Connect the account again. If the access token has not expired yet, posts are still published until it does.\n- `refresh_failed`: the access token has expired an hour ago, and the network has neither refreshed it nor refused to. Posts wait, and workers try again each hour. If this lasts, connect the account again.\n- `app_missing`: the access token has to be refreshed with the app that the account was connected with, and the operator has removed that app. Posts are published until the access token expires, and wait after that. The operator can put the app back; else connect the account again.\n- `scopes_missing`: after a refresh, the network no longer grants a scope that publishing needs. Posts may fail until the account is connected again.\n- `expiring`: the access token expires within 7 days and cannot be refreshed. **Posts are still published** until `credentialsExpireAt`. Connect the account again before.\n- `app_not_approved`: the network has not approved the app of the operator for publishing yet, such as an app with Trial access at Pinterest. The operator has to get the approval; then retry.\n- `account_restricted`: the network restricts the account, such as one that has to confirm its identity. Its owner has to act on the network, and need not connect it again. Posts are tried again for some hours.\n- `app_restricted`: the network restricts the app of the operator, and with it all its accounts. It is not the fault of the account: posts wait, and follow within an hour after the operator has acted.\n- `credentials_unreadable`: the credentials were encrypted with a key that the service does not have. The operator must configure that key.\n- `paused`: its owner has paused the account by `updateAccount`. Posts wait until it is resumed. Another reason that stops publishing comes first.',
    }),
    message: Type.String({
      description: 'The reason in words, for people. Where the network gave a reason, these are its words.',
    }),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Since when the reason applies, in UTC with milliseconds. Where posts fail because of it, this is when the first one failed. For `expiring`, it is 7 days before the access token expires, and in its last day 1 day before. Absent for `not_connected`.',
      }),
    ),
  },
  {
    $id: 'AccountAttention',
    description:
      'Why the owner of an account has to act: posts cannot be published to it at the moment, or soon cannot. Absent where there is nothing to do.',
    examples: [
      { ...EXPIRING, since: '2026-11-21T08:15:30.123Z' },
      {
        code: 'unauthorized',
        message: 'bsky.social: Invalid identifier or password',
        since: '2026-11-21T08:15:30.123Z',
      },
      NOT_CONNECTED,
    ],
  },
)
export type AccountAttention = Static<typeof AccountAttention>

export const ReconnectGains = Type.Object(
  {
    scopes: Type.Array(Type.String(), { description: 'The scopes that its owner would be asked for besides.' }),
    metrics: Type.Array(Type.String(), {
      description: 'The numbers of its posts that could then be read, such as `views`: see `MetricName`.',
    }),
  },
  {
    $id: 'ReconnectGains',
    description:
      'What connecting an account again would add. Nothing is broken: posts are published as before. An app that names scopes of its own has to name these too.',
    examples: [{ scopes: ['threads_manage_insights'], metrics: ['likes', 'views'] }],
  },
)
export type ReconnectGains = Static<typeof ReconnectGains>

const [CONNECTED, ADDED, OWN_LIMIT] = ACCOUNT_EXAMPLES
/** Whose an account is, in examples. */
export const OWNED = { ownerId: '0196f09e-04b3-7d58-a2c9-6be1f80357da', isOwner: true, canDisconnect: true }
/** The same accounts, as `listAccounts` returns them to their owner. */
export const LISTED_ACCOUNTS = [
  { ...CONNECTED, ...OWNED },
  { ...ADDED, attention: NOT_CONNECTED, ...OWNED },
  { ...OWN_LIMIT, ...OWNED },
]

/** A text without white space at its ends. */
export const TAG_FORM = '^\\S(?:.*\\S)?$'

export const ACCOUNT_TAGS_MAX = 20

export const AccountTag = (description?: string) =>
  Type.String({ pattern: TAG_FORM, maxLength: 50, ...(description && { description }) })

const AccountTags = (options: { description?: string } = {}) =>
  Type.Array(AccountTag(), { maxItems: ACCOUNT_TAGS_MAX, examples: [['Berlin', 'coffee']], ...options })

export const Account = Type.Object(
  {
    id: Type.String({ description: 'The id of the account, for `accountIds` of a post.' }),
    platform: Ref(PlatformId),
    username: Type.String({ description: 'The handle on the network, without a leading @.' }),
    displayName: Type.Optional(
      Type.String({
        description:
          'Your own display name, if `updateAccount` has set one; otherwise the one on the network. Absent where that is not known.',
      }),
    ),
    networkDisplayName: Type.Optional(
      Type.String({
        description: 'The display name on the network, where `displayName` is your own and the other one is known.',
      }),
    ),
    textLengthMax: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The maximum length of a caption, a part of a thread or a first comment on the server of this account. The unit is that of its network. Posts are checked against it instead of the limit of the network. It is read from a Mastodon server when the account is connected: connect the account again after it has changed. Absent where the limit of the network applies.',
      }),
    ),
    altTextLengthMax: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The maximum length of an alternative text on the server of this account, in code points: a longer one is cut when it is sent. It is read like `textLengthMax`. Absent where the limit of the network applies.',
      }),
    ),
    scopes: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The scopes that the user granted to Postroom, in the words of the network. Absent where the account was connected with credentials.',
      }),
    ),
    credentialsExpireAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When the access token that is stored now expires, in UTC with milliseconds. Absent where it does not, or where the network does not say.',
      }),
    ),
    avatarUrl: Type.Optional(
      Type.String({
        format: 'uri',
        description:
          'The address of a small picture of the account, for pages: it takes no API key, and works for half a day or more. Absent where none is stored. See `getAccountAvatar`.',
      }),
    ),
    defaultFields: Type.Optional(
      Dictionary(Type.Unknown(), {
        description: 'The options that each new post for the account gets: see `updateAccount`. Absent if it has none.',
      }),
    ),
    captionSuffix: Type.Optional(
      Ref(CaptionSuffix, {
        description: 'The text that follows the caption of each new post: see `updateAccount`. Absent if it has none.',
      }),
    ),
    tags: Type.Optional(
      AccountTags({ description: 'Your own words for the account: see `updateAccount`. Absent if it has none.' }),
    ),
    pausedAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Since when the account is paused, in UTC with milliseconds: see `updateAccount`. Absent where it is not.',
      }),
    ),
    ...referenceProperties('account'),
    attention: Type.Optional(Ref(AccountAttention)),
    reconnectAdds: Type.Optional(
      Ref(ReconnectGains, {
        description:
          'What connecting the account again would add, such as scopes for numbers that it was connected without. Absent where it adds nothing. It is no reason for `attention`.',
      }),
    ),
    organizationId: Type.Optional(
      Type.String({
        description: 'The id of the organisation whose members may post to the account. Absent where it has none.',
      }),
    ),
    ownerId: Type.String({ description: 'The id of the user who connected the account.' }),
    isOwner: Type.Boolean({ description: 'Whether this is you.' }),
    canDisconnect: Type.Boolean({
      description:
        'Whether you may disconnect the account, as its owner or as an admin of its organisation, with an API key that has the scope `accounts:connect`.',
    }),
  },
  {
    $id: 'Account',
    description: 'A social account that the caller may post to.',
    examples: LISTED_ACCOUNTS,
  },
)
export type Account = Static<typeof Account>

/** As JSON. A post may have 2,000 accounts. */
export const DEFAULT_FIELDS_BYTES_MAX = 4096

export const UPDATE_ACCOUNT_EXAMPLES = {
  rename: { displayName: 'Lighthouse Coffee, Berlin' },
  nameOfNetwork: { displayName: null },
  setDefaults: { defaultFields: { boardId: '549755885175', boardSectionId: null } },
  forgetDefaults: { defaultFields: null },
  tag: { tags: ['Berlin', 'coffee'] },
  sign: { captionSuffix: CaptionSuffix.examples[0] },
  pause: { paused: true },
}

export const UpdateAccount = Type.Object(
  {
    displayName: Type.Optional(
      Nullable(Type.String({ maxLength: 255, pattern: NOT_BLANK }), {
        description: 'Your own display name, for lists and calendars. `null` shows the one on the network again.',
      }),
    ),
    defaultFields: Type.Optional(
      Nullable(Dictionary(Type.Unknown()), {
        description: `Changes to the options that each new post for the account gets, by the keys of \`fields\`: a merge patch, in which \`null\` removes a key, at any depth. \`null\` removes all of them. At most ${DEFAULT_FIELDS_BYTES_MAX} bytes as JSON may remain.`,
      }),
    ),
    captionSuffix: Type.Optional(
      Nullable(Ref(CaptionSuffix), {
        description: 'The text that follows the caption of each new post for the account. `null` removes it.',
      }),
    ),
    tags: Type.Optional(
      Nullable(AccountTags(), {
        description:
          'Your own words for the account, in place of those that it has: lists find it by them. A repeated one counts once. `null` removes all.',
      }),
    ),
    paused: Type.Optional(
      Type.Boolean({
        description:
          '`true` pauses the account: nothing is published to it. `false` resumes it: posts whose time has passed meanwhile are published now.',
      }),
    ),
  },
  {
    $id: 'UpdateAccount',
    additionalProperties: false,
    description: 'Changes to an account, as a JSON merge patch (RFC 7396). An absent key changes nothing.',
    examples: Object.values(UPDATE_ACCOUNT_EXAMPLES),
  },
)
export type UpdateAccount = Static<typeof UpdateAccount>

export const ListAccountsQuery = Type.Object({
  platform: Type.Optional(StringEnum(PLATFORM_IDS, { description: 'Only accounts on this network.' })),
  organizationId: Type.Optional(
    Type.String({ pattern: UUID_PATTERN, description: 'Only accounts of this organisation.' }),
  ),
  tag: Type.Optional(AccountTag('Only accounts with this tag, which has to be the same in case and accents too.')),
  attention: Type.Optional(
    Type.Boolean({
      description:
        'Whether to list only accounts with `attention`, whose owner has to act. `false` lists only accounts without it. Default: both.',
    }),
  ),
  sort: Type.Optional(
    StringEnum(['connectedAt', 'platform', 'username'], {
      description: 'What to sort by. Accounts that are equal in it keep the order of `connectedAt`, the default.',
    }),
  ),
  order: Type.Optional(
    StringEnum(['asc', 'desc'], { description: '`asc` puts the first connected account first. Default: `asc`.' }),
  ),
})
export type ListAccountsQuery = Static<typeof ListAccountsQuery>

export const AccountList = Type.Object(
  {
    data: Type.Array(Ref(Account), {
      description:
        'All accounts that meet the filters, in the order in which they were connected unless another is requested.',
    }),
  },
  {
    $id: 'AccountList',
    description: 'The accounts that the caller may post to.',
    examples: [{ data: LISTED_ACCOUNTS }],
  },
)
export type AccountList = Static<typeof AccountList>

export const AccountPath = Type.Object({
  id: Type.String({ description: 'The id of the account, from `listAccounts`.', examples: [ACCOUNT_EXAMPLES[0].id] }),
})
export type AccountPath = Static<typeof AccountPath>
