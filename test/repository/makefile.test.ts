import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'

t.test('an installation, which takes minutes, is announced before it begins', async (t) => {
  for (const target of ['setup', 'check']) {
    // As if the lockfile had changed. Nothing is run.
    const { stdout } = spawnSync('make', ['--dry-run', '--what-if=package-lock.json', target], { encoding: 'utf8' })
    t.match(stdout, /echo 'Installing packages[^\n]* >&2; npm install /, target)
  }
})

t.test('help lists every target', async (t) => {
  const [, targets = ''] = /^\.PHONY: (.+)$/m.exec(readFileSync('Makefile', 'utf8')) ?? []
  const { stdout } = spawnSync('make', ['help'], { encoding: 'utf8' })
  t.strictSame([...stdout.matchAll(/^ {2}make (\S+)/gm)].map(([, name]) => name).sort(), targets.split(' ').sort())
})
