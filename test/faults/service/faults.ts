import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { TcpProxy } from '../../helpers/tcp-proxy.ts'
import { until } from '../../helpers/until.ts'
import type { Kind } from './protocol.ts'
import { type Api, MAX_CONNECTIONS, type Postgres } from './targets.ts'

export const between = (least: number, most: number) => least + Math.random() * (most - least)

/** Backends of the API. */
const API_BACKENDS = `from pg_stat_activity where application_name = 'postroom serve' and datname = 'postroom'`

/** Functions that cause a fault of each kind, and return when it is over. */
export function createFaults(postgres: Postgres, api: Api, link: TcpProxy): Record<Kind, () => Promise<number>> {
  const pauseAndReturn = async (least: number, most: number, end: () => unknown) => {
    await sleep(between(least, most))
    await end()
    return Date.now()
  }
  return {
    'backend killed': () => postgres.restartedBy(killBackend),
    'Postgres killed': () => postgres.restartedBy(() => postgres.signal('SIGKILL')),
    'API killed': () => api.restart(postgres.url),
    'both killed': async () => {
      const restarted = postgres.restartedBy(() => postgres.signal('SIGKILL'))
      return Math.max(...(await Promise.all([restarted, api.restart(postgres.url)])))
    },
    'Postgres suspended': async () => {
      postgres.signal('SIGSTOP')
      await pauseAndReturn(500, 2_000, () => postgres.signal('SIGCONT'))
      return postgres.untilAccepting()
    },
    'table locked': async () => {
      const client = await postgres.openClient()
      await client.query('begin')
      await client.query('lock table posts in access exclusive mode')
      return pauseAndReturn(300, 1_500, () => client.end())
    },
    'connections taken': async () => {
      await takeConnections(postgres, between(300, 1_200))
      return Date.now()
    },
    'link slow': () => {
      link.delay(between(20, 500))
      return pauseAndReturn(300, 1_000, link.restore)
    },
    'link reset': async () => {
      link.reset()
      return Date.now()
    },
    'link silent': () => {
      link.dropAll()
      return pauseAndReturn(50, 1_500, link.restore)
    },
  }
}

/** Kills one backend of the API. It may end by itself between the query and the signal. */
const killBackend = (client: pg.Client) =>
  until('a backend of the API is killed', async () => {
    const { rows } = await client.query<{ pid: number }>(`select pid ${API_BACKENDS} order by random() limit 1`)
    try {
      return rows[0] && process.kill(rows[0].pid, 'SIGKILL')
    } catch {
      return false
    }
  })

/** Terminates the API's backends and takes their place, again and again. */
async function takeConnections({ openClient }: Postgres, ms: number): Promise<void> {
  const admin = await openClient()
  const taken: pg.Client[] = []
  const end = performance.now() + ms
  while (performance.now() < end) {
    await admin.query(`select pg_terminate_backend(pid) ${API_BACKENDS}`)
    const opened = await Promise.allSettled(Array.from({ length: MAX_CONNECTIONS - taken.length }, openClient))
    taken.push(...opened.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])))
  }
  await Promise.all([admin, ...taken].map((client) => client.end()))
}
