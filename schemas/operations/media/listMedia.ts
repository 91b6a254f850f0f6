import { CURSOR_AND_OFFSET, errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { ListMediaQuery, MediaList } from '../../media.ts'
import { NOTHING_TO_SEARCH, OFFSET_WITH_FILTER } from '../../messages.ts'
import { JsonResponse, PAGE } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listMedia = defineOperation({
  method: 'GET',
  path: '/media',
  scope: 'media:read',
  takesAccountLists: true,
  operationId: 'listMedia',
  tag: 'media',
  summary: 'List media',
  description:
    'Returns a page of your own images, videos and documents, newest first. Use `nextCursor` as `cursor` to get the next page; it is `null` where there are no more pages.\n\nA key that is limited to a list of accounts sees the files of the posts that it sees, and those that keys for the same accounts have added. It looks at up to 100 files in a request, and its pages may be short too.\n\nWith `organizationId`, an admin of an organisation gets the files that its posts show, of all its members. Such a request looks at up to 100 files: a page may be short or empty although more follows, so read on until `nextCursor` is `null`. It takes no `offset`.\n\nWith `q`, a request looks at up to 10,000 of your files, or at 100 with `organizationId` and for a key that is limited to a list of accounts. Its pages may be short or empty too, and it takes no `offset`.',
  query: ListMediaQuery,
  success: { 200: JsonResponse(MediaList, 'One page of your media.', { page: MediaList.examples[0] }) },
  errors: [
    invalidRequestResponse('A parameter is malformed or outside its range, or excludes another one.', {
      limitTooBig: {
        code: 'too_big',
        type: 'number',
        maximum: PAGE.limitMax,
        inclusive: true,
        path: ['limit'],
        message: `Number must be less than or equal to ${PAGE.limitMax}`,
      },
      cursorAndOffset: CURSOR_AND_OFFSET,
      offsetWithFilter: OFFSET_WITH_FILTER,
      nothingToSearch: NOTHING_TO_SEARCH,
    }),
    errorResponse(
      'With `organizationId`: you are not an admin of this organisation, or it does not exist. Or the API key is limited to a list of accounts.',
      [
        'not_organization_admin.lists',
        errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
        'account_list.filters',
      ],
    ),
  ],
  sdk: 'media.list',
  tool: {
    title: 'List files',
    description:
      'Returns a page of your images, videos and documents, newest first, with the ids that mediaIds of a post takes. q searches names and alternative texts. Pass nextCursor as cursor to read on.',
  },
})
