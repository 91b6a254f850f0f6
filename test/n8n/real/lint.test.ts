import { execFile } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { writePackage, writeSources } from '../../../.ci/n8n-package.ts'
import { createFolder } from '../../helpers/app.ts'

const require = createRequire(import.meta.url)
const scanner = require
  .resolve('@n8n/scan-community-package/package.json')
  .replace('package.json', 'scanner/scanner.mjs')
const { ESLint } = createRequire(scanner)('eslint')

/** Lints as the scanner does that decides whether n8n verifies a package. Its warnings count here too. */
async function lint(folder: string, patterns: string[]): Promise<string[]> {
  const { buildScanConfig } = await import(scanner)
  const settings = { cwd: folder, allowInlineConfig: false, overrideConfigFile: true }
  const eslint = new ESLint({ ...settings, overrideConfig: await buildScanConfig() })
  const results = await eslint.lintFiles(globSync(patterns, { cwd: folder }).map((path) => join(folder, path)))
  return results.flatMap(({ filePath, messages }: { filePath: string; messages: { ruleId: string; line: number }[] }) =>
    messages.map(({ ruleId, line }) => `${filePath}:${line} ${ruleId}`),
  )
}

t.test('the linter of n8n finds nothing in the sources, in the fields and in the package', async (t) => {
  const folder = await createFolder(t)
  const sources = join(folder, 'sources')
  writeSources(sources)
  const { SOURCE_FILE_PATTERNS } = await import(scanner)
  t.strictSame(await lint(sources, SOURCE_FILE_PATTERNS), [])
  t.strictSame(await lint(resolve('src/clients/n8n'), SOURCE_FILE_PATTERNS), [], 'as it is in the repository')
  writePackage(folder)
  t.strictSame(await lint(join(folder, 'n8n'), ['**/*.js', 'package.json']), [])

  await t.test('and it finds what is wrong', async (t) => {
    const file = join(sources, 'nodes/Postroom/wrong.ts')
    writeFileSync(file, `setTimeout(() => {}, 1)`)
    t.match(await lint(sources, SOURCE_FILE_PATTERNS), [/wrong\.ts:1 .*no-restricted-globals/])
  })
})

t.test('the types are those of n8n', async (t) => {
  const folder = await createFolder(t)
  writeSources(folder)
  const tsconfig = {
    extends: './tsconfig.json',
    compilerOptions: {
      noCheck: false,
      noEmit: true,
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      types: ['node'],
      typeRoots: [resolve('node_modules/@types')],
      paths: { 'n8n-workflow': [dirname(require.resolve('n8n-workflow/package.json'))] },
    },
  }
  writeFileSync(join(folder, 'tsconfig.check.json'), JSON.stringify(tsconfig))
  const tsc = resolve('node_modules/typescript/lib/tsc.js')
  const args = [tsc, '-p', join(folder, 'tsconfig.check.json')]
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error)
  t.equal(stdout, '')
})
