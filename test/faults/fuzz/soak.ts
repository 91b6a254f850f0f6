import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { withTemplate } from '../../helpers/database.ts'
import { withPostgres } from '../../helpers/postgres.ts'
import { report } from '../../helpers/report.ts'
import { SEED } from './seed.ts'
import type { Tally } from './soak-process.ts'

/** Sends so many requests, and says what was answered; ends with 1 where anything was not as it should be. */
const [count = '1000000'] = process.argv.slice(2)

/** Postgres takes less than the service and its callers do. */
const PROCESSES = availableParallelism()
/** Each process takes the next seeds, one for each caller and some for the model. */
const SEEDS_APART = 1_000_000

async function run(index: number): Promise<Tally | undefined> {
  const share = String(Math.ceil(Number(count) / PROCESSES))
  const child = fork(new URL('soak-process.ts', import.meta.url), [share, String(SEED + index * SEEDS_APART)])
  let tally: Tally | undefined
  child.once('message', (message) => {
    tally = message as Tally
  })
  await once(child, 'exit')
  return tally
}

const startedAt = Date.now()
const tallies = await withPostgres(() =>
  withTemplate(() => Promise.all(Array.from({ length: PROCESSES }, (_, index) => run(index)))),
)
const seconds = Math.round((Date.now() - startedAt) / 1000)

const whole = tallies.filter((tally) => tally !== undefined)
const added = (counts: Record<string, number>[]) => {
  const sums: Record<string, number> = {}
  for (const each of counts) for (const [name, one] of Object.entries(each)) sums[name] = (sums[name] ?? 0) + one
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1)))
}
const statuses = added(whole.map((tally) => tally.statuses))
const answers = added(whole.map((tally) => tally.answers))
const outcomes = added(whole.map((tally) => tally.outcomes))
const breaches = whole.flatMap((tally) => tally.breaches)
const rows = Object.keys(whole[0]?.operations ?? {}).map((operation) => {
  const { requests = 0, done = 0, refused = 0, wrong = 0 } = added(whole.map((tally) => tally.operations[operation]!))
  return { operation, requests, 'carried out': done, refused, 'refused as invalid': wrong }
})
const sum = (counts: Record<string, number>) => Object.values(counts).reduce((sum, one) => sum + one, 0)
const model = sum(answers)
const requests = sum(statuses) + model
const perSecond = Math.round(requests / seconds)
const died = PROCESSES - whole.length

const { log, table } = console
table(Object.entries(answers).map(([answer, times]) => ({ 'as the model': answer, times })))
table(Object.entries(outcomes).map(([outcome, times]) => ({ 'as the model': outcome, times })))
report('fuzz', rows, { seed: SEED, requests, model, seconds, perSecond, statuses, answers, outcomes, breaches, died })
log(`${requests} requests, ${model} of them followed by the model, in ${seconds} s: ${perSecond} a second`)
log(`statuses ${JSON.stringify(statuses)}; ${breaches.length} breaches; ${died} processes died; SEED=${SEED}`)
process.exitCode = breaches.length > 0 || died > 0 ? 1 : 0
