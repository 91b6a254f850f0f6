import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { createFolder } from '../helpers/app.ts'
import { readDocument } from '../helpers/document.ts'
import { publishedTypes } from '../helpers/published-types.ts'

const run = promisify(execFile)

/** Whether two types are the same at every depth. Mutual assignability would miss optional properties. */
const EQUAL = `
type Flat<T> = T extends object ? { [K in keyof T]: Flat<T[K]> } : T
type Equal<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false
`

t.test('the published types are those of the schemas', async (t) => {
  const folder = await createFolder(t)
  const client = readFileSync('src/sdk/client.ts', 'utf8') + readFileSync('src/sdk/errors.ts', 'utf8')
  const names = new Set([...client.matchAll(/\bT\.(\w+)/g)].map(([, name]) => name!))
  names.add('ErrorBody').add('ErrorCode').add('Issue').add('Delivery').add('PostTarget')
  t.ok(names.size > 60, `${names.size} types`)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'published.ts'), publishedTypes(readDocument()))
  const checks = [...names].map((name) => `export const ${name}: Equal<source.${name}, published.${name}> = true`)
  const source = relative(folder, resolve('src/sdk/types.ts'))
  const imports = [`import type * as published from './published.ts'`, `import type * as source from '${source}'`]
  writeFileSync(join(folder, 'equal.ts'), [...imports, EQUAL, ...checks].join('\n'))
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions: { rootDir: '/', types: ['node'], typeRoots: [resolve('node_modules/@types')] },
      include: [],
      files: ['equal.ts'],
    }),
  )
  const tsc = resolve('node_modules/typescript/lib/tsc.js')
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--pretty', 'false']).catch((error) => error)
  t.equal(stdout, '')
})
