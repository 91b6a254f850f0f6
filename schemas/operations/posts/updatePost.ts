import { NOT_CONNECTED } from '../../account.ts'
import { CreatePostQuery } from '../../create-post.ts'
import { errorResponse, invalidRequestResponse, unavailableResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { PATCH_POST_EXAMPLES, PatchPost, UpdatedPost } from '../../patch-post.ts'
import { PostPath } from '../../post.ts'
import { BAD_IF_MATCH_EXAMPLE, ETAG_HEADERS, IfMatchHeaders } from '../../precondition.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { QUEUE_ERRORS } from './queue.ts'

export const updatePost = defineOperation({
  method: 'PATCH',
  path: '/posts/:id',
  scope: 'posts:write',
  conditionalScope: { scope: 'posts:publish', when: 'for a scheduled post, or with a time' },
  takesAccountLists: true,
  makesRenditions: true,
  operationId: 'updatePost',
  tag: 'posts',
  summary: 'Change a post',
  description: `Changes a draft or a scheduled post of yours. A post can be changed exactly as long as it can be deleted: not once something of it is published, or may be (400), and not while it is being sent (409). A post whose deliveries have all failed is \`scheduled\` and can be changed.

The body is a JSON merge patch, and may have the type \`application/json\` or \`application/merge-patch+json\`. An absent key changes nothing. The changed post is checked as \`createPost\` checks a new one, for all of its accounts and files, and is stored whole or not at all. A patch that changes nothing writes nothing.

| key | effect |
|---|---|
| \`scheduledAt\` | a time schedules a draft or moves a scheduled post: an instant, or a local time in \`timeZone\` or in the zone of the post; accounts with a time of their own stay where they are; \`null\` makes a draft, whose accounts have no times either |
| \`schedule\` | each account publishes the post at a free slot, as in \`createPost\`; the slots of the post itself count as free |
| \`timeZone\` | with a local \`scheduledAt\`: its zone; alone: the post keeps its local time and moves; \`null\` removes the zone and the local time, and the instant stays |
| \`accountIds\` | the new list: accounts that stay keep their delivery, their override and their parts |
| \`overrides\` | changes overrides account by account; \`fields\` are merged |
| \`accountOverrides\` | replaces all overrides |
| \`externalReference\`, \`metadata\` | the same rules: they are content too. \`metadata\` is merged; deliveries are not affected |

A delivery whose content or time changes begins again: it is \`queued\`, or \`waiting\` in a draft, even if it had failed or was missed. Its failures are forgotten, and its \`history\` stays. Deliveries to other accounts are not affected. A cancelled delivery stays cancelled, and takes no slot: \`retryDelivery\` begins it again.

The response has the \`warnings\` that \`createPost\` would return for the changed post. They do not count for the \`ETag\`. With \`strict=true\`, a change with warnings is rejected with 400, and the post stays as it is.

Send the \`ETag\` of the post that you have seen as \`If-Match\`, so that you do not overwrite the change of somebody else.`,
  consumes: ['application/json', 'application/merge-patch+json'],
  params: PostPath,
  query: CreatePostQuery,
  headers: IfMatchHeaders,
  body: Body(PatchPost, PATCH_POST_EXAMPLES),
  success: {
    200: {
      ...JsonResponse(UpdatedPost, 'The post after the change.', { published: UpdatedPost.examples[0] }),
      ...ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse(
      'With `details`: the body does not match its schema, `If-Match` is malformed, or the changed post has warnings and the request has `strict=true`. Without: the post is published, or would break a limit of a network.',
      {
        ...BAD_IF_MATCH_EXAMPLE,
        captionRemoved: {
          code: 'invalid_type',
          expected: 'string',
          received: 'null',
          path: ['caption'],
          message: 'Expected string, received null',
        },
      },
      [
        errorOf('post_published.unchangeable', 'edit'),
        errorOf('platform_limit', 'x (@ada): caption is 312 characters long, at most 280 are allowed'),
        {
          ...errorOf('warnings_not_allowed'),
          details: [{ code: 'custom', path: ['accountIds', 0], message: `x (@ada): ${NOT_CONNECTED.message}` }],
        },
      ],
    ),
    errorResponse('You may not use some of the accounts or files of the changed post.', [
      errorOf('no_access.several', 'accountIds: 0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
    ]),
    errorResponse('You have no post with this id.', ['post_not_found']),
    errorResponse('A worker is sending the post. With `schedule`: it gets no slots.', [
      errorOf('post_busy', 'edit'),
      ...QUEUE_ERRORS,
    ]),
    errorResponse('The body, or the post with its changes, is larger than 1 MiB.', [
      errorOf('body_too_large', 2 ** 20),
      'body_too_large.post',
    ]),
    unavailableResponse(
      ' If the connection broke during the commit, the change may be stored. Sending it again does no harm.',
    ),
  ],
  sdk: 'posts.update',
  tool: {
    title: 'Change or schedule a post',
    description:
      'Changes a post that is not published yet. An absent argument changes nothing. A time schedules a draft. Both that, and any change of a scheduled post, take confirm: true.',
    forDrafts: {
      title: 'Change a draft',
      description: 'Changes a draft. An absent argument changes nothing.',
    },
    hints: { destructiveHint: true },
  },
})
