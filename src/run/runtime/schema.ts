import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../../db/client.ts'
import { readSchema, tooNewMessage } from '../../../db/migrate.ts'
import { OperatorError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'

/** A newer version may migrate at any time. Its contracting migrations come a release after the code that they need. */
const CHECK_EVERY_MS = 10_000
/** Until the schema serves this code. */
const RETRY_MS = 1_000

export interface SchemaWatch {
  /** Resolves when the schema serves this code. */
  ready: Promise<void>
  /** Resolves with the reason when the schema serves newer code alone: this process has to stop. */
  tooNew: Promise<OperatorError>
  stop(): void
}

/** Checks the schema from now on, and logs when it begins or ceases to serve this code. */
export function watchSchema(db: Db, log: Log): SchemaWatch {
  const ready = Promise.withResolvers<void>()
  const tooNew = Promise.withResolvers<OperatorError>()
  const stopping = new AbortController()
  const { signal } = stopping

  async function watch(): Promise<void> {
    for (let last: Seen | undefined; !signal.aborted; ) {
      const seen = await look(db)
      if (signal.aborted) return
      if (seen.state === 'too_new') return tooNew.resolve(new OperatorError(seen.problem))
      if (seen.state === 'ready') ready.resolve()
      // Once the schema was ready, requests and claims report a database that is away.
      const isKnown = seen.state === last?.state || (seen.state === 'unreadable' && last?.state === 'ready')
      if (!isKnown) {
        report(seen, last)
        last = seen
      }
      await pause(seen.state === 'ready' ? CHECK_EVERY_MS : RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }

  function report(seen: Seen, last: Seen | undefined): void {
    if (seen.state !== 'ready') log.error(seen.details, seen.problem)
    else if (last) log.info({}, 'the schema of the database is ready')
  }

  void watch()
  return { ready: ready.promise, tooNew: tooNew.promise, stop: () => stopping.abort() }
}

type Seen = { state: 'ready' } | { state: 'outdated' | 'too_new' | 'unreadable'; problem: string; details: object }

async function look(db: Db): Promise<Seen> {
  try {
    const { state, version, pending, pendingFunctions, servesFrom } = await readSchema(db)
    if (state === 'ready') return { state }
    const details = { version, pending, pendingFunctions }
    if (state === 'too_new') return { state, problem: tooNewMessage(version, servesFrom!), details }
    return { state, problem: 'the schema of the database is outdated: run `postroom migrate`', details }
  } catch (err) {
    return { state: 'unreadable', problem: 'the schema of the database cannot be read', details: { err } }
  }
}
