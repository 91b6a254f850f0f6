import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** More files than this share processes: each process imports for a second of CPU time before its first test. */
const PROCESSES_MAX = 40

/** Returns the files, or new files in `folder` that run several of them one after the other. */
export function groupFiles(files: string[], folder: string): string[] {
  if (files.length <= PROCESSES_MAX) return files
  return Array.from({ length: PROCESSES_MAX }, (_, index) => {
    // Neighbours take equally long, such as all that start processes.
    const group = files.filter((_, position) => position % PROCESSES_MAX === index)
    const path = join(folder, `${index + 1}.test.mjs`)
    writeFileSync(path, toModule(group))
    return path
  })
}

/**
 * The module runs the teardowns of a file after its last test. It keeps them from the root of tap, which would
 * otherwise end as soon as it has no test to run.
 */
const toModule = (files: string[]) => `import { once } from 'node:events'
import t from ${JSON.stringify(import.meta.resolve('tap'))}
for (const file of ${JSON.stringify(files.map((file) => resolve(file)))}) {
  const setups = []
  t.teardown = (undo) => setups.push(undo)
  await import(file)
  if (!t.idle) await once(t, 'idle')
  for (const undo of setups.reverse()) await undo()
}
`
