import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { report } from '../../helpers/report.ts'

/** Runs kills.test.ts with every kind of post, prints what became of them, and exits with the status of the test. */
const FILE = 'node_modules/.cache/network-kills.json'
mkdirSync('node_modules/.cache', { recursive: true })
rmSync(FILE, { force: true })
const { status } = spawnSync('npm', ['test', '-s', '--', 'test/faults/networks/kills.test.ts', '--timeout=7200'], {
  env: { ...process.env, KILLS_REPORT: FILE },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
report('networks', JSON.parse(readFileSync(FILE, 'utf8')))
