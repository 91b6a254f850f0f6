import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

/** That a JSON value has a type of `Schemas` in the SDK of X, which is made from X's description. */
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

/** Names that the guides of X have with "tweet", and its description with "post". */
const RENAMED: Record<string, string> = {
  edit_history_tweet_ids: 'edit_history_post_ids',
  referenced_tweets: 'referenced_posts',
  note_tweet: 'note_post',
}

/** The SDK has the names of the description in another case. */
const renamed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(renamed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [
    (RENAMED[name] ?? name).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    renamed(inner),
  ])
  return Object.fromEntries(entries)
}

/** What TypeScript reports about the claims; empty if they hold. Unknown names in a value are errors too. */
export async function typeErrors(t: Test, claims: Claim[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-sdks-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(PACKAGES, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  const lines = claims.map(
    ({ type, value }, index) => `export const claim${index}: Schemas.${type} = ${JSON.stringify(renamed(value))}`,
  )
  writeFileSync(join(folder, 'claims.ts'), [`import type { Schemas } from '@xdevplatform/xdk'`, ...lines].join('\n'))
  const args = [join(PACKAGES, 'typescript/lib/tsc.js'), '-p', '.', '--pretty', 'false']
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) => resolve(stdout + stderr)),
  )
}
