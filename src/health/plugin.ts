import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../db/client.ts'
import { isMigrated } from '../../db/migrate.ts'
import { COUNT_MAX, countDue, readWaiting } from '../../db/queries/delivery/claim.ts'
import { getLiveness, getMetrics, getReadiness } from '../../schemas/operations/health.ts'
import { PLATFORM_IDS } from '../../schemas/platform.ts'
import { AppError } from '../errors.ts'

/** Probes for whoever runs the service; no part of the interface, and open to anybody. */
export const health: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  const readBacklog = async () => (await readWaiting(db, { platforms: [...PLATFORM_IDS], now: null }))[0]!

  app.route({ ...getLiveness, handler: async () => ({ status: 'ok' as const }) })

  app.route({
    ...getReadiness,
    handler: async () => {
      if (!(await isMigrated(db)))
        throw new AppError(503, 'schema_outdated', 'Database schema is not at the version of this service')
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
          gauge(
            'postroom_deliveries_due',
            `Deliveries that are due and not under way, counted up to ${COUNT_MAX}.`,
            due!.count,
          ) +
            gauge(
              'postroom_deliveries_due_seconds',
              'For how long one of them has waited that nothing but a worker is missing to.',
              waitingMs / 1000,
            ),
        )
    },
  })
}

/** A worker looks twice a second, and what a killed one had is taken over within 30 seconds. One that is busy is none. */
const UNCLAIMED_MAX_MS = 60_000
export const NOT_CLAIMED = 'Deliveries are due, and no worker takes them'

/** As Prometheus reads it: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
const gauge = (name: string, help: string, value: number) =>
  `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`
