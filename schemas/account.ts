import { type Static, Type } from '@sinclair/typebox'
import { PlatformId } from './platform.ts'
import { Ref } from './shared.ts'

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

/** Why nothing can be published to an account that was never connected. */
export const NOT_CONNECTED = {
  code: 'not_connected',
  message: 'There are no credentials for this account: connect it, or publish by hand',
}

/** Why nothing can be published to an account of most networks. */
export const NOT_SUPPORTED = {
  code: 'not_supported',
  message:
    'This version cannot publish to this network: publish by hand, and say so with `postroom post mark-published`',
}

export const AccountAttention = Type.Object(
  {
    code: Type.String({
      description:
        'For programs. `not_supported`: this version cannot publish to the network. `not_connected`: there are no credentials. Others, such as `unauthorized`: the network refused the credentials when a post was published; connect the account again.',
    }),
    message: Type.String({ description: 'The same in words, for people; of a refusal, the network’s own.' }),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the network refused, in UTC with milliseconds; absent where there was no refusal.',
      }),
    ),
  },
  {
    $id: 'AccountAttention',
    description: 'Why nothing can be published to an account until its owner does something about it.',
    examples: [
      {
        code: 'unauthorized',
        message: 'bsky.social: Invalid identifier or password',
        since: '2026-11-21T08:15:30.123Z',
      },
      NOT_CONNECTED,
      NOT_SUPPORTED,
    ],
  },
)
export type AccountAttention = Static<typeof AccountAttention>

const [CONNECTED, BY_HAND, OWN_LIMIT] = ACCOUNT_EXAMPLES
/** The same as the list shows them. */
export const LISTED_ACCOUNTS = [CONNECTED, { ...BY_HAND, attention: NOT_SUPPORTED }, OWN_LIMIT]

export const Account = Type.Object(
  {
    id: Type.String({ description: 'The id to post with: it goes into `accountIds` when a post is created.' }),
    platform: Ref(PlatformId),
    username: Type.String({ description: 'The handle on the network, without a leading @.' }),
    displayName: Type.Optional(
      Type.String({ description: 'The display name on the network; absent if none is known.' }),
    ),
    textLengthMax: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The most that the account’s own server takes in a caption, a part of a thread or a first comment, counted as its network counts: posts are held against it. Servers of Mastodon say one when the account is connected. Absent where the network’s own limits hold.',
      }),
    ),
    attention: Type.Optional(
      Ref(AccountAttention, {
        description: 'Why nothing can be published to it; absent when all is well.',
      }),
    ),
  },
  {
    $id: 'Account',
    description: 'A social account that the caller may post to.',
    examples: LISTED_ACCOUNTS,
  },
)
export type Account = Static<typeof Account>

export const AccountList = Type.Object(
  { data: Type.Array(Ref(Account), { description: 'All of them, oldest connection first.' }) },
  {
    $id: 'AccountList',
    description: 'The accounts that the caller may post to.',
    examples: [{ data: LISTED_ACCOUNTS }],
  },
)
export type AccountList = Static<typeof AccountList>

export const AccountPath = Type.Object({
  id: Type.String({ description: 'The id of the account, as the list shows it.', examples: [ACCOUNT_EXAMPLES[0].id] }),
})
export type AccountPath = Static<typeof AccountPath>
