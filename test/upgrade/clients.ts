import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** The responses that clients saw in a span of time. */
interface Seen {
  responses: number
  /** Different responses that are neither 2xx nor 503, and requests without a response. */
  failures: Set<string>
  /** The longest time in which every response was 503. */
  unavailableMs: number
}

export interface Clients {
  /** Sends requests to these URLs of the API in turn from now on. Resolves when the requests to others have ended. */
  use(urls: string[]): Promise<void>
  /** Captions of posts whose creation was acknowledged. */
  created: string[]
  /** Returns the responses since the last call. */
  take(): Seen
  stop(): Promise<void>
}

const CLIENTS = 4
/** Between two requests of one client: a load that leaves most of the machine to the workers. */
const PAUSE_MS = 20

/**
 * Clients that create and list posts. They repeat a failed creation with its Idempotency-Key, as the documentation
 * says.
 */
export function startClients(firstUrls: string[], key: string, accountIds: string[]): Clients {
  const stopping = new AbortController()
  const running = new Set<Promise<number>>()
  let urls = firstUrls
  let turn = 0
  let seen: Seen = emptySeen()
  let unavailableSince: number | undefined

  async function send(...request: Parameters<typeof call>): Promise<number> {
    const response = call(...request)
    running.add(response)
    return response.finally(() => running.delete(response))
  }

  async function call(method: 'GET' | 'POST', path: string, headers = {}, body?: object): Promise<number> {
    const url = urls[turn++ % urls.length]!
    const sentAt = performance.now()
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...headers },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      note(response.status, sentAt, `${method} ${path}: ${response.status} ${text.slice(0, 200)}`)
      return response.status
    } catch (error) {
      const { message, cause } = error as Error
      note(0, sentAt, `${method} ${path}: ${message} ${(cause as Error | undefined)?.message ?? ''}`)
      return 0
    }
  }

  function note(status: number, sentAt: number, description: string): void {
    seen.responses++
    if (status === 503) unavailableSince ??= sentAt
    else if (status < 200 || status > 299) seen.failures.add(description)
    else if (unavailableSince !== undefined) {
      seen.unavailableMs = Math.max(seen.unavailableMs, Math.round(performance.now() - unavailableSince))
      unavailableSince = undefined
    }
  }

  async function createPost(): Promise<void> {
    const caption = `Created-${randomUUID()}`
    const headers = { 'content-type': 'application/json', 'idempotency-key': caption }
    const accountId = accountIds[Math.floor(Math.random() * accountIds.length)]
    const body = { accountIds: [accountId], caption, scheduledAt: new Date().toISOString() }
    while ((await send('POST', '/posts', headers, body)) !== 201) {
      if (stopping.signal.aborted) return
      await sleep(PAUSE_MS)
    }
    clients.created.push(caption)
  }

  async function runClient(): Promise<void> {
    while (!stopping.signal.aborted) {
      await createPost()
      await send('GET', '/posts?limit=20')
      await sleep(PAUSE_MS)
    }
  }

  const clients: Clients = {
    async use(newUrls) {
      urls = newUrls
      await Promise.all(running)
    },
    created: [],
    take() {
      const taken = seen
      seen = emptySeen()
      return taken
    },
    async stop() {
      stopping.abort()
      await ended
    },
  }
  const ended = Promise.all(Array.from({ length: CLIENTS }, runClient))
  return clients
}

const emptySeen = (): Seen => ({ responses: 0, failures: new Set(), unavailableMs: 0 })
