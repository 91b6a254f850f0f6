import { commonErrors, failure, invalidPage, shapeFailure, TOO_LARGE } from '../error.ts'
import { IdempotencyHeaders, keyTaken, REPLAYED } from '../idempotency.ts'
import {
  CONTENT_ANSWERS,
  ContentHeaders,
  IMPORT_MEDIA_EXAMPLE,
  ImportMedia,
  MEDIA_TYPES,
  Media,
  MediaList,
  MediaPath,
  UPDATE_MEDIA_EXAMPLES,
  UpdateMedia,
  UploadMedia,
} from '../media.ts'
import {
  fileTooLargeMessage,
  MEDIA_IN_USE,
  MEDIA_NOT_FOUND,
  MISSING_FILE,
  NO_CONTENT,
  NO_SUCH_RANGE,
  NOT_PUBLIC,
  NOT_THAT_FILE,
  UNSUPPORTED,
} from '../messages.ts'
import { Answer, Body, Bytes, Deleted, NoBody, PageQuery } from '../shared.ts'
import { operation } from './operation.ts'

const { ETag, Location, 'Content-Disposition': disposition, 'Content-Range': range } = CONTENT_ANSWERS

const notFound = { 404: failure('You have no media with this id.', { notFound: MEDIA_NOT_FOUND }) }

const TYPES = 'JPEG, PNG, GIF, WebP and AVIF images, MP4, MOV and WebM videos'

const [IMAGE, VIDEO] = Media.examples
const added = {
  200: {
    ...Answer(Media, 'You have the same bytes already: this is that file, as it was.', { known: IMAGE }),
    ...REPLAYED,
  },
  201: { ...Answer(Media, 'The file was added.', { image: IMAGE, video: VIDEO }), ...REPLAYED },
  ...keyTaken,
}
const tooLargeFile = { tooLargeFile: fileTooLargeMessage(2 ** 30) }
const badFile = {
  unknownType: UNSUPPORTED,
  behindItsEnd: 'file has 10 bytes after its end',
}

export const uploadMedia = operation({
  method: 'POST',
  url: '/media',
  schema: {
    operationId: 'uploadMedia',
    tags: ['media'],
    summary: 'Upload an image or a video',
    description: `Takes one file and finds out what networks will ask about it: type, size, width and height, duration and frames per second. ${TYPES} are taken; which of them a network takes is checked when a post is created. The type is read from the content; a file that is cut off, has something behind its end, or is none of these is refused, and nothing of it is kept; so are images above 100 MiB (GIFs: 300 MB) or 268 million pixels. The same bytes sent again give the file that is there.`,
    consumes: ['multipart/form-data'],
    headers: IdempotencyHeaders,
    body: Body(UploadMedia, {}),
    response: {
      ...added,
      400: shapeFailure(
        'The form is not what is described here (with `details`), or the file cannot be used (without).',
        { missingFile: MISSING_FILE },
        badFile,
      ),
      ...commonErrors,
      408: failure('The body came too slowly. The connection is closed.', {
        tooSlow: 'Request was not complete in time',
      }),
      413: failure('The file is too large.', tooLargeFile),
    },
  },
})

export const importMedia = operation({
  method: 'POST',
  url: '/media/import',
  schema: {
    operationId: 'importMedia',
    tags: ['media'],
    summary: 'Import an image or a video from a URL',
    description:
      'Fetches a file from the public internet, in ten minutes at most, then does what `uploadMedia` does. The answer comes when all of that is done.',
    headers: IdempotencyHeaders,
    body: Body(ImportMedia, { image: IMPORT_MEDIA_EXAMPLE }),
    response: {
      ...added,
      400: shapeFailure(
        'The body is not what is described here (with `details`), or the file cannot be fetched or used (without).',
        { invalidUrl: { code: 'invalid_string', validation: 'url', path: ['url'], message: 'Invalid url' } },
        { notPublic: NOT_PUBLIC },
      ),
      ...commonErrors,
      413: failure('The file, or the body of the request, is too large.', { ...tooLargeFile, tooLarge: TOO_LARGE }),
    },
  },
})

