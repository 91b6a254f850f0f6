import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../../db/client.ts'
import { listSandboxCalls } from '../../../db/queries/sandbox.ts'
import { commonErrors, invalidPage } from '../../../schemas/error.ts'
import { SandboxCallList } from '../../../schemas/sandbox.ts'
import { Answer, PageQuery } from '../../../schemas/shared.ts'
import { readPage } from '../../http/paging.ts'

export const sandbox: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.get(
    '/sandbox/calls',
    {
      schema: {
        operationId: 'listSandboxCalls',
        tags: ['sandbox'],
        summary: 'List what the sandbox was sent',
        description:
          'Gives what was sent to your own accounts on the network `sandbox`, newest first, a page at a time: every call, also one that it was asked to refuse, and a second one for the same post. `nextCursor` leads to the page after; it is `null` on the last one.',
        querystring: PageQuery,
        response: {
          200: Answer(SandboxCallList, 'One page of what the sandbox was sent.', { page: SandboxCallList.examples[0] }),
          400: invalidPage,
          ...commonErrors,
        },
      },
    },
    async (request) => readPage(request.query, (page) => listSandboxCalls(db, { userId: request.userId, ...page })),
  )
}
