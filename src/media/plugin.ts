import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listMedia } from '../../db/queries/media.ts'
import { forgetFile } from '../../db/queries/staged-files.ts'
import { commonErrors, failure, invalidPage, shapeFailure, TOO_LARGE } from '../../schemas/error.ts'
import { IdempotencyHeaders, keyTaken, REPLAYED } from '../../schemas/idempotency.ts'
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
} from '../../schemas/media.ts'
import { Answer, Body, Bytes, Deleted, NoBody, PageQuery } from '../../schemas/shared.ts'
import { AppError, fileTooLarge } from '../errors.ts'
import { answerOnce, type Once } from '../http/idempotency-key.ts'
import { allowLongBody } from '../http/long-bodies.ts'
import { readPage } from '../http/paging.ts'
import { type Added, addMedia, discardFile, type Library, type Save } from './add.ts'
import { deleteMedia, getMedia, MEDIA_IN_USE, MEDIA_NOT_FOUND, updateMedia } from './change.ts'
import { NO_CONTENT, NO_SUCH_RANGE, NOT_THAT_FILE, serveContent } from './content.ts'
import { type FetchFile, NOT_PUBLIC } from './fetch.ts'
import { MISSING_FILE, readForm } from './form.ts'
import { UNSUPPORTED } from './structure.ts'

export interface MediaOptions extends Library {
  fetchFile: FetchFile
}

const { ETag, Location, 'Content-Disposition': disposition, 'Content-Range': range } = CONTENT_ANSWERS

const notFound = { 404: failure('You have no media with this id.', { notFound: MEDIA_NOT_FOUND }) }

const FORM_BYTES = 2 ** 20

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
const toAnswer = ({ media, isNew }: Added) => ({ status: isNew ? 201 : 200, body: media })
const tooLargeFile = { tooLargeFile: fileTooLarge(2 ** 30).message }
const badFile = {
  unknownType: UNSUPPORTED,
  behindItsEnd: 'file has 10 bytes after its end',
}

export const media: FastifyPluginAsyncTypebox<MediaOptions> = async (app, { fetchFile, ...library }) => {
  const { db, bytesMax } = library

  // In a scope of its own: no other operation reads forms.
  await app.register(async (app) => {
    await app.register(multipart)
    // It is told that it should be a form, not what is wrong with its JSON.
    app.removeContentTypeParser('application/json')
    app.post(
      '/media',
      {
        // The form is read as it comes, and judged part by part.
        validatorCompiler: () => () => true,
        // The plugin logs the headers, and with them the key.
        logSerializers: { busboyOptions: () => undefined },
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
      },
      async (request, reply) => {
        // A form has little beside its file.
        if (Number(request.headers['content-length']) > bytesMax + FORM_BYTES) throw fileTooLarge(bytesMax)
        allowLongBody(request, reply)
        const create = (once: Once<Added>) =>
          addMedia(
            library,
            request.userId,
            async (save) => {
              let sha256: Buffer | undefined
              const altText = await readForm(request, async (file) => {
                sha256 = await save(file)
              })
              await once.begin({ file: sha256?.toString('hex'), altText: altText || null })
              return altText
            },
            once,
          )
        return answerOnce(db, request, reply, create, toAnswer)
      },
    )
  })

  app.post(
    '/media/import',
    {
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
    },
    async (request, reply) => {
      const { url, altText = null } = request.body
      const create = async (once: Once<Added>) => {
        await once.begin(request.body)
        const read = async (save: Save) => {
          await save(await fetchFile(url, { bytesMax }))
          return altText
        }
        return addMedia(library, request.userId, read, once)
      }
      return answerOnce(db, request, reply, create, toAnswer)
    },
  )

  app.get(
    '/media',
    {
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
    },
    async (request) => readPage(request.query, (page) => listMedia(db, { userId: request.userId, ...page })),
  )

  app.get(
    '/media/:id',
    {
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
    },
    async (request) => getMedia(db, request.userId, request.params.id),
  )

  app.get(
    '/media/:id/content',
    {
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
    },
    async (request, reply) => {
      const { statusCode, headers, body } = await serveContent(library, request.userId, request.params.id, request.raw)
      reply.headers(headers)
      if (statusCode === 412) throw new AppError(412, 'precondition_failed', NOT_THAT_FILE)
      if (statusCode === 416) throw new AppError(416, 'range_not_satisfiable', NO_SUCH_RANGE)
      // Of no body at all, Fastify would say that its length is 0.
      return reply.code(statusCode).send((request.method === 'HEAD' ? Readable.from([]) : body) as never)
    },
  )

  app.patch(
    '/media/:id',
    {
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
    },
    async (request) => updateMedia(db, request.userId, request.params.id, request.body.altText),
  )

  app.delete(
    '/media/:id',
    {
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
    },
    async (request) => {
      const loose = await deleteMedia(db, request.userId, request.params.id)
      // The file is gone for its owner; a slow storage need not hold the answer up.
      if (loose) {
        discardFile(library, loose)
          .then(() => forgetFile(db, loose))
          .catch((err) => request.log.error({ reqId: request.id, err }, 'a deleted file is left for a sweep'))
      }
      return { success: true as const }
    },
  )
}
