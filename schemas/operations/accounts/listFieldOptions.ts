import { errorResponse, invalidRequestResponse, unavailableResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { FieldOptionList, FieldOptionsPath, ListFieldOptionsQuery } from '../../field-options.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

const MISSING_BOARD = {
  code: 'invalid_type' as const,
  expected: 'string',
  received: 'undefined',
  path: ['boardId'],
  message: 'Required',
}

export const listFieldOptions = defineOperation({
  method: 'GET',
  path: '/accounts/:id/options/:field',
  scope: 'accounts:read',
  takesAccountLists: true,
  operationId: 'listFieldOptions',
  tag: 'accounts',
  summary: 'List the values of a field for an account',
  description: `Returns the values that a key of \`fields\` may have for an account, such as its boards. \`fieldOptions\` of \`getPlatform\` names the keys that have such values.

| network | field | values | required parameter |
|---|---|---|---|
| \`pinterest\` | \`boardId\` | the boards of the account, and the group boards that it shares | |
| \`pinterest\` | \`boardSectionId\` | the sections of the board | \`boardId\` |
| \`tiktok\` | \`privacyLevel\` | the privacy levels that the creator may choose; \`facts\` has the other settings of the creator | |
| \`reddit\` | \`subreddit\` | the subreddits that the account moderates or has joined | |
| \`reddit\` | \`flairId\` | the flairs for new posts; \`facts\` has the rules of the subreddit and its requirements for posts | \`subreddit\` |
| \`youtube\` | \`playlistId\` | the playlists of the channel | |
| \`youtube\` | \`categoryId\` | the categories of videos | |
| \`sandbox\` | \`boardId\` | two boards | |
| \`sandbox\` | \`boardSectionId\` | the sections of the board | \`boardId\` |

The values are read from the network, which may take up to 20 seconds. Then they are kept for a minute. The list has no pages.`,
  params: FieldOptionsPath,
  query: ListFieldOptionsQuery,
  success: { 200: JsonResponse(FieldOptionList, 'The values.', { boards: FieldOptionList.examples[0] }) },
  errors: [
    invalidRequestResponse(
      'With `details`: a parameter that the field needs is missing or malformed. Without: the network refused to list the values, for example because it has no such board.',
      { missingBoard: MISSING_BOARD },
      [errorOf('platform_refused', 'sandbox: sandbox.invalid: Board not found')],
    ),
    errorResponse('You cannot post to an account with this id, or its network lists no values for the field.', [
      'account_not_found',
      errorOf('field_without_options', 'sandbox', 'playlistId', ['boardId', 'boardSectionId']),
    ]),
    errorResponse(
      'The account has no credentials, or the network rejected them. Connect the account again. An access token that workers refresh may have expired a moment ago: retry once after a minute.',
      [
        'account_not_connected',
        errorOf('credentials_rejected.stored', 'sandbox: sandbox.invalid: the token has expired'),
      ],
    ),
    errorResponse('The network could not be reached, failed, or accepts no more calls at the moment. Retry later.', [
      errorOf(
        'platform_unavailable',
        'sandbox: sandbox.invalid does not resolve to a public address: check its spelling (ENOTFOUND)',
      ),
    ]),
    unavailableResponse(
      ' `Credentials key not set`: the operator has not configured `CREDENTIALS_KEY`. `Stored credentials are encrypted with a key …`: the operator has to add that key to `CREDENTIALS_KEY`.',
      ['credentials_key_missing', 'credentials_key_mismatch'],
    ),
  ],
  sdk: 'accounts.options',
  tool: {
    title: 'List the values of a field',
    description:
      'Returns the values that a key of fields may have for an account, such as the boards of boardId. fieldOptions of get_limits names these keys, and the arguments that each needs.',
    hints: { openWorldHint: true },
  },
})
