import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'

/**
 * Runs a test of test/faults/ in its long form, and returns what it wrote to SOAK_REPORT. The process exits with
 * the status of the test.
 */
export function soakTest<T>(test: string, variables: Record<string, string> = {}): T {
  const file = 'node_modules/.cache/soak.json'
  mkdirSync('node_modules/.cache', { recursive: true })
  rmSync(file, { force: true })
  const { status } = spawnSync('npm', ['test', '-s', '--', `test/faults/${test}.test.ts`, '--timeout=7200'], {
    env: { ...process.env, ...variables, SOAK_REPORT: file },
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = status ?? 1
  return JSON.parse(readFileSync(file, 'utf8'))
}
