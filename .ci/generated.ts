import { readFileSync, writeFileSync } from 'node:fs'

/** Writes a file that `make openapi` makes. With `--verify`, fails if the file differs. */
export function writeGenerated(path: string, text: string): void {
  if (!process.argv.includes('--verify')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`${path} is not up to date: run make openapi\n`)
    process.exitCode = 1
  }
}
