import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf, UPLOADS_MAX } from '../../errors.ts'
import { IdempotencyHeaders } from '../../idempotency.ts'
import { UploadMedia } from '../../media.ts'
import { MISSING_FILE } from '../../messages.ts'
import { Body } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { added, quotaResponse, storageErrors, tooLargeFile, tooManyUploadsResponse } from './common.ts'

const badFile = ['file_type_unsupported', 'file_type_unsupported.heic', errorOf('file_invalid.trailing', 10)] as const

export const uploadMedia = defineOperation({
  method: 'POST',
  path: '/media',
  scope: 'media:write',
  takesAccountLists: true,
  operationId: 'uploadMedia',
  tag: 'media',
  summary: 'Upload an image or a video',
  description: `Stores one file and reads from its content the properties that networks limit: type, size, width, height, duration and frame rate. Whether a network accepts the file is checked when a post is created.

**Accepted:** JPEG, PNG, GIF, WebP, AVIF and HEIC images, MP4, MOV and WebM videos. No network takes HEIC as it is: publish it with \`mediaFit\`. The type is detected from the content, not from the file name or the declared type.

**Rejected with 400, without storing anything:**

- a file that is cut off, or has bytes after its end, other than those that cameras and phones write there
- a file that is a ZIP archive or a PDF as well
- an image above 100 MiB (a GIF: 300 MB) or 268 million pixels

**Metadata is not published:** networks get the file without position, serial numbers, names, dates, XMP, IPTC and comments, and without tracks that are neither video nor sound. Orientation and colour profile stay, and nothing is encoded again. A PDF is sent as it is. \`getMediaContent\` returns the bytes as uploaded. The operator can turn this off.

**Limits:** the operator sets the maximum file size, 1 GiB by default (413). The operator can also set a quota for all your files together (409); \`quota\` of \`listMedia\` shows it. An upload may take an hour, as long as at least 16 KiB arrive every 15 seconds (408). A user may add ${UPLOADS_MAX} files at a time to one process (429).

**The same bytes again** return the existing file with 200. With an \`Idempotency-Key\`, the repeated file is received to its end and its bytes are compared with those of the first request.

An empty \`altText\` counts as absent. Telegram has no alternative texts, so it is not sent there.`,
  consumes: ['multipart/form-data'],
  headers: IdempotencyHeaders,
  body: Body(UploadMedia, {}),
  success: { ...added },
  errors: [
    quotaResponse,
    invalidRequestResponse(
      'With `details`: the form does not match its schema. Without: the file cannot be used.',
      { missingFile: MISSING_FILE },
      badFile,
      { codes: ['file_too_large', 'file_too_complex'] },
    ),
    tooManyUploadsResponse,
    storageErrors,
    errorResponse('The body arrived too slowly. The connection is closed.', ['request_timeout']),
    errorResponse('The file is larger than the service accepts.', tooLargeFile),
  ],
  sdk: 'uploads.create',
  tool: {
    title: 'Upload an image or a video',
    description:
      'Stores a small file that you have as base64. Pass its id in mediaIds of a post. The same bytes again return the file that is there. A file at a public URL is added with import_media, which takes larger ones.',
    hints: { openWorldHint: false },
  },
})
