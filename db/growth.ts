import type pg from 'pg'
import { ConnectProblem } from './connect-problem.ts'
import type { Server } from './connection.ts'
import { QUERY_READ_TIMEOUT } from './unavailable.ts'

/** Keeps a pool at the connections that it gets, where the server or a pooler gives it fewer than it may open. */
export interface Growth {
  /** A new connection was refused, or had no first response. */
  refused(error: Error): void
  /** The error in place of one of a caller that has got no connection; undefined if the server refuses none. */
  explain(error: unknown): ConnectProblem | undefined
  /** Undefined while the pool may open as many connections as were asked for. */
  shortage(): ConnectProblem | undefined
  stop(): void
}

/** The pause before the pool tries whether there is another connection, if callers wait for one. */
const RETRY_MS = 10_000
const REPORT_MS = 60_000

const MEND =
  'Lower DATABASE_POOL_MAX of all processes until their sum fits, raise the limit of the server or the pool, or use a pooler in transaction mode.'

/** `report` is called at most once a minute. */
export function limitGrowth(pool: pg.Pool, server: Server, report?: (line: string) => void): Growth {
  const { max } = pool.options
  let timer: NodeJS.Timeout | undefined
  let refusedAt = Number.NEGATIVE_INFINITY
  /** The first late response since a new connection last responded in time. */
  let firstLateAt: number | undefined
  let reportedAt = Number.NEGATIVE_INFINITY

  const problem = () =>
    server.open > 0
      ? `the database or its pooler gives this process ${server.open} of the ${max} connections that it may open`
      : 'the database or its pooler gives this process no connection: others have them all'

  /** By itself, because the caller for whom the pool opens a connection would wait for it in vain. */
  function grow(): void {
    clearTimeout(timer)
    timer = undefined
    if (pool.options.max >= max) return
    if (pool.waitingCount > 0 && pool.idleCount === 0) {
      pool.options.max++
      pool.connect((error, client) => {
        client?.release()
        if (error) growth.refused(error)
        else grow()
      })
    } else timer = setTimeout(grow, RETRY_MS).unref()
  }

  // Some may open after others were refused.
  pool.on('connect', () => {
    firstLateAt = undefined
    pool.options.max = Math.max(pool.options.max, server.open)
  })

  const growth: Growth = {
    refused(error) {
      const now = performance.now()
      // The first one has to be opened for a caller.
      pool.options.max = Math.max(1, server.open)
      timer ??= setTimeout(grow, RETRY_MS).unref()
      if (error.message === QUERY_READ_TIMEOUT) {
        firstLateAt ??= now
        // A slow server is silent as well, but not each time while the open connections serve.
        if (server.open > 0 && now - firstLateAt < RETRY_MS) return
      }
      refusedAt = now
      if (now - reportedAt < REPORT_MS) return
      reportedAt = now
      report?.(`${problem().replace(/^t/, 'T')}. ${MEND}`)
    },
    explain: (error) =>
      performance.now() - refusedAt < RETRY_MS ? new ConnectProblem(problem(), MEND, error) : undefined,
    shortage: () => (pool.options.max < max ? new ConnectProblem(problem(), MEND, undefined) : undefined),
    stop: () => clearTimeout(timer),
  }
  return growth
}
