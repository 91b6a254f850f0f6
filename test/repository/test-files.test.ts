import { globSync, readFileSync } from 'node:fs'
import t from 'tap'

t.test('every test file is run by `make test` or by a target of its own', async (t) => {
  const listed = [...readFileSync('.taprc', 'utf8').matchAll(/^ {2}- (\S+)$/gm)].map(([, pattern]) => pattern!)
  const ofTargets = [...readFileSync('Makefile', 'utf8').matchAll(/test\/[^\s,]+?\.test\.ts/g)].map(
    ([pattern]) => pattern,
  )
  const run = new Set(globSync([...listed, ...ofTargets]))
  const exclude = (path: string) => path.includes('node_modules')
  t.strictSame(
    globSync('test/**/*.test.ts', { exclude }).filter((file) => !run.has(file)),
    [],
  )
})
