import { errorResponse, invalidRequestResponse, unavailableResponse } from '../../error.ts'
import { errorOf, UPLOADS_PENDING_MAX } from '../../errors.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../../idempotency.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { CREATE_UPLOAD_EXAMPLES, CreatedUpload, CreateUpload, PIECE_BYTES_MIN, UPLOAD_TIMES } from '../../upload.ts'
import { defineOperation } from '../define-operation.ts'
import { quotaErrors, tooLargeFile } from './common.ts'

export const createUpload = defineOperation({
  method: 'POST',
  path: '/media/uploads',
  scope: 'media:write',
  takesAccountLists: true,
  operationId: 'createUpload',
  tag: 'media',
  summary: 'Get an address to upload a file to',
  description: `Returns an address that takes the bytes of one file without an API key: from a browser, a script, or another machine. Large files can be resumed. The file is checked as by \`uploadMedia\`, with the same limits.

\`\`\`sh
curl --fail --upload-file harbour.mp4 "$uploadUrl"
\`\`\`

**The id can be used immediately** in the \`mediaIds\` of a draft. A post cannot be scheduled or published before the file is \`ready\`: \`validatePost\` and the error name the rule \`media_pending\` until then, and \`media_failed\` if the file was rejected. \`getUpload\` returns the state.

**\`PUT\`** takes the bytes of the file as the body, with any \`Content-Type\`. The response has the \`Upload\`; an invalid file is a 400, and the upload is \`failed\`. To send a file in pieces, or to go on after a lost connection, add \`Content-Range: bytes 8388608-12582911/12582912\`. A piece begins where the stored bytes end, and has at least ${PIECE_BYTES_MIN / 1024} KiB unless it is the last. Without \`Content-Range\`, the file starts again.

**\`HEAD\`** returns \`Upload-Offset\`, the number of bytes that are stored, and \`Upload-Complete\`: \`?1\` if the file is ready. If all bytes are there and it is not, \`PUT\` an empty body with \`Content-Range: bytes */12582912\`. A later request takes over from an earlier one, which then ends: its connection may be lost.

| Response of \`PUT\` | Then |
| --- | --- |
| 409 \`upload_offset\`, with \`Upload-Offset\` | continue there |
| 409 \`upload_busy\`, with \`Retry-After\` | all bytes are there and are checked: ask with \`HEAD\` again |
| 409 \`upload_taken_over\` | another request sends the file |
| 409 \`upload_finished\` | the file is ready |
| 400 \`upload_range\`, \`upload_checksum\`, and those of \`uploadMedia\` | the request, or the file, is wrong |
| 404 \`upload_not_found\`, 410 \`upload_expired\` | ask for another address |

Pages of any origin may use the address. It ends with the API key that has asked for it, and after ${UPLOAD_TIMES.validHours} hours; bytes of a file that is not complete are deleted then. The outcome is kept for ${UPLOAD_TIMES.keptDays} days more. Stored bytes count towards the quota. At most ${UPLOADS_PENDING_MAX} files of a user may be pending or failed while their addresses last (409).

The same bytes again are a second file, unless \`sha256\` told so before: the id is in your posts already. A key for some accounts that does not see the other file has to send the bytes.`,
  headers: IdempotencyHeaders,
  body: Body(CreateUpload, CREATE_UPLOAD_EXAMPLES),
  success: {
    200: {
      ...JsonResponse(CreatedUpload, 'You have added a file with this `sha256` before. This is that file.', {
        known: CreatedUpload.examples[1],
      }),
      ...REPLAY_HEADERS,
    },
    201: {
      ...JsonResponse(CreatedUpload, 'The address takes the file.', { pending: CreatedUpload.examples[0] }),
      ...REPLAY_HEADERS,
    },
  },
  errors: [
    errorResponse(
      'The `Idempotency-Key` was sent with another request within the last 24 hours. Or the file would exceed the quota of your files, or too many files are pending. The request was not carried out.',
      [...quotaErrors, 'too_many_pending_uploads'],
    ),
    invalidRequestResponse('The body does not match its schema.', {
      missingFileName: {
        code: 'invalid_type',
        expected: 'string',
        received: 'undefined',
        path: ['fileName'],
        message: 'Required',
      },
    }),
    errorResponse('The file is larger than the service accepts, or the body is larger than 1 MiB.', [
      ...tooLargeFile,
      errorOf('body_too_large', 2 ** 20),
    ]),
    unavailableResponse(
      ' `Credentials key not set`: the operator has not configured `CREDENTIALS_KEY`, which signs the address.',
      ['credentials_key_missing', 'credentials_key_mismatch', 'storage_unavailable'],
    ),
  ],
  sdk: 'uploads.request',
  tool: {
    name: 'request_upload',
    title: 'Get an address to upload a file to',
    description:
      'Returns an address that takes the bytes of a file by HTTP PUT without a key, such as `curl --upload-file clip.mp4 "$uploadUrl"`. Use it for a file on a disk that you, or the person you work for, can send: any size, no base64. The id can be used in mediaIds of a draft immediately; get_upload tells when the file is ready.',
    hints: { idempotentHint: false, openWorldHint: false },
  },
})
