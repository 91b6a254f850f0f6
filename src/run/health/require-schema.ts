import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Db } from '../../../db/client.ts'
import { checkSchema } from '../../../db/migrate.ts'
import { fail } from '../../base/errors.ts'

export const schemaOutdated = () => fail('schema_outdated')

/**
 * Responds 503 in its scope until the schema serves this code. Each request checks it until then. Afterwards none does:
 * `watchSchema` stops a process that a later migration leaves behind.
 */
export const requireSchema = fp(async (app: FastifyInstance, { db }: { db: Db }) => {
  let isReady = false
  let checking: Promise<void> | undefined

  async function check(): Promise<void> {
    isReady = (await checkSchema(db)) === 'ready'
  }

  app.addHook('onRequest', (_request, _reply, done) => {
    if (isReady) return done()
    checking ??= check().finally(() => {
      checking = undefined
    })
    checking.then(() => done(isReady ? undefined : schemaOutdated()), done)
  })
})
