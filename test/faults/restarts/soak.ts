import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { report } from '../../helpers/report.ts'
import type { Restarts } from './run.ts'

/** Runs restarts.test.ts with more restarts, and exits with its status: `node test/faults/restarts/soak.ts [RESTARTS]`. */
const [restarts = '50'] = process.argv.slice(2)

const FILE = 'node_modules/.cache/restarts.json'
mkdirSync('node_modules/.cache', { recursive: true })
rmSync(FILE, { force: true })
const { status } = spawnSync('npm', ['test', '-s', '--', 'test/faults/restarts/restarts.test.ts', '--timeout=7200'], {
  env: { ...process.env, RESTARTS: restarts, RESTARTS_REPORT: FILE },
  stdio: 'inherit',
})
process.exitCode = status ?? 1

const { responses, breaches } = JSON.parse(readFileSync(FILE, 'utf8')) as Restarts
report('restarts', [{ restarts, ...responses, breaches: breaches.length }], { breaches })
