import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, lstatSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Teardown } from '../../helpers/database.ts'
import { CHILD_ENV } from '../../helpers/log-record.ts'
import { until } from '../../helpers/until.ts'
import { type Audit, audit } from './audit.ts'
import type { ClientJob, FaultMessage, Job } from './protocol.ts'

/** Causes the faults of `plan` under load, continues until `writes` are acknowledged, and audits the database. */
export async function runFaults(
  t: Teardown,
  { plan, pauseMs, writes }: Pick<Job, 'plan' | 'pauseMs'> & { writes: number },
): Promise<Audit & { seconds: number }> {
  const begun = performance.now()
  const folder = createFolder(t)
  const { process: faultProcess, ended } = start(t, './fault-process.ts')
  const receive = <T extends FaultMessage['type']>(type: T) => Promise.race([message(faultProcess, type), ended])
  const ready = receive('ready')
  const done = receive('done')
  done.catch(() => {})
  faultProcess.send({ folder, plan, pauseMs } satisfies Job)
  const { databaseUrl, clients } = await ready
  const client = startClients(t, clients)
  const { faults, exits } = await Promise.race([done, client.ended])
  await client.untilAcknowledged(writes)
  await client.stop()
  const result = await audit(databaseUrl, clients, faults, exits)
  return { ...result, seconds: (performance.now() - begun) / 1000 }
}

/** A folder that Postgres can enter, as another user. */
export function createFolder(t: Teardown): string {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-faults-'))
  chmodSync(folder, 0o755)
  t.teardown(async () => {
    const data = join(folder, 'data')
    // The embedded Postgres may have replaced its data directory by a link.
    if (lstatSync(data, { throwIfNoEntry: false })?.isSymbolicLink()) {
      rmSync(dirname(realpathSync(data)), { recursive: true, force: true })
    }
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

interface Started {
  process: ChildProcess
  /** Rejects when the process ends. */
  ended: Promise<never>
}

/** Starts a file of this folder in a process of its own, which ends with the test. */
function start(t: Teardown, file: string, args: string[] = []): Started {
  const child = fork(new URL(file, import.meta.url), args, { execArgv: [], env: CHILD_ENV })
  const exit = once(child, 'exit')
  t.teardown(async () => {
    if (child.connected) child.disconnect()
    await exit
  })
  const ended = exit.then(([code, signal]) => Promise.reject(new Error(`${file} ended with ${code ?? signal}`)))
  ended.catch(() => {})
  return { process: child, ended }
}

const message = <T extends FaultMessage['type']>(child: ChildProcess, type: T) =>
  new Promise<Extract<FaultMessage, { type: T }>>((resolve) => {
    child.on('message', (message: FaultMessage) => {
      if (message.type === type) resolve(message as Extract<FaultMessage, { type: T }>)
    })
  })

function startClients(t: Teardown, job: ClientJob) {
  const { process: child, ended } = start(t, './client.ts', [JSON.stringify(job)])
  let acknowledged = 0
  child.on('message', (count: number) => {
    acknowledged = count
  })
  return {
    ended,
    /** Waits until `writes` are acknowledged, as long as their number grows. */
    async untilAcknowledged(writes: number): Promise<void> {
      while (acknowledged < writes) {
        const before = acknowledged
        const more = until('another write is acknowledged', () => acknowledged, { isMet: (count) => count > before })
        await Promise.race([more, ended])
      }
    },
    /** Lets every client finish its request. */
    async stop(): Promise<void> {
      child.send('stop')
      await until('the clients have ended', () => child.exitCode !== null || child.signalCode !== null)
    },
  }
}
