import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { supervise } from '../faults/cluster/services.ts'
import { openSources } from '../upgrade/release.ts'
import { createFolder } from './app.ts'
import { spawnPostroom } from './command.ts'
import { CHILD_ENV } from './log-record.ts'
import { until } from './until.ts'

/** Ends with an error on stderr. */
const ARGS = ['serve', '--json']

const WAYS: Record<string, (t: Test, env: Record<string, string>) => Promise<unknown>> = {
  'a command': async (_t, env) => once(spawnPostroom(ARGS, env), 'close'),
  'a release': async (t, env) => t.rejects(openSources(t, 'today', '.', env).start('serve')),
  'a process of the cluster': async (t, env) => {
    const ended = Promise.withResolvers<string>()
    const service = supervise('api', ARGS, { folder: await createFolder(t), env, onEnd: ended.resolve })
    await ended.promise
    await service.stop()
  },
  'a fork': async (_t, { PORT }) => {
    const url = new URL('./log-record.ts', import.meta.url).href
    const script = `import { noLog } from ${JSON.stringify(url)}; noLog.info(${JSON.stringify(PORT)})`
    await once(
      spawn(process.execPath, ['--input-type=module', '-e', script], { env: CHILD_ENV, stdio: 'ignore' }),
      'exit',
    )
  },
}

for (const [index, [name, start]] of Object.entries(WAYS).entries()) {
  t.test(`what ${name} logs is recorded`, async (t) => {
    const port = `invalid-${process.pid}-${index}`
    await start(t, { PORT: port })
    await until('the record has the line', () => readRecord().includes(port))
  })
}

function readRecord(): string {
  const folder = process.env.TEST_RECORD_DIR!
  const files = readdirSync(folder).filter((name) => name.endsWith('.log'))
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('')
}
