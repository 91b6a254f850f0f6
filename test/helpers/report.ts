import { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'

/** Where benchmarks and long fault runs leave their figures, as JSON. */
const FOLDER = '.results'

type Row = Record<string, string | number>

/** Prints what was measured as a table, and writes it to `.results/<name>.json` with the machine it was measured on. */
export function report(name: string, rows: Row[], facts: Record<string, unknown> = {}): void {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${name}.json`)
  const machine = {
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    node: process.version,
  }
  writeFileSync(file, `${JSON.stringify({ name, at: new Date().toISOString(), machine, ...facts, rows }, null, 2)}\n`)
  const { table, log } = console
  table(rows)
  log(`written to ${file}`)
}
