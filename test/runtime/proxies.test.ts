import { randomBytes } from 'node:crypto'
import t from 'tap'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'

t.test('a process warns at start that it does not use the proxy of the environment', async (t) => {
  const DATABASE_URL = await createDatabase(t)
  const CREDENTIALS_KEY = randomBytes(32).toString('base64')
  for (const command of ['serve', 'worker'] as const) {
    const env = { DATABASE_URL, CREDENTIALS_KEY, HTTPS_PROXY: 'http://user:secret@proxy.example:3128' }
    const { output, stop } = await runService(command, env)
    t.teardown(() => stop('SIGKILL'))
    await until('it warns', () => output.stderr.includes('"variable":"HTTPS_PROXY"'))
    t.match(output.stderr, /"level":40,.*the proxy for outgoing requests is not used/)
    t.notMatch(output.stderr, 'secret')
    t.equal(await stop('SIGINT'), 0)
  }
})
