import { AccountPath } from '../../account.ts'
import { errorResponse } from '../../error.ts'
import { EmptyResponse, FileResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { HEADERS, IfNoneMatchHeaders } from '../platforms/common.ts'

export const getAccountAvatar = defineOperation({
  method: 'GET',
  path: '/accounts/:id/avatar',
  scope: 'accounts:read',
  takesAccountLists: true,
  operationId: 'getAccountAvatar',
  tag: 'accounts',
  summary: 'Get the picture of an account',
  description:
    'Returns a WebP image, at most 160 pixels wide. It is a copy of the picture on the network, made shortly after the account was connected. Where workers refresh the access token, they read the picture again after a week. A page shows it by `avatarUrl` of the account, which takes no API key.',
  params: AccountPath,
  headers: IfNoneMatchHeaders,
  success: {
    200: FileResponse(['image/webp'], 'The picture.', HEADERS),
    304: EmptyResponse('The picture is the one of the `ETag` that you sent.', HEADERS),
  },
  errors: [
    errorResponse(
      'You cannot post to an account with this id, or no picture of it is stored: its network gives none, or it could not be fetched.',
      ['account_not_found', 'avatar_not_found'],
    ),
  ],
  sdk: 'accounts.avatar',
})
