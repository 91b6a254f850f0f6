import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../db/client.ts'
import { isMigrated } from '../../db/migrate.ts'
import { ErrorBody } from '../../schemas/error.ts'
import { Health } from '../../schemas/health.ts'
import { Ref } from '../../schemas/shared.ts'
import { AppError } from '../errors.ts'

/** Probes for whoever runs the service; no part of the interface, and open to anybody. */
export const health: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.get('/healthz', { schema: { hide: true, response: { 200: Health } } }, async () => ({ status: 'ok' as const }))

  app.get('/readyz', { schema: { hide: true, response: { 200: Health, 503: Ref(ErrorBody) } } }, async () => {
    if (!(await isMigrated(db))) throw new AppError(503, 'Database schema is not at the version of this service')
    return { status: 'ok' as const }
  })
}
