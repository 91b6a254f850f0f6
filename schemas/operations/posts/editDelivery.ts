import { PUBLISHED_POST_ID, sandboxDeliveryPath } from '../../delivery.ts'
import { EDIT_EXAMPLES, EditDelivery, EditedPost } from '../../edit-delivery.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { BAD_IF_MATCH_EXAMPLE, ETAG_HEADERS, IfMatchHeaders } from '../../precondition.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { DELIVERY_MISSING } from './deliveries.ts'

export const editDelivery = defineOperation({
  method: 'PATCH',
  path: '/posts/:id/deliveries/:accountId',
  scope: 'posts:publish',
  takesAccountLists: true,
  operationId: 'editDelivery',
  tag: 'posts',
  summary: 'Edit the published post of one account',
  description: `Changes the text of a published post on its network, and the \`fields\` that the network changes after publication. Deliveries to other accounts are not affected. Files, comments and thumbnails stay as they are. \`updatePost\` changes posts that are not published yet.

The new content is checked as \`createPost\` checks it, for this account alone. Then a worker edits the post: \`edit\` of the delivery is \`pending\` until the network has accepted it, and absent then. The content of the post in this service changes with it, not before. A failure that may pass is tried again, as in publishing. After a lasting one, \`edit\` is \`failed\` with the \`error\`, and you can call this again. The delivery stays \`published\` in every case.

**Every call is safe to repeat.** If the post has the content already, or gets it by the edit that is under way, the call changes nothing and succeeds. Other content during an edit is a 409. A response that the network loses is asked about, or the same edit is made again, so that no text is published twice.

\`getPlatform\` says in \`changes.edit\` what can be edited, for how long and how often, and what cannot. Then, the response is 409 with the reason, and nothing has changed. Threads with several parts are not edited. **On X an edit is a new post**, with another id: it needs \`acceptNewId: true\`, and \`externalId\` and \`externalUrl\` are those of the new post afterwards. Where a network has a peculiarity, the response has a \`warning\`.`,
  params: sandboxDeliveryPath(PUBLISHED_POST_ID),
  headers: IfMatchHeaders,
  body: Body(EditDelivery, EDIT_EXAMPLES),
  success: {
    202: {
      ...JsonResponse(EditedPost, 'A worker edits the post, or has done so.', { published: EditedPost.examples[0] }),
      ...ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse(
      'With `details`: the body does not match its schema, has neither `text` nor `fields`, or has a field that the network does not change, or `If-Match` is malformed. Without: the content would break a limit of the network.',
      {
        ...BAD_IF_MATCH_EXAMPLE,
        unchangeableField: {
          code: 'custom',
          path: ['fields', 'langs'],
          message: 'Bluesky does not change this after publication, only: text',
        },
      },
      [errorOf('platform_limit', 'bluesky (@ada): caption is 301 characters long, at most 300 are allowed')],
    ),
    errorResponse('You may no longer use the account, or a file of the post.', [
      errorOf('no_access.several', 'accountIds: 0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10'),
    ]),
    errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
    errorResponse('The delivery is not published, or its network does not change it.', [
      'delivery_not_published',
      'delivery_not_published.queued',
      'delivery_in_progress',
      'delivery_unconfirmed',
      'delivery_removed',
      'delivery_without_id',
      'edit_in_progress',
      errorOf('new_id_not_accepted', 'X'),
      errorOf('not_editable', 'TikTok lets no app change a post: change it in TikTok.'),
      errorOf('not_editable.scope', 'edit', 'reddit'),
      'not_editable.thread',
      errorOf('not_editable.times', 'X', 5),
    ]),
    errorResponse('The body, or the post with its changes, is larger than 1 MiB.', [
      errorOf('body_too_large', 2 ** 20),
      'body_too_large.post',
    ]),
  ],
  sdk: 'deliveries.edit',
  tool: {
    title: 'Edit the published post of one account',
    description:
      'Changes the text of a published post on its network. get_post shows it: edit is pending, then absent, or failed with an error. On X, an edit is a new post and needs acceptNewId: true. Takes confirm: true.',
    confirms: 'changes the published post',
    hints: { destructiveHint: true, idempotentHint: true },
  },
})
