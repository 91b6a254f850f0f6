import { connect } from '../../../db/client.ts'
import { createKeyring } from '../../../src/base/keyring/keyring.ts'
import { createSend } from '../../../src/features/webhooks/send.ts'
import { work } from '../../../src/run/worker/loop.ts'
import { dispatch } from '../../../src/run/worker/tasks.ts'
import { noLog } from '../../helpers/log-record.ts'
import { loopbackClient } from '../../webhooks/scene.ts'
import { type FromWorker, KEY, type Step } from './protocol.ts'

/** A worker that sends webhooks, and stops for ever at the nth time that it reaches a step. */
const [databaseUrl, now, step, nth] = process.argv.slice(2) as [string, string, Step, string]

const tell = (message: FromWorker) => process.send!(message)
let count = 0
async function stopAt(reached: Step): Promise<void> {
  if (reached !== step || ++count < Number(nth)) return
  tell({ type: 'reached' })
  await new Promise(() => {})
}

const send = createSend(loopbackClient().dispatcher)

const deps = {
  db: connect({ url: databaseUrl, poolMax: 2 }),
  send: async (...request: Parameters<typeof send>) => {
    await stopAt('calling')
    const exchange = await send(...request)
    await stopAt('called')
    return exchange
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
