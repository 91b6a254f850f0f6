import { errorResponse, unavailableResponse } from '../../error.ts'
import { ContentHeaders, MEDIA_TYPES, MediaPath } from '../../media.ts'
import { EmptyResponse, FileResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { disposition, ETag, Location, range } from './common.ts'

export const getMediaContent = defineOperation({
  method: 'GET',
  path: '/media/:id/content',
  scope: 'media:read',
  takesAccountLists: true,
  operationId: 'getMediaContent',
  tag: 'media',
  summary: 'Get the bytes of a file',
  description: `Returns the bytes as they were added, or one range of them. \`HEAD\` is supported. The bytes of an id never change.

- \`Range\` requests one range; a request for several ranges gets the whole file. With \`If-Range\`, the whole file is sent where the \`ETag\` differs.
- \`If-None-Match\` and \`If-Modified-Since\`: 304 where you already have the bytes. \`If-Match\` and \`If-Unmodified-Since\`: 412 where the file does not match.
- Where files are kept in a bucket, the response is a redirect (307). Its address works for some minutes and takes no API key: do not send the key there.
- A file that the operator registered without content (\`postroom media register\`) has no bytes (404). Posts can refer to it, but they cannot be published.`,
  params: MediaPath,
  headers: ContentHeaders,
  success: {
    200: FileResponse(MEDIA_TYPES, 'The whole file.', { ETag, 'Content-Disposition': disposition }),
    206: FileResponse(MEDIA_TYPES, 'The requested range of the file.', {
      ETag,
      'Content-Disposition': disposition,
      'Content-Range': range,
    }),
    304: EmptyResponse('The file matches the `ETag` that you sent.', { ETag }),
    307: EmptyResponse('The file is at a temporary address, which takes no API key.', { Location }),
  },
  errors: [
    errorResponse('You have no file with this id, or it has no content.', ['media_not_found', 'media_without_content']),
    errorResponse('`If-Match` or `If-Unmodified-Since` does not match the file.', ['precondition_failed.file']),
    errorResponse('The range is outside the file.', ['range_not_satisfiable']),
    unavailableResponse(' The same holds for the storage of files.', ['storage_unavailable']),
  ],
  sdk: 'media.content',
})
