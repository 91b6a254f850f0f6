import { sql } from 'kysely'
import type { Teardown } from '../../helpers/database.ts'
import { type Caller, createCaller, createFuzzWorld, responsesAreRight } from './caller.ts'
import { serviceFollowsModel } from './model/property.ts'
import { coverage, type Run, startService } from './model/service.ts'
import { operations, requests } from './requests.ts'
import { hold } from './seed.ts'

/*
 * One process of the soak: `COUNT SEED`. Sends generated requests by several callers, and commands beside a model, and
 * sends its tally to the parent.
 */

export interface Tally {
  operations: Record<string, { requests: number; succeeded: number; refused: number; invalid: number }>
  /** Statuses of generated requests. */
  statuses: Record<string, number>
  /** Responses to commands beside the model, and outcomes of their deliveries. */
  responses: Record<string, number>
  outcomes: Record<string, number>
  breaches: string[]
}

/** Callers that send concurrently. */
const CALLERS = 4
/** Share of all requests that are sent beside the model. */
const MODEL_SHARE = 0.1
const RUNS_PER_SEED = 50
const PROGRESS_EVERY_MS = 60_000

const [count, seed] = process.argv.slice(2).map(Number) as [number, number]
const tally: Tally = { operations: {}, statuses: {}, responses: {}, outcomes: {}, breaches: [] }
for (const { operationId } of operations) {
  tally.operations[operationId] = { requests: 0, succeeded: 0, refused: 0, invalid: 0 }
}

const { log } = console

/** Records a breach and goes on. */
async function attempt(work: Promise<void>): Promise<void> {
  await work.catch((error: Error) => {
    tally.breaches.push(error.message)
    log(error.message)
  })
}

const sendRequests = (callers: Caller[]) =>
  callers.map((caller, index) => {
    const property = responsesAreRight(caller, requests, ({ statusCode }, { operation, expected }) => {
      tally.statuses[statusCode] = (tally.statuses[statusCode] ?? 0) + 1
      const row = tally.operations[operation.operationId]!
      row.requests++
      row[statusCode < 400 ? 'succeeded' : expected === 'valid' ? 'refused' : 'invalid']++
    })
    const numRuns = Math.ceil((count * (1 - MODEL_SHARE)) / callers.length)
    return attempt(hold(property, { numRuns, seed: seed + index }))
  })

const sum = (counts: Iterable<number>) => [...counts].reduce((sum, one) => sum + one, 0)
const modelResponses = () => sum(coverage.responses.values())

async function followModel(beginRun: () => Promise<Run>): Promise<void> {
  const property = serviceFollowsModel(beginRun)
  for (let run = 0; modelResponses() < count * MODEL_SHARE && tally.breaches.length === 0; run++) {
    await attempt(hold(property, { numRuns: RUNS_PER_SEED, seed: seed + run }))
  }
}

const teardowns: (() => Promise<unknown>)[] = []
const t: Teardown = { teardown: (work) => teardowns.unshift(work) }
/** Errors in the log give the cause of a 500. A 502 is expected: the networks are stubs. */
const stream = { write: (line: string) => line.includes('"statusCode":502') || log(line) }
const world = await createFuzzWorld(t, { poolMax: CALLERS + 2, logger: { level: 'error', stream } })
const callers: Caller[] = []
for (let index = 0; index < CALLERS; index++) callers.push(await createCaller(world))
const beginRun = await startService(t)
// Opens all connections before the load begins: each has to open within a second.
await Promise.all(callers.map(() => sql`select pg_sleep(0.2)`.execute(world.db)))
const showProgress = () => log(`${sum(Object.values(tally.statuses)) + modelResponses()} of ${count}`)
const timer = setInterval(showProgress, PROGRESS_EVERY_MS)
await Promise.all([...sendRequests(callers), followModel(beginRun)])
clearInterval(timer)
for (const teardown of teardowns) await teardown()
tally.responses = Object.fromEntries(coverage.responses)
tally.outcomes = Object.fromEntries(coverage.outcomes)
process.send!(tally)
process.disconnect()
