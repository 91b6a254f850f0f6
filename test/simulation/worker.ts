import type { Db } from '../../db/client.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { createPublisher } from '../../src/engine/delivery/publisher.ts'
import { logSettled } from '../../src/engine/delivery/settled.ts'
import { indexPosts } from '../../src/features/posts/index-posts.ts'
import type { Send } from '../../src/features/webhooks/send.ts'
import type { Task } from '../../src/run/worker/loop.ts'
import { publish } from '../../src/run/worker/publish.ts'
import { change, dispatch, indexWords, number, readMetrics, refresh, renewFacts } from '../../src/run/worker/tasks.ts'
import type { World } from '../helpers/app.ts'
import { noJournal } from '../helpers/journal.ts'
import { now } from './clock.ts'

interface WorkerDeps {
  db: Db
  fetch: typeof fetch
  send: Send
  /** Whether it reads the numbers of posts, which takes most steps of a day. */
  readsNumbers: boolean
  tell(what: string): void
}

const REFRESH_CALL_MAX_MS = 25_000

/** The tasks of a worker, on its own view of the database and of networks. */
export function createTasks({ keyring, networks }: Pick<World, 'keyring' | 'networks'>, deps: WorkerDeps): Task[] {
  const { db, fetch, send, readsNumbers, tell } = deps
  const log = {
    info: () => {},
    warn: (_facts: object, message: string) => tell(message),
    error: ({ err }: { err?: Error }, message: string) => tell(err ? `${message}: ${err.message}` : message),
  }
  const time = {
    clock: () => null,
    uptimeMs: now,
    pause: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
  }
  const context = { db, networks, keyring, fetch, log, ...time }
  const secrets = { openCredentials: keyring.open, sealCredentials: keyring.seal }
  const publisher = createPublisher({
    ...context,
    ...secrets,
    storage: { read: () => Promise.reject(new Error('there are no files')) },
    addressOf: () => null,
    journal: noJournal,
    latenessMaxMs: 86_400_000,
    attemptsKeptMs: null,
    report: logSettled(log),
    reportChange: () => {},
  })
  const reading = { ...context, ...secrets, platforms: [...PLATFORM_IDS], now }
  return [
    publish(publisher, log),
    change(publisher.changes),
    number({ db, report: () => {} }),
    indexWords(() => indexPosts(db)),
    refresh({ ...context, oauthApps: {}, callMaxMs: REFRESH_CALL_MAX_MS, report: () => {} }),
    renewFacts(context),
    dispatch({ ...context, send, openSecrets: keyring, random: Math.random, report: () => {} }),
    ...(readsNumbers ? [readMetrics(reading)] : []),
  ]
}
