/** Writes the n8n nodes as a package: its files to dist/n8n, and a tarball to dist. It has no dependencies. */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readDocument } from '../test/helpers/document.ts'
import { describeNodes } from './n8n-description.ts'
import { pack } from './pack.ts'
import { VERSION } from './release-facts.ts'

/** The types of n8n are absent: the tests on a real n8n check the types. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    module: 'nodenext',
    rootDir: '.',
    outDir: 'dist',
    strict: true,
    noCheck: true,
    rewriteRelativeImportExtensions: true,
  },
  include: ['credentials/*.ts', 'nodes/**/*.ts'],
}

/** The files of the SDK that the nodes use: they do without timers and global objects, which n8n forbids. */
const SDK = ['crypto', 'errors', 'path', 'responses', 'retries', 'types', 'webhooks']

/** A path in src/clients/n8n that leads out of it. In the package, these folders are inside. */
const OUTSIDE = /\.\.\/((?:\.\.\/)*?)(?:\.\.\/features\/)?((?:sdk|console)\/)/g

/** Writes the sources of the package to `folder`. */
export function writeSources(folder: string): void {
  cpSync('src/clients/n8n', folder, { recursive: true })
  for (const path of globSync(join(folder, '{credentials,nodes}/**/*.ts'))) {
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(OUTSIDE, '$1$2'))
  }
  writeFileSync(join(folder, 'nodes/Postroom/description.ts'), describeNodes(readDocument()))
  for (const name of SDK) cpSync(`src/clients/sdk/${name}.ts`, join(folder, 'sdk', `${name}.ts`))
  cpSync('src/features/console/icon.svg', join(folder, 'console/icon.svg'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const manifest = { ...JSON.parse(readFileSync('src/clients/n8n/package.json', 'utf8')), version: VERSION }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Writes the package to `folder`/n8n and packs it. Returns the path of the tarball. */
export function writePackage(folder: string): string {
  const target = resolve(folder, 'n8n')
  const sources = mkdtempSync(join(tmpdir(), 'postroom-n8n-'))
  try {
    writeSources(sources)
    execFileSync(process.execPath, ['node_modules/typescript/lib/tsc.js', '-p', sources], { stdio: 'inherit' })
    rmSync(target, { recursive: true, force: true })
    for (const path of ['dist', 'package.json', 'README.md', 'sample.json'])
      cpSync(join(sources, path), join(target, path), { recursive: true })
    for (const path of globSync('{console,nodes}/**/*.{svg,json}', { cwd: sources })) {
      cpSync(join(sources, path), join(target, 'dist', path))
    }
  } finally {
    rmSync(sources, { recursive: true })
  }
  return pack(target, folder)
}

if (import.meta.main) process.stdout.write(`${writePackage('dist')}\n`)
