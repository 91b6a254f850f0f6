import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { report } from '../../helpers/report.ts'
import { type Planned, STEPS } from './protocol.ts'

/** Runs the test with so many kills, says what was done at which step, and ends as the test does. */
const [kills = '280'] = process.argv.slice(2)

const FILE = 'node_modules/.cache/kills.json'
mkdirSync('node_modules/.cache', { recursive: true })
rmSync(FILE, { force: true })
const { status } = spawnSync('npm', ['test', '-s', '--', 'test/faults/workers/kills.test.ts', '--timeout=7200'], {
  env: { ...process.env, KILLS: kills, KILLS_REPORT: FILE },
  stdio: 'inherit',
})
process.exitCode = status ?? 1

interface Run {
  name: string
  acts: number
  workers: number
  done: Planned[]
  left: Planned[]
  breaches: string[]
  seconds: number
}
const { seed, runs } = JSON.parse(readFileSync(FILE, 'utf8')) as { seed: number; runs: Run[] }
const done = runs.flatMap((run) => run.done)
const rowOf = (step?: Planned['step']) => {
  const count = (trouble: Planned['trouble']) =>
    done.filter((each) => each.trouble === trouble && (!step || each.step === step)).length
  const row = { 'killed there': count('at'), 'killed on its way on': count('after') }
  return { ...row, 'answer lost': count('lose'), 'stood still': count('stall') }
}
const { table } = console
table({ ...Object.fromEntries(STEPS.map((step) => [step, rowOf(step)])), 'in all': rowOf() })
report(
  'workers',
  runs.map(({ name, acts, workers, done, left, breaches, seconds }) => {
    return { name, acts, workers, done: done.length, left: left.length, breaches: breaches.length, seconds }
  }),
  { seed },
)
