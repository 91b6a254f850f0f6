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
] as const

export const Account = Type.Object(
  {
    id: Type.String({ description: 'The id to post with: it goes into `accountIds` when a post is created.' }),
    platform: Ref(PlatformId),
    username: Type.String({ description: 'The handle on the network, without a leading @.' }),
    displayName: Type.Optional(
      Type.String({ description: 'The display name on the network; absent if none is known.' }),
    ),
  },
  {
    $id: 'Account',
    description: 'A connected social account that the caller may post to.',
    examples: [...ACCOUNT_EXAMPLES],
  },
)
export type Account = Static<typeof Account>

export const AccountList = Type.Object(
  { data: Type.Array(Ref(Account), { description: 'All of them, oldest connection first.' }) },
  {
    $id: 'AccountList',
    description: 'The accounts that the caller may post to.',
    examples: [{ data: ACCOUNT_EXAMPLES }],
  },
)
export type AccountList = Static<typeof AccountList>
