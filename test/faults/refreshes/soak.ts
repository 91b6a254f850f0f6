import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'
import { type Kill, STEPS } from './protocol.ts'

/** Runs kills.test.ts with more kills, prints the kills per step, and exits with the status of the test. */
const [kills = '200'] = process.argv.slice(2)

interface Run {
  kills: Kill[]
  calls: number
  reconnected: Record<string, number>
  breaches: string[]
}
const run = soakTest<Run>('refreshes/kills', { KILLS: kills })
const { table } = console
const count = (isAfter: boolean, step?: Kill['step']) =>
  run.kills.filter((kill) => kill.isAfter === isAfter && (!step || kill.step === step)).length
const rowOf = (step?: Kill['step']) => ({
  'killed at the step': count(false, step),
  'killed after it': count(true, step),
})
table({ ...Object.fromEntries(STEPS.map((step) => [step, rowOf(step)])), total: rowOf() })
report('refreshes', [{ kills: run.kills.length, calls: run.calls, ...run.reconnected, breaches: run.breaches.length }])
