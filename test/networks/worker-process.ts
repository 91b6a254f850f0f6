import { connect } from '../../db/client.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { createPublisher } from '../../src/engine/delivery/publisher.ts'
import { logSettled } from '../../src/engine/delivery/settled.ts'
import { createNetworks } from '../../src/platforms/adapters.ts'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import { noJournal } from '../helpers/journal.ts'
import { noLog } from '../helpers/log-record.ts'
import { beforePrepare } from '../helpers/scripted-network.ts'
import { loopbackFetch } from './pds.ts'

/**
 * The moment at which the worker stops, with the text of the act. `begin`: earlier acts are committed, this one has not
 * begun. `call`: its intent is committed, its call not sent. `response`: the server has carried out the call.
 */
export type Moment = `${'begin' | 'call' | 'response'} ${string}`

export interface WorkerOptions {
  databaseUrl: string
  mediaDir: string
  /** The key of the keyring, in Base64. */
  key: string
  /** The time of its clock, in ISO 8601. */
  now: string
  moment: Moment
}

/** Carries out due deliveries up to `moment`. There it tells the parent, and waits to be killed. */
const { databaseUrl, mediaDir, key, now, moment }: WorkerOptions = JSON.parse(process.argv[2]!)

async function reach(reached: Moment): Promise<void> {
  if (reached !== moment) return
  process.send!(reached)
  await new Promise(() => {})
}

const watchedFetch: typeof fetch = async (url, init) => {
  const { record } = typeof init?.body === 'string' ? JSON.parse(init.body) : {}
  if (record) await reach(`call ${record.text}`)
  const response = await loopbackFetch(url, init)
  if (record) await reach(`response ${record.text}`)
  return response
}

const db = connect({ url: databaseUrl })
const keyring = createKeyring([Buffer.from(key, 'base64')])
const publisher = createPublisher({
  db,
  networks: {
    ...createNetworks(sandboxStore(db)),
    bluesky: beforePrepare(blueskyAdapter, (act) => reach(`begin ${act.text}`)),
  },
  storage: folderStorage(mediaDir),
  addressOf: () => null,
  journal: noJournal,
  openCredentials: keyring.open,
  sealCredentials: keyring.seal,
  fetch: watchedFetch,
  latenessMaxMs: 86_400_000,
  attemptsKeptMs: null,
  clock: () => new Date(now),
  uptimeMs: () => performance.now(),
  pause: async () => {},
  log: noLog,
  report: logSettled(noLog),
  reportChange: () => {},
})

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
await publisher.claim()
await publisher.idle()
process.exit()
