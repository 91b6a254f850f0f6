import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { DeliveryError, POST_ID } from './delivery.ts'
import { PlatformId } from './platform.ts'
import { Nullable, NullableString, Ref, StringEnum } from './shared.ts'

const [{ id: ACCOUNT_ID }] = ACCOUNT_EXAMPLES
const time = (description: string) => NullableString({ format: 'date-time', description })

const CHECK_RESULTS = ['shown', 'not_shown', 'gone', 'unknown'] as const

export const DeliveryCheck = Type.Object(
  {
    postId: Type.String({ description: 'The id of the post.' }),
    accountId: Type.String({ description: 'The id of the account.' }),
    platform: Ref(PlatformId),
    result: StringEnum(CHECK_RESULTS, {
      description:
        '- `shown`: the network shows the post.\n- `not_shown`: it did not, for the first time. Networks lag, so a worker asks again within 15 minutes.\n- `gone`: it did not, in two readings at least 10 minutes apart. The delivery has `goneAt`.\n- `unknown`: it could not be read, for the reason in `error`; or it tells nothing about the post, which says neither.',
    }),
    checkedAt: time('When the network was last asked. `null`: never, because another request is asking it now.'),
    goneAt: time('The `goneAt` of the delivery, or `null`.'),
    error: Nullable(Ref(DeliveryError), { description: 'Why the network could not be read; `null` if it could.' }),
  },
  {
    $id: 'DeliveryCheck',
    description: 'Whether a published post is still there.',
    examples: [
      {
        postId: POST_ID,
        accountId: ACCOUNT_ID,
        platform: 'bluesky',
        result: 'shown',
        checkedAt: '2027-01-15T11:45:02.130Z',
        goneAt: null,
        error: null,
      },
    ],
  },
)
export type DeliveryCheck = Static<typeof DeliveryCheck>
