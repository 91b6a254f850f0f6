import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { forgetFile } from '../../../db/queries/staged-files.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { readIdempotencyKey, sendOutcome, withIdempotencyKey } from '../../base/http/idempotency-key.ts'
import { allowLongBody } from '../../base/http/long-bodies.ts'
import { findLongNames } from '../../base/http/metadata.ts'
import { validatorCompiler } from '../../base/http/validation.ts'
import type { Served } from '../../base/storage/storage.ts'
import { type FileAccess, withFile } from './access.ts'
import { type Added, withIncomingFile } from './add.ts'
import { deleteMedia, type EndedDelivery, showMedia, updateMedia } from './change.ts'
import { serveContent } from './content.ts'
import { discardFile } from './discard-file.ts'
import type { FetchFile } from './fetch.ts'
import { type FileDescription, fileNameOf } from './file-name.ts'
import { readForm } from './form.ts'
import type { Library } from './library.ts'
import { listOwnMedia } from './list.ts'
import { noteAdded } from './note-added.ts'
import { servePreview } from './preview.ts'
import type { UploadContext } from './uploads/create.ts'
import { uploadsToAddresses } from './uploads/plugin.ts'

export interface MediaFiles extends Library {
  fetchFile: FetchFile
}

interface MediaOptions extends MediaFiles, UploadContext {
  /** The transition of a delivery whose file is deleted. */
  ended: EndedDelivery
}

/** The most that a form has beside its file. */
const FORM_BYTES_MAX = 2 ** 20

const toResponse = ({ media, isNew }: Added) => ({ status: isNew ? 201 : 200, body: media })

export const media: FastifyPluginAsyncTypebox<MediaOptions> = async (app, { fetchFile, ended, ...library }) => {
  const { db, bytesMax } = library

  // Encapsulated, because only this operation reads forms.
  await app.register(uploads, library)
  await app.register(uploadsToAddresses, library)

  app.route({
    ...operations.importMedia,
    handler: async (request, reply) => {
      const { userId, body } = request
      const issues = findLongNames(body.metadata)
      if (issues.length > 0) throw invalidRequest(issues)
      const outcome = await withIncomingFile(library, userId, (file) =>
        withIdempotencyKey(db, reply, {
          identities: [body],
          prepare: async () => {
            await file.save(await fetchFile(body.url, { bytesMax }))
            const { url, ...description } = body
            return file.store({ ...description, fileName: fileNameOf(url) })
          },
          commit: async (transaction, addRow) => noteAdded(transaction, request, await addRow(transaction)),
          toResponse,
        }),
      )
      return sendOutcome(reply, outcome)
    },
  })

  app.route({
    ...operations.listMedia,
    handler: async (request) => listOwnMedia(library, request, request.query),
  })

  app.route({
    ...operations.getMedia,
    handler: async (request) => withFile(db, request, (file) => showMedia(db, file)),
  })

  app.route({
    ...operations.getMediaContent,
    handler: async (request, reply) => {
      const serve = ({ userId, id }: FileAccess) => serveContent(library, userId, id, request.raw)
      return sendServed(request, reply, await withFile(db, request, serve))
    },
  })

  app.route({
    ...operations.getMediaPreview,
    handler: async (request, reply) => {
      const serve = (file: FileAccess) => servePreview(library, file, request.query.width, request.raw)
      return sendServed(request, reply, await withFile(db, request, serve))
    },
  })

  app.route({
    ...operations.updateMedia,
    handler: async (request) =>
      withFile(db, request, async (file) => {
        await updateMedia(db, file, request.body, request.rights)
        return showMedia(db, file)
      }),
  })

  app.route({
    ...operations.deleteMedia,
    handler: async (request) => {
      const staged = await withFile(db, request, (file) => deleteMedia(db, file, { ended, rights: request.rights }))
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

/** Never returns a body: the types of a route know its JSON alone. */
function sendServed({ method }: { method: string }, reply: FastifyReply, { statusCode, headers, body }: Served): never {
  reply.headers(headers)
  if (statusCode === 412) throw fail('precondition_failed.file')
  if (statusCode === 416) throw fail('range_not_satisfiable')
  // An empty stream, because Fastify would send a Content-Length of 0 if there were no body.
  return reply.code(statusCode).send((method === 'HEAD' ? Readable.from([]) : body) as never) as never
}

/**
 * The properties that a repeated upload shares with the first one. The name of the file is not among them: some clients
 * make it up. If a file has neither focus, reference nor metadata, the properties are those of version 1.0, whose
 * responses may still be stored.
 */
const identityOf = (sha256: Buffer, { altText, focus, externalReference, metadata }: FileDescription) => ({
  file: sha256.toString('hex'),
  altText,
  ...(focus !== null && { focus }),
  ...(externalReference !== null && { externalReference }),
  ...(metadata !== null && { metadata }),
})

const uploads: FastifyPluginAsyncTypebox<Library> = async (app, library) => {
  const { db, bytesMax } = library
  await app.register(multipart)
  // A JSON body is then refused for its Content-Type, and not for its content.
  app.removeContentTypeParser('application/json')
  // readForm validates each part while it streams, and readIdempotencyKey the header.
  app.setValidatorCompiler<TSchema>((part) => (part.httpPart === 'querystring' ? validatorCompiler(part) : () => true))
  app.route({
    ...operations.uploadMedia,
    handler: async (request, reply) => {
      if (Number(request.headers['content-length']) > bytesMax + FORM_BYTES_MAX) throw fail('file_too_large', bytesMax)
      // Throws for a malformed key before the form is read.
      readIdempotencyKey(request)
      allowLongBody(request, reply)
      const outcome = await withIncomingFile(library, request.userId, async (file) => {
        let sha256: Buffer | undefined
        const description = await readForm(request, async (bytes) => {
          sha256 = await file.save(bytes)
        })
        return withIdempotencyKey(db, reply, {
          identities: [identityOf(sha256!, description)],
          prepare: () => file.store(description),
          commit: async (transaction, addRow) => noteAdded(transaction, request, await addRow(transaction)),
          toResponse,
        })
      })
      return sendOutcome(reply, outcome)
    },
  })
}
