import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../db/client.ts'
import { listAccounts } from '../../db/queries/accounts.ts'
import { AccountList } from '../../schemas/account.ts'
import { commonErrors } from '../../schemas/error.ts'
import { Answer } from '../../schemas/shared.ts'

export const accounts: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.get(
    '/accounts',
    {
      schema: {
        operationId: 'listAccounts',
        tags: ['accounts'],
        summary: 'List accounts',
        description:
          'Gives every account that you can post to: your own, and those of the organisations that you belong to. Accounts that were disconnected are left out.',
        response: {
          200: Answer(AccountList, 'Your active accounts.', { accounts: AccountList.examples[0] }),
          ...commonErrors,
        },
      },
    },
    async (request) => {
      const rows = await listAccounts(db, { userId: request.userId })
      return { data: rows.map(({ displayName, ...row }) => (displayName === null ? row : { ...row, displayName })) }
    },
  )
}
