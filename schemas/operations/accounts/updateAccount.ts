import { Account, AccountPath, UPDATE_ACCOUNT_EXAMPLES, UpdateAccount } from '../../account.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { ACCOUNT_VERSIONS, BAD_IF_MATCH_EXAMPLE } from '../../precondition.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const updateAccount = defineOperation({
  method: 'PATCH',
  path: '/accounts/:id',
  scope: 'accounts:connect',
  conditionalScope: { scope: 'posts:publish', when: 'with `defaultFields`, `captionSuffix` or `paused`' },
  takesAccountLists: true,
  operationId: 'updateAccount',
  tag: 'accounts',
  summary: 'Change an account',
  description: `Changes how you call an account, and the options that its posts begin with. The owner can do this, and an admin of its organisation; other members get 403. On the network, nothing changes. Its weekly slots are set with \`putSchedule\`.

**Default fields** are the \`fields\` of every new post for the account: from \`createPost\`, \`createPosts\`, and \`updatePost\` for an account that it adds. They are checked as the \`fields\` of a post are, except that an unknown key is rejected.

- A key in \`fields\` of the post's override replaces the default. \`null\` there leaves the default out.
- They are stored in the post when it is created, as \`targets[].fields\` of \`getPost\` shows. A later change of the defaults changes no post that exists.
- A post that a default does not fit, such as a default for videos in a post with an image, is rejected or gets a warning. The message says that it is a default of the account.
- \`listFieldOptions\` returns the values of some keys, such as the boards of an account. TikTok requires that the creator chooses \`privacyLevel\` for each post: show a default before you post.

**\`captionSuffix\`** is a signature: it follows the caption of every new post for the account, and the last part of a thread.

- It counts towards the limits of the network, and \`validatePost\` shows it in \`targets[].parts\`. A blank caption, and a type of post without a caption, get none.
- It is stored in the post when the account is added to it, as \`targets[].captionSuffix\` of \`getPost\` shows. An override of the post can replace it or leave it out.
- With \`whenTooLong\` \`omit\`, a post that it makes too long goes out without it. Then a later change of the post does not add it again.

**\`tags\`** are words of your own, such as a city or a customer. \`listAccounts\` finds accounts by \`tag\`; \`listPosts\`, \`countPosts\`, \`listDeliveries\` and \`retryDeliveries\` take \`accountTag\`. All who may post to the account share them.

**\`paused\`** stops publishing to the account: its posts and comments wait, and none is \`missed\` because of the pause. A post that is being sent at that moment still goes out. Taking down and editing published posts go on, and so does reading their numbers.

- Meanwhile \`pausedAt\` tells since when, \`attention\` has the code \`paused\`, new posts for the account get the warning \`account_attention\`, and \`nextAttemptAt\` of its deliveries is \`null\`.
- After \`paused: false\`, posts whose time has passed are published one after the other. Move them before, with \`updatePosts\`, if they should not be.

The body may have the type \`application/json\` or \`application/merge-patch+json\`. Send the \`ETag\` of \`getAccount\` as \`If-Match\`, so that you do not overwrite the change of somebody else. A change is the event \`account.updated\`.`,
  consumes: ['application/json', 'application/merge-patch+json'],
  params: AccountPath,
  headers: ACCOUNT_VERSIONS.IfMatchHeaders,
  body: Body(UpdateAccount, UPDATE_ACCOUNT_EXAMPLES),
  success: {
    200: {
      ...JsonResponse(Account, 'The account after the change.', { account: Account.examples[0] }),
      ...ACCOUNT_VERSIONS.ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse(
      'With `details`: the body does not match its schema, `defaultFields` has a key that the network does not know or is too large, or `If-Match` is malformed. Without: a default is not one that the network takes.',
      {
        ...BAD_IF_MATCH_EXAMPLE,
        unknownField: {
          code: 'custom',
          path: ['defaultFields', 'board'],
          message: '"board" is unknown and has no effect: did you mean boardId?',
        },
      },
      [errorOf('platform_limit', 'sandbox (@ada): field boardId is a number, expected a string')],
    ),
    errorResponse('You can post to the account through an organisation, but neither own it nor are an admin there.', [
      'not_account_owner.changed',
    ]),
    errorResponse('You cannot post to an account with this id.', ['account_not_found']),
  ],
  sdk: 'accounts.update',
  tool: {
    title: 'Change an account',
    description:
      'Changes your own display name of an account, its tags, defaultFields, the options that each new post for it gets unless the post says otherwise, captionSuffix, the text that follows its captions, and paused, while which nothing is published to it. These three take confirm: true. An absent argument changes nothing.',
    forDrafts: {
      title: 'Rename or tag an account',
      description: 'Changes your own display name of an account, and its tags. An absent argument changes nothing.',
    },
    hints: { openWorldHint: false },
  },
})
