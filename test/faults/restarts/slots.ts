import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect, type Db } from '../../../db/client.ts'
import { runService, type Service } from '../../helpers/command.ts'
import { createDatabase, type Teardown } from '../../helpers/database.ts'
import { freePorts } from '../../helpers/ports.ts'
import { blockedBackends, until } from '../../helpers/until.ts'
import { createPerson, type Person } from './client.ts'

/** The program's own use of the API of one process, which is killed and started again on its port. */
interface Killed {
  db: Db
  person: Person
  /** Repeats a request until it gets a response below 500. */
  call(method: string, path: string, body?: object, key?: string): Promise<Response>
  /** Kills the process with SIGKILL, and starts it again. */
  restart(): Promise<void>
}

interface Response {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several shapes
  body: any
}

export async function createKilled(t: Teardown): Promise<Killed> {
  const DATABASE_URL = await createDatabase(t)
  const [port] = (await freePorts(1)) as [number]
  const credentialsKey = randomBytes(32).toString('base64')
  const env = { DATABASE_URL, CREDENTIALS_KEY: credentialsKey, PORT: String(port), LOG_LEVEL: 'fatal' }
  const db = connect({ url: DATABASE_URL, poolMax: 2 })
  t.teardown(() => db.destroy())
  const person = await createPerson(DATABASE_URL)
  let service: Service = await runService('serve', env)
  t.teardown(() => service.stop('SIGKILL'))

  async function attempt(method: string, path: string, body?: object, key?: string): Promise<Response> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${person.key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }

  return {
    db,
    person,
    call: (method, path, body, key) =>
      until(
        `${method} ${path} gets a response`,
        () => attempt(method, path, body, key).catch(() => ({ status: 0, body: null })),
        { timeoutMs: 300_000, intervalMs: 50, isMet: ({ status }) => status > 0 && status < 500 },
      ),
    async restart() {
      await service.stop('SIGKILL')
      service = await runService('serve', env)
    },
  }
}

export interface Taken {
  kills: number
  /** How many requests have got each status, with the code of the error. */
  responses: Record<string, number>
  breaches: string[]
}

const SLOTS = 100
const REQUESTS = 200

/**
 * Sends 200 requests for the 100 slots of an account, a tenth of them at the front of its queue. The process of the API
 * is killed up to `count` times while transactions are under way.
 */
export async function takeSlots({ db, person, call, restart }: Killed, count: number): Promise<Taken> {
  const { accountId } = person
  await call('PUT', `/accounts/${accountId}/schedule`, hundredSlots())
  const { data } = (await call('GET', `/accounts/${accountId}/slots?limit=100`)).body
  const result: Taken = { kills: 0, responses: {}, breaches: [] }
  if (data.length !== SLOTS) result.breaches.push(`The schedule has ${data.length} slots`)
  const created = new Set<string>()
  let open = REQUESTS
  const requests = Array.from({ length: REQUESTS }, async (_, index) => {
    const queue = index % 10 === 0 ? 'front' : 'next'
    const post = { accountIds: [accountId], caption: `${index}`, schedule: { queue } }
    const { status, body } = await call('POST', '/posts', post, `post-${index}`)
    open--
    const outcome = status === 201 ? '201' : `${status} ${body.error}`.replace(/:.*/, '')
    result.responses[outcome] = (result.responses[outcome] ?? 0) + 1
    if (status === 201) created.add(body.id)
  })
  while (open > 0 && result.kills < count) {
    await withLockedSchedule(db, accountId, () => open)
    await sleep(Math.random() * 120)
    await restart()
    result.kills++
  }
  await Promise.all(requests)
  const { data: taken } = (await call('GET', `/accounts/${accountId}/slots?limit=100`)).body
  const posts = taken.map(({ postId }: { postId?: string }) => postId ?? 'none')
  if (new Set(posts).size !== SLOTS) result.breaches.push(`The slots have ${new Set(posts).size} posts`)
  const lost = [...created].filter((id) => !posts.includes(id))
  if (created.size !== SLOTS || lost.length > 0) {
    result.breaches.push(`${created.size} posts were acknowledged, and ${lost.length} of them have no slot`)
  }
  const stored = await db.selectFrom('posts').select('id').execute()
  if (stored.length !== SLOTS) result.breaches.push(`${stored.length} posts are stored`)
  return result
}

/** Holds the requests up until one of them waits for the schedule, so that a kill hits it at work. */
async function withLockedSchedule(db: Db, accountId: string, countOpen: () => number): Promise<void> {
  await db.transaction().execute(async (locking) => {
    await sql`select from account_schedules where account_id = ${accountId} for update`.execute(locking)
    await until('a request waits for the schedule', async () => countOpen() === 0 || (await blockedBackends(db)).length)
  })
}

/** A slot a day, half a day from now, on the next hundred days. */
function hundredSlots() {
  const start = Date.now() + 43_200_000
  const dates = Array.from({ length: 368 }, (_, day) => new Date(start + day * 86_400_000).toISOString())
  const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  return {
    timeZone: 'UTC',
    slots: weekdays.map((weekday) => ({ weekday, time: dates[0]!.slice(11, 16) })),
    skip: dates.slice(SLOTS).map((time) => time.slice(0, 10)),
  }
}
