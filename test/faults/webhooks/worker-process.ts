import { connect } from '../../../db/client.ts'
import { createKeyring } from '../../../src/credentials/keyring.ts'
import { dispatch } from '../../../src/worker/dispatch.ts'
import { work } from '../../../src/worker/loop.ts'
import { noLog } from '../../helpers/log-record.ts'
import { loopbackClient } from '../../webhooks/scene.ts'
import { type FromWorker, KEY, type Step } from './protocol.ts'

/** A worker that sends webhooks, and stops for ever at the nth time that it reaches a step. */
const [databaseUrl, now, step, nth] = process.argv.slice(2) as [string, string, Step, string]

const send = (message: FromWorker) => process.send!(message)
let count = 0
async function stopAt(reached: Step): Promise<void> {
  if (reached !== step || ++count < Number(nth)) return
  send({ type: 'reached' })
  await new Promise(() => {})
}

const { fetch } = loopbackClient()

const deps = {
  db: connect({ url: databaseUrl, poolMax: 2 }),
  fetch: async (...[url, init]: Parameters<typeof fetch>) => {
    await stopAt('calling')
    const response = await fetch(url, init)
    await stopAt('called')
    return response
  },
  openSecrets: createKeyring([KEY]),
  clock: () => new Date(Number(now)),
  uptimeMs: () => performance.now(),
  random: () => 0.5,
  log: noLog,
  report: () => {},
}

process.on('disconnect', () => process.exit())
void work([dispatch(deps)], noLog, new Promise(() => {}))
