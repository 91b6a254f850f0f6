import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { processesOf, readProcStat, sendSignal } from '../helpers/processes.ts'
import { until } from '../helpers/until.ts'

const environment = async (t: Test) => ({
  DATABASE_URL: await createDatabase(t),
  CREDENTIALS_KEY: randomBytes(32).toString('base64'),
})

for (const command of ['serve', 'worker'] as const) {
  t.test(`${command} stops in order after SIGTERM, SIGINT and SIGHUP`, async (t) => {
    const codeAfter = async (signal: NodeJS.Signals) => {
      const service = await runService(command, await environment(t))
      t.teardown(() => service.stop('SIGKILL'))
      return service.stop(signal)
    }
    // Concurrently: after most signals, a service accepts connections for three more seconds.
    t.strictSame(await Promise.all((['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map(codeAfter)), [0, 0, 0])
  })
}

t.test(
  'a service that npm started stops in order when npm is gone',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  async (t) => {
    const end = async (signal: NodeJS.Signals) => {
      const service = await runService('serve', await environment(t), { throughNpm: true })
      const [npm, child] = processesOf(service.child.pid!) as [number, number]
      t.teardown(() => sendSignal([child], 'SIGKILL'))
      const gone = once(service.child, 'exit')
      sendSignal([npm], signal)
      await gone
      await until('the service has ended', () => !isRunning(child))
      t.match(service.output.stderr, '"msg":"stopping"')
    }
    // Concurrently: each service accepts connections for three more seconds.
    await Promise.all([end('SIGHUP'), end('SIGKILL')])
  },
)

t.test('SIGUSR1 opens no inspector, and the service runs on', async (t) => {
  const service = await runService('serve', await environment(t))
  t.teardown(() => service.stop('SIGKILL'))
  for (let count = 0; count < 3; count++) sendSignal([service.child.pid!], 'SIGUSR1')
  t.equal((await fetch(new URL('/healthz', service.facts.api))).status, 200)
  t.equal(await service.stop(), 0)
  t.notMatch(service.output.stderr, /debugger|inspector/i)
})

/** A process that has ended stays in the list as a zombie until its parent asks for its exit code. */
const isRunning = (pid: number) => !['Z', undefined].includes(readProcStat(pid)[0])
