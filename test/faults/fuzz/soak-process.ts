import { sql } from 'kysely'
import type { Teardown } from '../../helpers/database.ts'
import { type Caller, createCaller, createFuzzWorld, holdsFor } from './caller.ts'
import { serviceFollowsModel } from './model/property.ts'
import { coverage, type Run, startService } from './model/service.ts'
import { operations, requests } from './requests.ts'
import { hold } from './seed.ts'

/** What one process of the long run has done. */
export interface Tally {
  operations: Record<string, { requests: number; done: number; refused: number; wrong: number }>
  statuses: Record<string, number>
  /** Of the requests that a model follows. */
  answers: Record<string, number>
  outcomes: Record<string, number>
  breaches: string[]
}

/** So many callers send at the same time. */
const CALLERS = 4
/** The rest are made from the document alone. */
const SHARE_OF_MODEL = 0.1
const RUNS_AT_ONCE = 50

const [count, seed] = process.argv.slice(2).map(Number) as [number, number]
const tally: Tally = { operations: {}, statuses: {}, answers: {}, outcomes: {}, breaches: [] }
for (const { operationId } of operations) {
  tally.operations[operationId] = { requests: 0, done: 0, refused: 0, wrong: 0 }
}

const { log } = console
const SHOWN_EVERY_MS = 60_000

/** Notes what does not hold, and lets the rest go on. */
async function attempt(work: Promise<void>): Promise<void> {
  await work.catch((error: Error) => {
    tally.breaches.push(error.message)
    log(error.message)
  })
}

const sendRequests = (callers: Caller[]) =>
  callers.map((caller, index) => {
    const property = holdsFor(caller, requests, ({ statusCode }, { operation, expected }) => {
      tally.statuses[statusCode] = (tally.statuses[statusCode] ?? 0) + 1
      const row = tally.operations[operation.operationId]!
      row.requests++
      row[statusCode < 400 ? 'done' : expected === 'taken' ? 'refused' : 'wrong']++
    })
    const numRuns = Math.ceil((count * (1 - SHARE_OF_MODEL)) / callers.length)
    return attempt(hold(property, { numRuns, seed: seed + index }))
  })

const sum = (counts: Iterable<number>) => [...counts].reduce((sum, one) => sum + one, 0)
const answered = () => sum(coverage.responses.values())

async function followModel(beginRun: () => Promise<Run>): Promise<void> {
  const property = serviceFollowsModel(beginRun)
  for (let run = 0; answered() < count * SHARE_OF_MODEL && tally.breaches.length === 0; run++) {
    await attempt(hold(property, { numRuns: RUNS_AT_ONCE, seed: seed + run }))
  }
}

const works: (() => Promise<unknown>)[] = []
const t: Teardown = { teardown: (work) => works.unshift(work) }
/** Why something failed: the answer does not tell. That networks do not answer is as it should be. */
const stream = { write: (line: string) => line.includes('"statusCode":502') || log(line) }
const world = await createFuzzWorld(t, { poolMax: CALLERS + 2, logger: { level: 'error', stream } })
const callers: Caller[] = []
while (callers.length < CALLERS) callers.push(await createCaller(world))
const beginRun = await startService(t)
// All connections, before there is anything else to do: each has a second to be made.
await Promise.all(callers.map(() => sql`select pg_sleep(0.2)`.execute(world.db)))
const show = () => log(`${sum(Object.values(tally.statuses)) + answered()} of ${count}`)
const timer = setInterval(show, SHOWN_EVERY_MS)
await Promise.all([...sendRequests(callers), followModel(beginRun)])
clearInterval(timer)
for (const work of works) await work()
tally.answers = Object.fromEntries(coverage.responses)
tally.outcomes = Object.fromEntries(coverage.outcomes)
process.send!(tally)
process.disconnect()
