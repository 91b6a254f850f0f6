import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Packs the package in `target`, with the license, to `folder`. Returns the path of the tarball. */
export function pack(target: string, folder: string): string {
  cpSync('LICENSE', join(target, 'LICENSE'))
  mkdirSync(folder, { recursive: true })
  const packed = execFileSync('npm', ['pack', '--silent', '--json', '--pack-destination', folder, target])
  return join(folder, JSON.parse(String(packed))[0].filename)
}
