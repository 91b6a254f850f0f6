/**
 * Writes the SDK as a package: its files to dist/npm, and a tarball to dist. It is compiled for the web and ES2022 alone:
 * Node's types are absent.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pack } from './pack.ts'

const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    module: 'nodenext',
    rootDir: '.',
    declaration: true,
    // The type of WebCrypto has no name that all libraries know.
    stripInternal: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  },
}

/** `postroom/sdk` is the name that earlier versions had. */
const ENTRY = { types: './sdk/index.d.ts', default: './sdk/index.js' }

const { version, description, license } = JSON.parse(readFileSync('package.json', 'utf8'))

const MANIFEST = {
  name: 'postroom',
  version,
  description: `The TypeScript client of Postroom. ${description}`,
  license,
  type: 'module',
  sideEffects: false,
  engines: { node: '>=18' },
  exports: { '.': ENTRY, './sdk': ENTRY },
}

/** Writes the package to `folder`/npm and packs it. Returns the path of the tarball. */
export function writePackage(folder: string): string {
  const target = resolve(folder, 'npm')
  const sources = mkdtempSync(join(tmpdir(), 'postroom-sdk-'))
  try {
    cpSync('src/clients/sdk', sources, { recursive: true })
    writeFileSync(join(sources, 'package.json'), JSON.stringify(MANIFEST))
    const outDir = join(target, 'sdk')
    writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    rmSync(target, { recursive: true, force: true })
    const tsc = 'node_modules/typescript/lib/tsc.js'
    execFileSync(process.execPath, [tsc, '-p', sources, '--outDir', outDir], { stdio: 'inherit' })
    rewriteImports(outDir)
  } finally {
    rmSync(sources, { recursive: true })
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`)
  cpSync('src/clients/sdk/README.md', join(target, 'README.md'))
  return pack(target, folder)
}

/** The compiler leaves `.ts` in declarations, where compilers before version 5.7 reject it. */
function rewriteImports(folder: string): void {
  for (const path of globSync(join(folder, '*.d.ts'))) {
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(["']\.\/\w+)\.ts(?=["'])/g, '$1.js'))
  }
}

if (import.meta.main) process.stdout.write(`${writePackage('dist')}\n`)
