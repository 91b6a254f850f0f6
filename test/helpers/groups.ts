import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Of more files than this, several share a process: each process imports for a second of CPU time before its first test. */
const PROCESSES_MAX = 40

/** Returns the files, or files in the folder `scratch` that run several of them one after the other. */
export function groupFiles(files: string[], scratch: string): string[] {
  const size = Math.ceil(files.length / PROCESSES_MAX)
  if (size === 1) return files
  return Array.from({ length: Math.ceil(files.length / size) }, (_, index) => {
    const group = files.slice(index * size, (index + 1) * size)
    const path = join(scratch, `${index + 1}.test.mjs`)
    writeFileSync(path, toModule(group))
    return path
  })
}

/** The tests of a file have ended when a later test begins. */
const toModule = (files: string[]) => `import t from ${JSON.stringify(import.meta.resolve('tap'))}
for (const file of ${JSON.stringify(files.map((file) => resolve(file)))}) {
  await import(file)
  await t.test(file, async () => {})
}
`
