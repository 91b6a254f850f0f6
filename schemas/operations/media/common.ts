import { errorResponse, rateLimitResponse, unavailableResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { REPLAY_HEADERS } from '../../idempotency.ts'
import { CONTENT_HEADERS, Media } from '../../media.ts'
import { JsonResponse } from '../../shared.ts'

export const { ETag, Location, 'Content-Disposition': disposition, 'Content-Range': range } = CONTENT_HEADERS

export const notFound = errorResponse('You have no file with this id.', ['media_not_found'])

export const usedElsewhere = errorResponse(
  'The file is of another member, who uses it in posts outside of your organisations. Or posts are going to publish it to accounts that the API key does not list.',
  ['media_used_elsewhere', 'media_used_elsewhere.otherAccounts'],
)

export const [IMAGE, VIDEO] = Media.examples

export const added = {
  200: {
    ...JsonResponse(
      Media,
      'You have added the same bytes before. This is that file, unchanged: its alternative text stays as it was.',
      { known: IMAGE },
    ),
    ...REPLAY_HEADERS,
  },
  201: { ...JsonResponse(Media, 'The file was added.', { image: IMAGE, video: VIDEO }), ...REPLAY_HEADERS },
}

export const quotaErrors = [
  'idempotency_key_reused',
  errorOf('media_quota', {
    newBytes: 4_200_000,
    usedBytes: 9_997_000_000,
    quotaBytes: 10_000_000_000,
  }),
] as const

export const quotaResponse = errorResponse(
  'The `Idempotency-Key` was sent with another request within the last 24 hours. Or the file would exceed the quota of your files. The request was not carried out.',
  quotaErrors,
)

export const tooManyUploadsResponse = rateLimitResponse(
  'Too many requests, or the user is adding too many files at a time.',
  ['too_many_uploads'],
)

export const tooLargeFile = [errorOf('file_too_large', 2 ** 30)] as const

export const storageErrors = unavailableResponse(' The same holds for the storage of files. Nothing was stored.', [
  'storage_unavailable',
  'storage_full',
])
