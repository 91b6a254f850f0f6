import {
  bodyTooLargeResponse,
  CURSOR_AND_OFFSET,
  commonErrors,
  errorResponse,
  invalidRequestResponse,
  unavailableResponse,
} from '../error.ts'
import { ALT_TEXT_DELIVERIES_MAX, errorOf, UPLOADS_MAX } from '../errors.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../idempotency.ts'
import {
  CONTENT_HEADERS,
  ContentHeaders,
  IMPORT_MEDIA_EXAMPLE,
  ImportMedia,
  ListMediaQuery,
  MEDIA_TYPES,
  Media,
  MediaDetail,
  MediaList,
  MediaPath,
  UPDATE_MEDIA_EXAMPLES,
  UpdateMedia,
  UploadMedia,
} from '../media.ts'
import { MISSING_FILE, OFFSET_WITH_FILTER } from '../messages.ts'
import { Body, Deleted, EmptyResponse, FileResponse, JsonResponse, PAGE } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const { ETag, Location, 'Content-Disposition': disposition, 'Content-Range': range } = CONTENT_HEADERS

const notFound = {
  404: errorResponse('You have no file with this id.', { notFound: errorOf('media_not_found') }),
}
const usedElsewhere = {
  403: errorResponse(
    'The file is of another member, who uses it in posts outside of your organisations. Or posts are going to publish it to accounts that the API key does not list.',
    {
      usedElsewhere: errorOf('media_used_elsewhere'),
      usedByOtherAccounts: errorOf('media_used_elsewhere.otherAccounts'),
    },
  ),
}

const [IMAGE, VIDEO] = Media.examples
const added = {
  200: {
    ...JsonResponse(
      Media,
      'You have added the same bytes before. This is that file, unchanged: its alternative text stays as it was.',
      { known: IMAGE },
    ),
    ...REPLAY_HEADERS,
  },
  201: { ...JsonResponse(Media, 'The file was added.', { image: IMAGE, video: VIDEO }), ...REPLAY_HEADERS },
  409: errorResponse(
    'The `Idempotency-Key` was sent with another request within the last 24 hours. Or the file would exceed the quota of your files. The request was not carried out.',
    {
      keyTaken: errorOf('idempotency_key_reused'),
      quotaExceeded: errorOf('media_quota', {
        newBytes: 4_200_000,
        usedBytes: 9_997_000_000,
        quotaBytes: 10_000_000_000,
      }),
    },
  ),
}
const tooManyUploadsResponse = {
  429: errorResponse(
    'Too many requests, or the user is adding too many files at a time.',
    {
      tooManyUploads: errorOf('too_many_uploads'),
      rateLimited: errorOf('rate_limited', 60),
      failedKeys: errorOf('too_many_failed_keys', 3),
    },
    {
      headers: {
        'Retry-After': { type: 'integer', description: 'After so many seconds, a request is possible again.' },
      },
    },
  ),
}
const tooLargeFile = { tooLargeFile: errorOf('file_too_large', 2 ** 30) } as const
const storageErrors = {
  503: unavailableResponse(' The same holds for the storage of files. Nothing was stored.', {
    noStorage: errorOf('storage_unavailable'),
    storageFull: errorOf('storage_full'),
  }),
}
const badFile = {
  unknownType: errorOf('file_type_unsupported'),
  heic: errorOf('file_type_unsupported.heic'),
  behindItsEnd: errorOf('file_invalid.trailing', 10),
} as const