export const listMedia = operation({
  method: 'GET',
  url: '/media',
  schema: {
    operationId: 'listMedia',
    tags: ['media'],
    summary: 'List media',
    description:
      'Gives your own images and videos, newest first, a page at a time. `nextCursor` leads to the page after; it is `null` on the last one.',
    querystring: PageQuery,
    response: {
      200: Answer(MediaList, 'One page of your media.', { page: MediaList.examples[0] }),
      400: invalidPage,
      ...commonErrors,
    },
  },
})

export const getMedia = operation({
  method: 'GET',
  url: '/media/:id',
  schema: {
    operationId: 'getMedia',
    tags: ['media'],
    summary: 'Get the facts of a file',
    description: 'Gives what is known about one of your images or videos.',
    params: MediaPath,
    response: {
      200: Answer(Media, 'The file.', { image: IMAGE, video: VIDEO }),
      ...notFound,
      ...commonErrors,
    },
  },
})

export const getMediaContent = operation({
  method: 'GET',
  url: '/media/:id/content',
  schema: {
    operationId: 'getMediaContent',
    tags: ['media'],
    summary: 'Get the bytes of a file',
    description:
      'Gives the bytes as they were added, or the part of them that `Range` asks for. `If-None-Match` with the `ETag` of an earlier answer saves sending them again.',
    params: MediaPath,
    headers: ContentHeaders,
    response: {
      200: Bytes(MEDIA_TYPES, 'The whole file.', { ETag, 'Content-Disposition': disposition }),
      206: Bytes(MEDIA_TYPES, 'The part of the file that was asked for.', {
        ETag,
        'Content-Disposition': disposition,
        'Content-Range': range,
      }),
      304: NoBody('The bytes are those that the `ETag` is of.', { ETag }),
      307: NoBody('The file is at another address, for some minutes, without a key.', { Location }),
      404: failure('You have no media with this id, or there are no bytes of it here.', {
        notFound: MEDIA_NOT_FOUND,
        noContent: NO_CONTENT,
      }),
      412: failure('`If-Match` or `If-Unmodified-Since` names another file.', { notThatFile: NOT_THAT_FILE }),
      416: failure('The range is outside the file.', { noSuchRange: NO_SUCH_RANGE }),
      ...commonErrors,
    },
  },
})

export const updateMedia = operation({
  method: 'PATCH',
  url: '/media/:id',
  schema: {
    operationId: 'updateMedia',
    tags: ['media'],
    summary: 'Change the alt text of a file',
    description: 'Changes what one of your images or videos is said to show. Posts that are out are not touched.',
    params: MediaPath,
    body: Body(UpdateMedia, UPDATE_MEDIA_EXAMPLES),
    response: {
      200: Answer(Media, 'The file as it is now.', { changed: IMAGE }),
      400: shapeFailure('The body is not what is described here.', {
        missingAltText: {
          code: 'invalid_type',
          expected: 'string',
          received: 'undefined',
          path: ['altText'],
          message: 'Required',
        },
      }),
      ...notFound,
      413: failure('The body is too large.', { tooLarge: TOO_LARGE }),
      ...commonErrors,
    },
  },
})

export const deleteMedia = operation({
  method: 'DELETE',
  url: '/media/:id',
  schema: {
    operationId: 'deleteMedia',
    tags: ['media'],
    summary: 'Delete a file',
    description:
      'Deletes one of your images or videos, for good, unless a draft or a scheduled post uses it, or a delivery that may still send it. Posts that are out stay as they are on their networks; of their deliveries, those that have failed without it can no longer be retried.',
    params: MediaPath,
    response: {
      200: Answer(Deleted, 'The file no longer exists.', { deleted: Deleted.examples[0] }),
      ...notFound,
      409: failure('The file is still to be published.', { inUse: MEDIA_IN_USE }),
      ...commonErrors,
    },
  },
})
