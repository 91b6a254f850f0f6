import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '../../../schemas/event.ts'

/** A user whose events are followed. */
export interface Person {
  userId: string
  key: string
  accountIds: string[]
  /** The ids of posts whose creation was acknowledged. */
  created: string[]
}

/** A program that follows all users. */
export interface Program {
  userId: null
  key: string
}

export type Seen = Pick<Event, 'id' | 'type' | 'position'>

/** A program that reads all events of a person, or of all users. */
export interface Follower {
  person: Person | Program
  /** Every event of every page that it got, in this order. */
  seen: Seen[]
}

export interface Counts {
  /** How many responses clients got, by status; 0 is a broken connection. */
  responses: Record<string, number>
  breaches: string[]
}

const TIMEOUT_MS = 60_000
const BACKOFF_MS = 100
/** Between two posts of a person. */
const PAUSE_MS = 150
const WAIT_SECONDS = 5

/** Reads events page by page, as the documentation tells: the next request has the cursor of the last complete page. */
export async function follow(
  url: string,
  { person, seen }: Follower,
  counts: Counts,
  signal: AbortSignal,
): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const path = `/events?limit=100&wait=${WAIT_SECONDS}${person.userId === null ? '&allUsers=true' : ''}${after}`
    const { status, body } = await repeat(counts, () => send(url, person.key, 'GET', path))
    if (status !== 200) {
      counts.breaches.push(`${path} got ${status}: ${JSON.stringify(body)}`)
      return
    }
    const { data, nextCursor } = body as { data: Event[]; nextCursor: string }
    seen.push(...data.map(({ id, type, position }) => ({ id, type, position })))
    after = `&after=${nextCursor}`
  }
}

/** Creates posts that are due immediately, for one to three accounts. Each is repeated until it is acknowledged. */
export async function createPosts(url: string, person: Person, counts: Counts, signal: AbortSignal): Promise<void> {
  const { accountIds, key, created } = person
  for (let number = 0; !signal.aborted; number++) {
    const chosen = Array.from(
      { length: 1 + (number % 3) },
      (_, index) => accountIds[(number + index) % accountIds.length],
    )
    const post = { accountIds: chosen, caption: `Post ${number}`, scheduledAt: new Date().toISOString() }
    const headers = { 'idempotency-key': randomUUID() }
    const { status, body } = await repeat(counts, () => send(url, key, 'POST', '/posts', post, headers))
    if (status !== 201) {
      counts.breaches.push(`A post got ${status}: ${JSON.stringify(body)}`)
      return
    }
    created.push((body as { id: string }).id)
    await sleep(PAUSE_MS)
  }
}

/** Repeats a request while its response is 503 or its connection breaks. */
async function repeat(counts: Counts, request: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await request()
    counts.responses[reply.status] = (counts.responses[reply.status] ?? 0) + 1
    if (reply.status !== 503 && reply.status !== 0) return reply
    await sleep(BACKOFF_MS)
  }
}

interface Reply {
  status: number
  body: unknown
}

/** Returns the status 0 if the connection broke before the whole response had arrived. */
export async function send(
  url: string,
  key: string,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Reply> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { status: response.status, body: await response.json() }
  } catch (error) {
    return { status: 0, body: (error as Error).message }
  }
}
