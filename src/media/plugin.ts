import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listMedia } from '../../db/queries/media.ts'
import { forgetFile } from '../../db/queries/staged-files.ts'
import { NO_SUCH_RANGE, NOT_THAT_FILE } from '../../schemas/messages.ts'
import * as operations from '../../schemas/operations/media.ts'
import { AppError, fileTooLarge } from '../errors.ts'
import { readIdempotencyKey, sendOutcome, withIdempotencyKey } from '../http/idempotency-key.ts'
import { allowLongBody } from '../http/long-bodies.ts'
import { readPage } from '../http/paging.ts'
import { type Added, discardFile, type Library, withIncomingFile } from './add.ts'
import { deleteMedia, getMedia, updateMedia } from './change.ts'
import { serveContent } from './content.ts'
import type { FetchFile } from './fetch.ts'
import { readForm } from './form.ts'

export interface MediaOptions extends Library {
  fetchFile: FetchFile
}

/** The most that a form has beside its file. */
const FORM_BYTES_MAX = 2 ** 20

const toResponse = ({ media, isNew }: Added) => ({ status: isNew ? 201 : 200, body: media })

export const media: FastifyPluginAsyncTypebox<MediaOptions> = async (app, { fetchFile, ...library }) => {
  const { db, bytesMax } = library

  // Encapsulated, because only this operation reads forms.
  await app.register(uploads, library)

  app.route({
    ...operations.importMedia,
    handler: async (request, reply) => {
      const { userId, body } = request
      const outcome = await withIncomingFile(library, userId, (file) =>
        withIdempotencyKey(db, reply, {
          identities: [body],
          prepare: async () => {
            await file.save(await fetchFile(body.url, { bytesMax }))
            return file.store(body.altText ?? null)
          },
          commit: (transaction, addRow) => addRow(transaction),
          toResponse,
        }),
      )
      return sendOutcome(reply, outcome)
    },
  })

  app.route({
    ...operations.listMedia,
    handler: async (request) => readPage(request.query, (page) => listMedia(db, { userId: request.userId, ...page })),
  })

  app.route({
    ...operations.getMedia,
    handler: async (request) => getMedia(db, request.userId, request.params.id),
  })

  app.route({
    ...operations.getMediaContent,
    handler: async (request, reply) => {
      const { statusCode, headers, body } = await serveContent(library, request.userId, request.params.id, request.raw)
      reply.headers(headers)
      if (statusCode === 412) throw new AppError(412, 'precondition_failed', NOT_THAT_FILE)
      if (statusCode === 416) throw new AppError(416, 'range_not_satisfiable', NO_SUCH_RANGE)
      // Without a body, Fastify would send a Content-Length of 0.
      return reply.code(statusCode).send((request.method === 'HEAD' ? Readable.from([]) : body) as never)
    },
  })

  app.route({
    ...operations.updateMedia,
    handler: async (request) => updateMedia(db, request.userId, request.params.id, request.body.altText),
  })

  app.route({
    ...operations.deleteMedia,
    handler: async (request) => {
      const staged = await deleteMedia(db, request.userId, request.params.id)
      // Not awaited: a slow storage would delay the response.
      if (staged) {
        discardFile(library, staged)
          .then(() => forgetFile(db, staged))
          .catch((err) => request.log.error({ reqId: request.id, err }, 'a deleted file is left for a sweep'))
      }
      return { success: true as const }
    },
  })
}

const uploads: FastifyPluginAsyncTypebox<Library> = async (app, library) => {
  const { db, bytesMax } = library
  await app.register(multipart)
  // A JSON body is then refused for its Content-Type, and not for its content.
  app.removeContentTypeParser('application/json')
  app.route({
    ...operations.uploadMedia,
    // readForm validates each part while it streams.
    validatorCompiler: () => () => true,
    handler: async (request, reply) => {
      if (Number(request.headers['content-length']) > bytesMax + FORM_BYTES_MAX) throw fileTooLarge(bytesMax)
      // Throws for a malformed key before the form is read.
      readIdempotencyKey(request)
      allowLongBody(request, reply)
      const outcome = await withIncomingFile(library, request.userId, async (file) => {
        let sha256: Buffer | undefined
        const altText = await readForm(request, async (bytes) => {
          sha256 = await file.save(bytes)
        })
        return withIdempotencyKey(db, reply, {
          identities: [{ file: sha256?.toString('hex'), altText: altText || null }],
          prepare: () => file.store(altText),
          commit: (transaction, addRow) => addRow(transaction),
          toResponse,
        })
      })
      return sendOutcome(reply, outcome)
    },
  })
}
