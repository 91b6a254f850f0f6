import { CREATE_POST_EXAMPLES, CreatePost, ValidatePostQuery } from '../../create-post.ts'
import { invalidRequestResponse, MISSING_ACCOUNT_IDS } from '../../error.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { PostValidation } from '../../validate-post.ts'
import { defineOperation } from '../define-operation.ts'

export const validatePost = defineOperation({
  method: 'POST',
  path: '/posts/validate',
  scope: 'posts:read',
  takesAccountLists: true,
  makesRenditions: true,
  operationId: 'validatePost',
  tag: 'posts',
  summary: 'Check a post without storing it',
  description: `Takes the body of \`createPost\` and stores nothing. The response says how \`createPost\` would respond to the same body and the same \`strict\` now, and lists every limit that the post breaks, for every account and file. The same code checks both, and the scopes of the key count. Between the two requests, accounts and files may change.

- **200** wherever the shape of the body is right, also for a post that would be rejected. Mistakes in the shape are 400 with \`details\`, the same as at \`createPost\`.
- **A draft** is checked as it is, and as if it were scheduled. What only a scheduled post must have is a violation with \`blocks\` \`publishing\`.
- **Ids that you may not use** are in \`notYours\`, and not a 403. Their limits are not checked.
- **Facts that are not known** of a file are not checked. They are in \`unchecked\`.
- **What would be sent** to each account is in \`targets[].parts\` with \`include=parts\`: each text as the network counts it, its links, mentions and tags, the files and the link card. Publishing makes its calls from the same values.
- **Renditions** that \`mediaFit\` asks for are made and kept, as by \`createPost\`, which then takes less time. They are in \`adjustments\`. For a key without \`posts:write\`, none is made: an image that is not converted yet is described as planned, with \`null\` for its \`bytes\`.
- **Counters** for an editor are in \`targets\`: the length of each text as its network counts it, and the maximum.

The operation needs no \`Idempotency-Key\` and ignores one.`,
  query: ValidatePostQuery,
  body: Body(CreatePost, CREATE_POST_EXAMPLES),
  success: { 200: JsonResponse(PostValidation, 'The post was checked.', { tooLong: PostValidation.examples[0] }) },
  errors: [invalidRequestResponse('The body does not match its schema.', { missingAccountIds: MISSING_ACCOUNT_IDS })],
  sdk: 'posts.validate',
  tool: {
    title: 'Check a post',
    description:
      'Takes the arguments of create_post, and stores nothing. Returns every limit of a network that the post breaks, and how much of each limit every text uses.',
  },
})
