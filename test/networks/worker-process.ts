import { connect } from '../../db/client.ts'
import { createKeyring } from '../../src/credentials/keyring.ts'
import { createPublisher } from '../../src/delivery/publisher.ts'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import { folderStorage } from '../../src/storage/folder.ts'
import { noLog } from '../helpers/publisher.ts'
import { beforePrepare } from '../helpers/scripted-network.ts'
import { loopbackFetch } from './pds.ts'

/**
 * When the worker stands still, by the text of what it sends. `begin`: what came before is committed, and nothing of
 * this. `call`: the intent is committed, and the call not made. `answer`: the server has carried the call out.
 */
export type Moment = `${'begin' | 'call' | 'answer'} ${string}`

export interface Orders {
  databaseUrl: string
  mediaDir: string
  /** What credentials are sealed with, in Base64. */
  key: string
  /** What o'clock it is, in ISO 8601. */
  now: string
  moment: Moment
}

/** A publisher that carries out what is due, up to a moment: it tells the parent, and stands still until it is killed. */
const { databaseUrl, mediaDir, key, now, moment }: Orders = JSON.parse(process.argv[2]!)

async function reach(reached: Moment): Promise<void> {
  if (reached !== moment) return
  process.send!(reached)
  await new Promise(() => {})
}

const watchedFetch: typeof fetch = async (url, init) => {
  const { record } = typeof init?.body === 'string' ? JSON.parse(init.body) : {}
  if (record) await reach(`call ${record.text}`)
  const response = await loopbackFetch(url, init)
  if (record) await reach(`answer ${record.text}`)
  return response
}

const publisher = createPublisher({
  db: connect({ url: databaseUrl }),
  networks: {
    bluesky: beforePrepare(blueskyAdapter, (act) => reach(`begin ${act.text}`)),
  },
  storage: folderStorage(mediaDir),
  openCredentials: createKeyring([Buffer.from(key, 'base64')]).open,
  fetch: watchedFetch,
  latenessMaxMs: 86_400_000,
  clock: () => new Date(now),
  uptimeMs: () => performance.now(),
  pause: async () => {},
  log: noLog,
})

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
await publisher.claim()
await publisher.idle()
process.exit()
