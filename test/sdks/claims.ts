import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

/** That a JSON value has a type of a package, which is made from the description of a network. */
export interface Claim {
  type: string
  value: unknown
}

const PACKAGES = fileURLToPath(new URL('node_modules', import.meta.url))

const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  files: ['claims.ts'],
}

/**
 * Returns TypeScript's errors about the claims; empty if they hold. Unknown names in a value are errors too. `types`
 * imports the types, such as `import type { A } from 'b'`.
 */
export async function typeErrors(t: Test, types: string, claims: Claim[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-sdks-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(PACKAGES, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const lines = claims.map(({ type, value }, index) => `export const claim${index}: ${type} = ${JSON.stringify(value)}`)
  writeFileSync(join(folder, 'claims.ts'), [types, ...lines].join('\n'))
  const args = [join(PACKAGES, 'typescript/lib/tsc.js'), '-p', '.', '--pretty', 'false']
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) => resolve(stdout + stderr)),
  )
}