export const uploadMedia = defineOperation({
  method: 'POST',
  url: '/media',
  scope: 'media:write',
  takesAccountLists: true,
  schema: {
    operationId: 'uploadMedia',
    tags: ['media'],
    summary: 'Upload an image or a video',
    description: `Stores one file and reads from its content the properties that networks limit: type, size, width, height, duration and frame rate. Whether a network accepts the file is checked when a post is created.

**Accepted:** JPEG, PNG, GIF, WebP and AVIF images, MP4, MOV and WebM videos. The type is detected from the content, not from the file name or the declared type.

**Rejected with 400, without storing anything:**

- a file that is cut off, or has bytes after its end, other than those that cameras and phones write there
- a file that is a ZIP archive or a PDF as well
- an image above 100 MiB (a GIF: 300 MB) or 268 million pixels

**Metadata is not published:** networks get the file without position, serial numbers, names, dates, XMP, IPTC and comments, and without tracks that are neither video nor sound. Orientation and colour profile stay, and nothing is encoded anew. \`getMediaContent\` returns the bytes as uploaded. The operator can turn this off.

**Limits:** the operator sets the maximum file size, 1 GiB by default (413). The operator can also set a quota for all your files together (409); \`quota\` of \`listMedia\` shows it. An upload may take an hour, as long as at least 16 KiB arrive every 15 seconds (408). A user may add ${UPLOADS_MAX} files at a time to one process (429).

**The same bytes again** return the existing file with 200. With an \`Idempotency-Key\`, the repeated file is received to its end and its bytes are compared with those of the first request.

An empty \`altText\` counts as absent. Telegram has no alternative texts, so it is not sent there.`,
    consumes: ['multipart/form-data'],
    headers: IdempotencyHeaders,
    body: Body(UploadMedia, {}),
    response: {
      ...added,
      400: invalidRequestResponse(
        'With `details`: the form does not match its schema. Without: the file cannot be used.',
        { missingFile: MISSING_FILE },
        badFile,
        { codes: ['file_too_large', 'file_too_complex'] },
      ),
      ...commonErrors,
      ...tooManyUploadsResponse,
      ...storageErrors,
      408: errorResponse('The body arrived too slowly. The connection is closed.', {
        tooSlow: errorOf('request_timeout'),
      }),
      413: errorResponse('The file is larger than the service accepts.', tooLargeFile),
    },
  },
})

export const importMedia = defineOperation({
  method: 'POST',
  url: '/media/import',
  scope: 'media:write',
  takesAccountLists: true,
  schema: {
    operationId: 'importMedia',
    tags: ['media'],
    summary: 'Import an image or a video from a URL',
    description: `Fetches a file from the public internet and stores it as \`uploadMedia\` does. The response comes when the file is stored, which may take up to ten minutes.

A URL that leads into a private network, directly or after a redirect, is rejected. The message is the same as for an unknown host name. With an \`Idempotency-Key\`, a repeated request compares the URL and does not fetch the file again.`,
    headers: IdempotencyHeaders,
    body: Body(ImportMedia, { image: IMPORT_MEDIA_EXAMPLE }),
    response: {
      ...added,
      400: invalidRequestResponse(
        'With `details`: the body does not match its schema. Without: the file cannot be fetched or used.',
        { invalidUrl: { code: 'invalid_string', validation: 'url', path: ['url'], message: 'Invalid url' } },
        { notPublic: errorOf('url_not_public') },
        {
          codes: ['url_not_fetched', 'file_type_unsupported', 'file_invalid', 'file_too_large', 'file_too_complex'],
        },
      ),
      ...commonErrors,
      ...tooManyUploadsResponse,
      ...storageErrors,
      413: errorResponse('The file is larger than the service accepts, or the body is larger than 1 MiB.', {
        ...tooLargeFile,
        tooLarge: errorOf('body_too_large', 2 ** 20),
      }),
    },
  },
})

export const listMedia = defineOperation({
  method: 'GET',
  url: '/media',
  scope: 'media:read',
  takesAccountLists: true,
  schema: {
    operationId: 'listMedia',
    tags: ['media'],
    summary: 'List media',
    description:
      'Returns a page of your own images and videos, newest first. Use `nextCursor` as `cursor` to get the next page; it is `null` where there are no more pages.\n\nWith `organizationId`, an admin of an organisation gets the files that its posts show, of all its members. Such a request looks at up to 100 files: a page may be short or empty although more follows, so read on until `nextCursor` is `null`. It takes no `offset`.',
    querystring: ListMediaQuery,
    response: {
      200: JsonResponse(MediaList, 'One page of your media.', { page: MediaList.examples[0] }),
      400: invalidRequestResponse('A parameter is malformed or outside its range, or excludes another one.', {
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
      }),
      403: errorResponse(
        'With `organizationId`: you are not an admin of this organisation, or it does not exist. Or the API key is limited to a list of accounts.',
        {
          notAdmin: errorOf('not_organization_admin.lists'),
          noAccess: errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
          filtersWithAccounts: errorOf('account_list.filters'),
        },
      ),
      ...commonErrors,
    },
  },
})

export const getMedia = defineOperation({
  method: 'GET',
  url: '/media/:id',
  scope: 'media:read',
  takesAccountLists: true,
  schema: {
    operationId: 'getMedia',
    tags: ['media'],
    summary: 'Get the properties of a file',
    description:
      'Returns the properties of one of your images or videos, and the ids of posts that use it. `getMediaContent` returns its bytes. An admin of an organisation may also use the files of other members that posts of the organisation show.',
    params: MediaPath,
    response: {
      200: JsonResponse(MediaDetail, 'The file.', { image: MediaDetail.examples[0], video: MediaDetail.examples[1] }),
      ...notFound,
      ...commonErrors,
    },
  },
})

