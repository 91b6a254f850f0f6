import { spawnSync } from 'node:child_process'
import t from 'tap'

t.test('an installation, which takes minutes, is announced before it begins', async (t) => {
  for (const target of ['setup', 'check']) {
    // As if the lockfile had changed. Nothing is run.
    const { stdout } = spawnSync('make', ['--dry-run', '--what-if=package-lock.json', target], { encoding: 'utf8' })
    t.match(stdout, /echo 'Installing packages[^\n]* >&2; npm install /, target)
  }
})
