import { commonErrors, invalidPage } from '../error.ts'
import { SandboxCallList } from '../sandbox.ts'
import { Answer, PageQuery } from '../shared.ts'
import { operation } from './operation.ts'

export const listSandboxCalls = operation({
  method: 'GET',
  url: '/sandbox/calls',
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
})
