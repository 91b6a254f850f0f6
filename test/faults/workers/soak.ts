import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'
import { type Planned, STEPS } from './protocol.ts'

/** Runs kills.test.ts with more kills, prints the faults per step, and exits with the status of the test. */
const [kills = '280'] = process.argv.slice(2)

interface Run {
  name: string
  acts: number
  workers: number
  done: Planned[]
  left: Planned[]
  breaches: string[]
  seconds: number
}
const { seed, runs } = soakTest<{ seed: number; runs: Run[] }>('workers/kills', { KILLS: kills })
const done = runs.flatMap((run) => run.done)
const rowOf = (step?: Planned['step']) => {
  const count = (trouble: Planned['trouble']) =>
    done.filter((each) => each.trouble === trouble && (!step || each.step === step)).length
  const row = { 'killed at the step': count('at'), 'killed after it': count('after') }
  return { ...row, 'response lost': count('lose'), suspended: count('stall') }
}
const { table } = console
table({ ...Object.fromEntries(STEPS.map((step) => [step, rowOf(step)])), total: rowOf() })
report(
  'workers',
  runs.map(({ name, acts, workers, done, left, breaches, seconds }) => {
    return { name, acts, workers, done: done.length, left: left.length, breaches: breaches.length, seconds }
  }),
  { seed },
)
