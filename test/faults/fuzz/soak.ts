import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { withPostgres } from '../../helpers/postgres.ts'
import { report } from '../../helpers/report.ts'
import { SEED } from './seed.ts'
import type { Tally } from './soak-process.ts'

/** Sends generated requests: `node test/faults/fuzz/soak.ts [COUNT]`. Exits with 1 if a response was wrong. */
const [count = '1000000'] = process.argv.slice(2)

/** Postgres needs less CPU time than the service and its callers. */
const PROCESSES = availableParallelism()
/** Each process uses consecutive seeds: one per caller, several for the model. */
const SEEDS_PER_PROCESS = 1_000_000

/** Undefined if the process ended without a tally. */
async function run(index: number): Promise<Tally | undefined> {
  const share = String(Math.ceil(Number(count) / PROCESSES))
  const child = fork(new URL('soak-process.ts', import.meta.url), [share, String(SEED + index * SEEDS_PER_PROCESS)])
  let tally: Tally | undefined
  child.once('message', (message) => {
    tally = message as Tally
  })
  await once(child, 'exit')
  return tally
}

const startedAt = Date.now()
const results = await withPostgres(() => Promise.all(Array.from({ length: PROCESSES }, (_, index) => run(index))))
const seconds = Math.round((Date.now() - startedAt) / 1000)

const tallies = results.filter((tally) => tally !== undefined)
const addUp = (counts: Record<string, number>[]) => {
  const sums: Record<string, number> = {}
  for (const each of counts) for (const [name, one] of Object.entries(each)) sums[name] = (sums[name] ?? 0) + one
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1)))
}
const statuses = addUp(tallies.map((tally) => tally.statuses))
const responses = addUp(tallies.map((tally) => tally.responses))
const outcomes = addUp(tallies.map((tally) => tally.outcomes))
const breaches = tallies.flatMap((tally) => tally.breaches)
const rows = Object.keys(tallies[0]?.operations ?? {}).map((operation) => {
  const sums = addUp(tallies.map((tally) => tally.operations[operation]!))
  const { requests = 0, succeeded = 0, refused = 0, invalid = 0 } = sums
  return { operation, requests, succeeded, 'valid, but refused': refused, 'rejected as invalid': invalid }
})
const sum = (counts: Record<string, number>) => Object.values(counts).reduce((sum, one) => sum + one, 0)
const besideModel = sum(responses)
const requests = sum(statuses) + besideModel
const perSecond = Math.round(requests / seconds)
const crashes = PROCESSES - tallies.length

const { log, table } = console
table(Object.entries(responses).map(([response, times]) => ({ 'beside the model': response, times })))
table(Object.entries(outcomes).map(([outcome, times]) => ({ 'beside the model': outcome, times })))
const details = { requests, besideModel, seconds, perSecond, statuses, responses, outcomes, breaches, crashes }
report('fuzz', rows, { seed: SEED, ...details })
log(`${requests} requests, ${besideModel} of them beside the model, in ${seconds} s: ${perSecond} per second`)
log(`statuses ${JSON.stringify(statuses)}; ${breaches.length} breaches; ${crashes} crashed processes; SEED=${SEED}`)
process.exitCode = breaches.length > 0 || crashes > 0 ? 1 : 0
