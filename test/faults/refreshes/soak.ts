import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { report } from '../../helpers/report.ts'
import { type Kill, STEPS } from './protocol.ts'

/** Runs kills.test.ts with more kills, prints the kills per step, and exits with the status of the test. */
const [kills = '200'] = process.argv.slice(2)

const FILE = 'node_modules/.cache/refreshes.json'
mkdirSync('node_modules/.cache', { recursive: true })
rmSync(FILE, { force: true })
const { status } = spawnSync('npm', ['test', '-s', '--', 'test/faults/refreshes/kills.test.ts', '--timeout=7200'], {
  env: { ...process.env, KILLS: kills, KILLS_REPORT: FILE },
  stdio: 'inherit',
})
process.exitCode = status ?? 1

interface Run {
  kills: Kill[]
  calls: number
  reconnected: Record<string, number>
  breaches: string[]
}
const run = JSON.parse(readFileSync(FILE, 'utf8')) as Run
const { table } = console
const count = (isAfter: boolean, step?: Kill['step']) =>
  run.kills.filter((kill) => kill.isAfter === isAfter && (!step || kill.step === step)).length
const rowOf = (step?: Kill['step']) => ({
  'killed at the step': count(false, step),
  'killed after it': count(true, step),
})
table({ ...Object.fromEntries(STEPS.map((step) => [step, rowOf(step)])), total: rowOf() })
report('refreshes', [{ kills: run.kills.length, calls: run.calls, ...run.reconnected, breaches: run.breaches.length }])
