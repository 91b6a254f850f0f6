import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../../db/client.ts'
import { checkSchema } from '../../../db/migrate.ts'
import { readWaiting } from '../../../db/queries/delivery/backlog.ts'
import { readInstallation } from '../../../db/queries/installation.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { AppError, fail } from '../../base/errors.ts'
import { shareRun } from '../../base/share-run.ts'
import { VERSION } from '../../base/version.ts'
import { LEASE_MS, UNCLAIMED_MAX_MS } from '../../engine/delivery/timing.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Health } from './problems.ts'
import { schemaOutdated } from './require-schema.ts'

interface HealthOptions {
  db: Db
  metrics: Metrics
  health: Health
  /** Whether the process is about to end, and must get no new requests. */
  isStopping: () => boolean
}

/** Probes and metrics for operators. They need no API key. */
export const health: FastifyPluginAsyncTypebox<HealthOptions> = async (app, { db, metrics, health, isStopping }) => {
  // Once at the start, so that the log has what is wrong before somebody asks.
  app.addHook('onListen', (done) => {
    void health.read()
    done()
  })

  const readBacklog = async () =>
    (await readWaiting(db, { platforms: [...PLATFORM_IDS], leaseMs: LEASE_MS, now: null }))[0]!

  // Anybody may ask, as often as they like.
  const checkReadiness = shareRun(async () => {
    if ((await checkSchema(db)) !== 'ready') throw schemaOutdated()
    const [installation] = await readInstallation(db, {})
    if (installation?.isRefused) throw fail('restore_unfinished')
    const [problem] = Object.values(await health.read())
    if (problem) throw new AppError(problem)
    const { waitingMs, held } = await readBacklog()
    if (waitingMs > UNCLAIMED_MAX_MS && !held) throw fail('deliveries_not_claimed')
  })

  app.route({ ...operations.getLiveness, handler: async () => ({ status: 'ok' as const, version: VERSION }) })

  app.route({
    ...operations.getReadiness,
    handler: async () => {
      if (isStopping()) throw fail('stopping')
      await checkReadiness()
      return { status: 'ok' as const }
    },
  })

  app.route({
    ...operations.getMetrics,
    handler: async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.render()),
  })
}
