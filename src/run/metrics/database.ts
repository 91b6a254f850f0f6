import { Gauge, type Registry } from 'prom-client'
import { withDatabaseBudget } from '../../../db/budget.ts'
import { budgetOf, type Db } from '../../../db/client.ts'
import { checkSchema } from '../../../db/migrate.ts'
import { type AttentionCount, countAttention } from '../../../db/queries/count-attention.ts'
import { readWaiting } from '../../../db/queries/delivery/backlog.ts'
import { COUNT_MAX, countDeliveries, type DeliveryCounts } from '../../../db/queries/delivery/counts.ts'
import { readUnsequencedSeconds } from '../../../db/queries/events/sequence.ts'
import { readLastSweep } from '../../../db/queries/retention/sweeps.ts'
import { readWebhooksDue } from '../../../db/queries/webhooks/claim.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { attentionTimes } from '../../engine/credentials/attention.ts'
import { LEASE_MS } from '../../engine/delivery/timing.ts'

/** The limit of all statements together. Probes of workers wait for `GET /metrics`. */
const READ_MS = 2_000

/** Reads the figures again if they are older than `freshMs`. Runs once at a time. */
interface DatabaseMetrics {
  refresh(): Promise<void>
}

/**
 * Metrics of what is stored. All processes on one database show the same figures. While the database cannot be read,
 * they are absent: an old number would look like a healthy one.
 */
export function createDatabaseMetrics(registry: Registry, db: Db, freshMs: number): DatabaseMetrics {
  const gauges = createGauges(registry)
  let readAt = Number.NEGATIVE_INFINITY

  async function read(): Promise<void> {
    try {
      // A budget of its own, also where a request has one: others wait for the same figures.
      show(gauges, await withDatabaseBudget(budgetOf(db, READ_MS), () => readFigures(db)))
    } catch {
      hide(gauges)
    }
    readAt = performance.now()
  }

  return {
    async refresh() {
      if (performance.now() - readAt >= freshMs) await read()
    },
  }
}

type Gauges = ReturnType<typeof createGauges>

const MAX = `, counted up to ${COUNT_MAX}`

function createGauges(registry: Registry) {
  const gauge = <T extends string>(name: string, help: string, ...labelNames: T[]) =>
    new Gauge({ name: `postroom_${name}`, help, labelNames, registers: [registry] })
  return {
    readable: gauge('database_readable', '1 if the figures about deliveries and accounts could be read, otherwise 0.'),
    dueSeconds: gauge(
      'deliveries_due_seconds',
      'Age of the oldest due delivery that only waits for a worker; 0 without one.',
    ),
    due: gauge('deliveries_due', `Due deliveries that are not being sent${MAX}.`, 'platform'),
    oldestDueSeconds: gauge(
      'deliveries_oldest_due_seconds',
      'Age of the oldest of these, whatever they wait for; 0 without one.',
      'platform',
    ),
    waiting: gauge(
      'deliveries_waiting',
      `Deliveries that wait until they are retried, or for their network${MAX}.`,
      'platform',
    ),
    failed: gauge('deliveries_failed', `Deliveries in the state failed${MAX}.`, 'platform'),
    unconfirmed: gauge('deliveries_unconfirmed', `Deliveries in the state unconfirmed${MAX}.`, 'platform'),
    missed: gauge('deliveries_missed', `Deliveries in the state missed${MAX}.`, 'platform'),
    eventsUnsequenced: gauge(
      'events_unsequenced_seconds',
      'Age of the oldest event that readers do not see yet; 0 without one.',
    ),
    webhooksDue: gauge(
      'webhooks_due_seconds',
      'Age of the oldest due delivery to a webhook that only waits for a worker; 0 without one.',
    ),
    lastSweep: gauge(
      'last_sweep_timestamp_seconds',
      'When a worker last finished removing old data, in seconds since 1970; absent before the first time.',
    ),
    attention: gauge(
      'accounts_attention',
      'Connected accounts whose owner, or the operator, has to act, by the code of `attention`.',
      'platform',
      'code',
    ),
  }
}

interface Figures {
  waitingMs: number
  counts: DeliveryCounts[]
  attention: AttentionCount[]
  lastSweep: Date | null
  unsequencedSeconds: number | null
  webhooksDueSeconds: number | null
}

async function readFigures(db: Db): Promise<Figures> {
  const platforms = [...PLATFORM_IDS]
  // Before the schema is migrated, these statements lack their indexes.
  if ((await checkSchema(db)) !== 'ready') throw new Error('The schema is not migrated')
  // One after the other, so that a scrape takes one connection.
  const [waiting] = await readWaiting(db, { platforms, leaseMs: LEASE_MS, now: null })
  const counts = await countDeliveries(db, { platforms, now: null })
  const [webhooksDue] = await readWebhooksDue(db, { now: null })
  return {
    waitingMs: waiting!.waitingMs,
    counts,
    attention: await countAttention(db, { now: new Date(), ...attentionTimes() }),
    lastSweep: await readLastSweep(db),
    unsequencedSeconds: await readUnsequencedSeconds(db),
    webhooksDueSeconds: webhooksDue!.seconds,
  }
}

function show(gauges: Gauges, { waitingMs, counts, attention, lastSweep, ...figures }: Figures): void {
  gauges.readable.set(1)
  gauges.eventsUnsequenced.set(figures.unsequencedSeconds ?? 0)
  gauges.webhooksDue.set(figures.webhooksDueSeconds ?? 0)
  gauges.dueSeconds.set(waitingMs / 1000)
  if (lastSweep) gauges.lastSweep.set(lastSweep.getTime() / 1000)
  else gauges.lastSweep.remove()
  for (const { platform, oldestDueMs, ...count } of counts) {
    gauges.oldestDueSeconds.set({ platform }, oldestDueMs / 1000)
    for (const name of ['due', 'waiting', 'failed', 'unconfirmed', 'missed'] as const) {
      gauges[name].set({ platform }, count[name])
    }
  }
  // Otherwise a code that no account has any more would keep its last number.
  gauges.attention.reset()
  for (const { platform, code, count } of attention) gauges.attention.set({ platform, code }, count)
}

function hide({ readable, dueSeconds, eventsUnsequenced, webhooksDue, lastSweep, ...others }: Gauges): void {
  readable.set(0)
  // `reset` would show 0 for a gauge without labels.
  dueSeconds.remove()
  eventsUnsequenced.remove()
  webhooksDue.remove()
  lastSweep.remove()
  for (const gauge of Object.values(others)) gauge.reset()
}
