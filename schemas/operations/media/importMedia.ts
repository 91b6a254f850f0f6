import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { IdempotencyHeaders } from '../../idempotency.ts'
import { IMPORT_MEDIA_EXAMPLE, ImportMedia } from '../../media.ts'
import { INVALID_URL } from '../../messages.ts'
import { Body } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { added, quotaResponse, storageErrors, tooLargeFile, tooManyUploadsResponse } from './common.ts'

export const importMedia = defineOperation({
  method: 'POST',
  path: '/media/import',
  scope: 'media:write',
  takesAccountLists: true,
  operationId: 'importMedia',
  tag: 'media',
  summary: 'Import an image or a video from a URL',
  description: `Fetches a file from the public internet and stores it as \`uploadMedia\` does. The response comes when the file is stored, which may take up to ten minutes.

A URL that leads into a private network, directly or after a redirect, is rejected. The message is the same as for an unknown host name. With an \`Idempotency-Key\`, a repeated request compares the URL and does not fetch the file again. Nothing is at the address of the example: use one of yours.`,
  headers: IdempotencyHeaders,
  body: Body(ImportMedia, { image: IMPORT_MEDIA_EXAMPLE }),
  success: { ...added },
  errors: [
    quotaResponse,
    invalidRequestResponse(
      'With `details`: the body does not match its schema. Without: the file cannot be fetched or used.',
      { invalidUrl: { code: 'invalid_string', validation: 'url', path: ['url'], message: INVALID_URL } },
      ['url_not_public'],
      {
        codes: ['url_not_fetched', 'file_type_unsupported', 'file_invalid', 'file_too_large', 'file_too_complex'],
      },
    ),
    tooManyUploadsResponse,
    storageErrors,
    errorResponse('The file is larger than the service accepts, or the body is larger than 1 MiB.', [
      ...tooLargeFile,
      errorOf('body_too_large', 2 ** 20),
    ]),
  ],
  sdk: 'uploads.fromUrl',
  tool: {
    title: 'Import an image or a video',
    description:
      'Fetches a file from a public URL and stores it. Pass its id in mediaIds of a post. The same bytes again return the file that is there.',
  },
})
