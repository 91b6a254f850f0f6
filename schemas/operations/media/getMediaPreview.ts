import { errorResponse, unavailableResponse } from '../../error.ts'
import { ContentHeaders, MediaPath, PreviewQuery } from '../../media.ts'
import { EmptyResponse, FileResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { disposition, ETag, range } from './common.ts'

const TYPES = ['image/webp', 'image/svg+xml']

export const getMediaPreview = defineOperation({
  method: 'GET',
  path: '/media/:id/preview',
  scope: 'media:read',
  takesAccountLists: true,
  operationId: 'getMediaPreview',
  tag: 'media',
  summary: 'Get a small picture of a file',
  description: `Returns a WebP image, upright and without metadata, at most four times as high as wide. It is made at the first request, and stored. \`HEAD\` and conditional requests work as for \`getMediaContent\`; where files are kept in a bucket, the response is the whole preview.

An animation has its first frame. A video has one of its frames, if a worker has ffmpeg (\`listPlatforms\` tells): the first request has it made.

A grey SVG image of the same shape is a placeholder: for documents, for images of more than 51 million pixels (WebP 34, HEIC 26, AVIF 17 million), for files that cannot be decoded, and for videos without a frame. While a worker is to make the frame, the placeholder has \`Cache-Control: no-store\`: ask again later.

Pages cannot send a key with a picture: \`previewUrl\` of \`listPosts\` with \`include=media\` is an address of the same preview that takes none.`,
  params: MediaPath,
  query: PreviewQuery,
  headers: ContentHeaders,
  success: {
    200: FileResponse(TYPES, 'The preview.', { ETag, 'Content-Disposition': disposition }),
    206: FileResponse(['image/webp'], 'The requested range of the preview.', {
      ETag,
      'Content-Disposition': disposition,
      'Content-Range': range,
    }),
    304: EmptyResponse('The preview matches the `ETag` that you sent.', { ETag }),
  },
  errors: [
    errorResponse('You have no file with this id, or it has no content.', ['media_not_found', 'media_without_content']),
    errorResponse('`If-Match` or `If-Unmodified-Since` does not match the preview.', ['precondition_failed.file']),
    errorResponse('The range is outside the preview.', ['range_not_satisfiable']),
    unavailableResponse(' The same holds for the storage of files.', ['storage_unavailable', 'storage_full']),
  ],
  sdk: 'media.preview',
})
