import { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'

/** Folder in which benchmarks and soaks write their results as JSON. Not committed. */
const FOLDER = '.results'

type Row = Record<string, string | number>

/** Prints results as a table, and writes them to `.results/NAME.json` with a description of the machine. */
export function report(name: string, rows: Row[], details: Record<string, unknown> = {}): void {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${name}.json`)
  const machine = {
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    node: process.version,
  }
  writeFileSync(file, `${JSON.stringify({ name, at: new Date().toISOString(), machine, ...details, rows }, null, 2)}\n`)
  const { table, log } = console
  table(rows)
  log(`Results written to ${file}`)
}
