import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../db/client.ts'
import { checkSchema } from '../../db/migrate.ts'
import { COUNT_MAX, countDue, readWaiting } from '../../db/queries/delivery/backlog.ts'
import { getLiveness, getMetrics, getReadiness } from '../../schemas/operations/health.ts'
import { PLATFORM_IDS } from '../../schemas/platform.ts'
import { LEASE_MS, UNCLAIMED_MAX_MS } from '../delivery/timing.ts'
import { AppError } from '../errors.ts'

/** Probes and metrics for operators. They need no API key. */
export const health: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  const readBacklog = async () =>
    (await readWaiting(db, { platforms: [...PLATFORM_IDS], leaseMs: LEASE_MS, now: null }))[0]!

  app.route({ ...getLiveness, handler: async () => ({ status: 'ok' as const }) })

  app.route({
    ...getReadiness,
    handler: async () => {
      if ((await checkSchema(db)) !== 'ready') {
        throw new AppError(503, 'schema_outdated', 'Database schema is not at the version that this service needs')
      }
      const { waitingMs, held } = await readBacklog()
      if (waitingMs > UNCLAIMED_MAX_MS && !held) throw new AppError(503, 'deliveries_not_claimed', NOT_CLAIMED)
      return { status: 'ok' as const }
    },
  })

  app.route({
    ...getMetrics,
    handler: async (_request, reply) => {
      const [[due], { waitingMs }] = await Promise.all([countDue(db, { now: null }), readBacklog()])
      return reply
        .type('text/plain; version=0.0.4; charset=utf-8')
        .send(
          formatGauge(
            'postroom_deliveries_due',
            `Due deliveries that no worker has claimed, counted up to ${COUNT_MAX}.`,
            due!.count,
          ) +
            formatGauge(
              'postroom_deliveries_due_seconds',
              'Age in seconds of the oldest due delivery that only waits for a worker.',
              waitingMs / 1000,
            ),
        )
    },
  })
}

const NOT_CLAIMED = 'Deliveries are due, and no worker claims them'

/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
const formatGauge = (name: string, help: string, value: number) =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`