export const getMediaContent = defineOperation({
  method: 'GET',
  url: '/media/:id/content',
  scope: 'media:read',
  takesAccountLists: true,
  schema: {
    operationId: 'getMediaContent',
    tags: ['media'],
    summary: 'Get the bytes of a file',
    description: `Returns the bytes as they were added, or one range of them. \`HEAD\` is supported. The bytes of an id never change.

- \`Range\` requests one range; a request for several ranges gets the whole file. With \`If-Range\`, the whole file is sent where the \`ETag\` differs.
- \`If-None-Match\` and \`If-Modified-Since\`: 304 where you already have the bytes. \`If-Match\` and \`If-Unmodified-Since\`: 412 where the file does not match.
- Where files are kept in a bucket, the response is a redirect (307). Its address works for some minutes and takes no API key: do not send the key there.
- A file that the operator registered without content (\`postroom media register\`) has no bytes (404). Posts can refer to it, but they cannot be published.`,
    params: MediaPath,
    headers: ContentHeaders,
    response: {
      200: FileResponse(MEDIA_TYPES, 'The whole file.', { ETag, 'Content-Disposition': disposition }),
      206: FileResponse(MEDIA_TYPES, 'The requested range of the file.', {
        ETag,
        'Content-Disposition': disposition,
        'Content-Range': range,
      }),
      304: EmptyResponse('The file matches the `ETag` that you sent.', { ETag }),
      307: EmptyResponse('The file is at a temporary address, which takes no API key.', { Location }),
      404: errorResponse('You have no file with this id, or it has no content.', {
        notFound: errorOf('media_not_found'),
        noContent: errorOf('media_without_content'),
      }),
      412: errorResponse('`If-Match` or `If-Unmodified-Since` does not match the file.', {
        notThatFile: errorOf('precondition_failed.file'),
      }),
      416: errorResponse('The range is outside the file.', { noSuchRange: errorOf('range_not_satisfiable') }),
      ...commonErrors,
      503: unavailableResponse(' The same holds for the storage of files.', {
        noStorage: errorOf('storage_unavailable'),
      }),
    },
  },
})

export const updateMedia = defineOperation({
  method: 'PATCH',
  url: '/media/:id',
  scope: 'media:write',
  conditionalScope: {
    scope: 'posts:publish',
    when: 'for a file that a scheduled post or a failed delivery would publish',
  },
  takesAccountLists: true,
  schema: {
    operationId: 'updateMedia',
    tags: ['media'],
    summary: 'Change the alternative text of a file',
    description: `Changes or removes the alternative text of one of your images or videos. Posts that are already published are not changed. Posts that are still to be published get the new text: each of them, drafts included, has a new ETag, and an event \`post.updated\`. They may have up to ${ALT_TEXT_DELIVERIES_MAX} deliveries (409).`,
    params: MediaPath,
    body: Body(UpdateMedia, UPDATE_MEDIA_EXAMPLES),
    response: {
      200: JsonResponse(Media, 'The changed file.', { changed: IMAGE }),
      400: invalidRequestResponse('The body does not match its schema.', {
        missingAltText: {
          code: 'invalid_type',
          expected: 'string',
          received: 'undefined',
          path: ['altText'],
          message: 'Required',
        },
      }),
      ...usedElsewhere,
      ...notFound,
      409: errorResponse('Too many deliveries may still publish the file.', {
        tooManyPosts: errorOf('media_in_too_many_posts'),
      }),
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const deleteMedia = defineOperation({
  method: 'DELETE',
  url: '/media/:id',
  scope: 'media:write',
  conditionalScope: { scope: 'posts:publish', when: 'for a file that a failed delivery would publish' },
  takesAccountLists: true,
  schema: {
    operationId: 'deleteMedia',
    tags: ['media'],
    summary: 'Delete a file',
    description: `Deletes one of your images or videos permanently. A file cannot be deleted (409) while a draft or a scheduled post uses it. The same holds while a delivery of a published post may still send it.

Published posts are not changed on their networks. A failed delivery that needs the file cannot be retried afterwards: it has the error \`media_deleted\`. A body is ignored.`,
    params: MediaPath,
    response: {
      200: JsonResponse(Deleted, 'The file no longer exists.', { deleted: Deleted.examples[0] }),
      ...usedElsewhere,
      ...notFound,
      409: errorResponse('A post that is still to be published uses the file.', {
        inUse: errorOf('media_in_use'),
      }),
      ...commonErrors,
    },
  },
})
