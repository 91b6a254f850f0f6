import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { inTransaction } from '../../../../db/transaction.ts'
import * as operations from '../../../../schemas/operations/index.ts'
import { invalidRequest } from '../../../base/errors.ts'
import { sendOutcome, withIdempotencyKey } from '../../../base/http/idempotency-key.ts'
import { findLongNames } from '../../../base/http/metadata.ts'
import { vaultOf } from '../../../base/http/vault.ts'
import { withFile } from '../access.ts'
import { noteAdded, notePending } from '../note-added.ts'
import { findAnnounced, insertPending, requireRoom, toKnown, type UploadContext } from './create.ts'
import { showUpload } from './show.ts'

/** The addresses of uploads, which `publicUploads` serves. */
export const uploadsToAddresses: FastifyPluginAsyncTypebox<UploadContext> = async (app, context) => {
  const { db, keyring, bytesMax } = context

  app.route({
    ...operations.createUpload,
    handler: async (request, reply) => {
      const { userId, body } = request
      const issues = findLongNames(body.metadata)
      if (issues.length > 0) throw invalidRequest(issues)
      const outcome = await withIdempotencyKey(db, reply, {
        identities: [body],
        prepare: async () => {
          const known = await findAnnounced(context, request, body)
          if (!known) await requireRoom(context, userId, body)
          return known
        },
        commit: async (transaction, known) => {
          if (known) {
            const { media, isNew } = await noteAdded(transaction, request, { media: known, isNew: false })
            return { upload: toKnown(media, bytesMax), isNew }
          }
          const upload = await inTransaction(transaction, async (transaction) => {
            const inserted = await insertPending(transaction, context, request, body)
            await notePending(transaction, request, inserted.id)
            return inserted
          })
          return { upload, isNew: true }
        },
        toResponse: ({ upload, isNew }) => ({ status: isNew ? 201 : 200, body: upload }),
        // If the keyring is missing, nothing is created.
        ...(keyring && { vault: vaultOf(keyring, userId) }),
      })
      return sendOutcome(reply, outcome)
    },
  })

  app.route({
    ...operations.getUpload,
    handler: async (request) => withFile(db, request, (file) => showUpload(context, file)),
  })
}
