import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { errorOf } from './errors.ts'
import { Ref } from './shared.ts'

const [{ id: ACCOUNT_ID }, { id: OTHER_ID }] = ACCOUNT_EXAMPLES

const LeftAccount = Type.Object(
  {
    accountId: Type.String({ description: 'The id of the account.' }),
    code: Type.String({
      description:
        'Why nothing is removed, for programs: a code with which `removeDelivery` refuses the same with 409.',
    }),
    message: Type.String({ description: 'The reason in words, for people.' }),
  },
  {
    $id: 'LeftAccount',
    description: 'An account of the post from which nothing is removed. Its delivery has not changed.',
    examples: [
      { accountId: OTHER_ID, code: 'delivery_not_published', message: errorOf('delivery_not_published').message },
    ],
  },
)

export const RemovedPost = Type.Object(
  {
    removing: Type.Array(Type.String(), {
      description: 'The ids of the accounts whose delivery is `removing`, or `removed` already.',
    }),
    left: Type.Array(Ref(LeftAccount), { description: 'The accounts from which nothing is removed, with the reason.' }),
  },
  {
    $id: 'RemovedPost',
    description: 'From which accounts a post is taken down.',
    examples: [{ removing: [ACCOUNT_ID], left: LeftAccount.examples }],
  },
)
export type RemovedPost = Static<typeof RemovedPost>
