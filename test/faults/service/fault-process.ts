import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPeople } from '../../bench/data.ts'
import { freePorts } from '../../helpers/ports.ts'
import { openTcpProxy } from '../../helpers/tcp-proxy.ts'
import { until } from '../../helpers/until.ts'
import { between, createFaults } from './faults.ts'
import { type ClientJob, type Fault, type FaultMessage, isOfLink, type Job } from './protocol.ts'
import { createApi, startPostgres } from './targets.ts'

/*
 * Starts Postgres and the API, and causes the faults of a plan. In a process of its own, which ends with its parent and
 * takes what it started with it.
 */

const [{ folder, plan, pauseMs }] = (await once(process, 'message')) as [Job]
const tell = (message: FaultMessage) => process.send!(message)

const postgres = await startPostgres(folder)
const link = await openTcpProxy(postgres.url)
const [port] = (await freePorts(1)) as [number]
const api = createApi(folder, port)

async function end(code: number): Promise<never> {
  await api.kill()
  link.close()
  postgres.signal('SIGCONT')
  await postgres.close()
  process.exit(code)
}
process.on('disconnect', () => end(0))
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => {
    process.stderr.write(`${(error as Error).stack}\n`)
    void end(1)
  })
}

const [person, stranger] = await createPeople(postgres.url, 2)
await api.start(postgres.url)
const clients: ClientJob = {
  port,
  ...person!,
  foreignId: stranger!.accountIds[0]!,
  acknowledgedLog: join(folder, 'acknowledged.log'),
  otherLog: join(folder, 'others.log'),
}
tell({ type: 'ready', databaseUrl: postgres.url, clients })

/** Waits for an acknowledged write. */
async function untilAcknowledged(): Promise<void> {
  const size = () => statSync(clients.acknowledgedLog, { throwIfNoEntry: false })?.size ?? 0
  const before = size()
  await until('a write is acknowledged', size, { isMet: (bytes) => bytes > before })
}

const faults: Fault[] = []

async function cause(kind: Fault['kind'], fault: () => Promise<number>): Promise<void> {
  await untilAcknowledged()
  await sleep(pauseMs * between(0.5, 1.5))
  const beganAt = Date.now()
  faults.push({ kind, beganAt, overAt: await fault() })
  await untilAcknowledged()
}

const functions = createFaults(postgres, api, link)
const firstOfLink = plan.findIndex(isOfLink)
for (const [index, kind] of plan.entries()) {
  // From here on, the API is connected through the link.
  if (index === firstOfLink) await cause('API killed', () => api.restart(link.url))
  await cause(kind, functions[kind])
}
tell({ type: 'done', faults, exits: api.exits })
