/**
 * A client of Postroom without dependencies: publishes a post on the sandbox account and shows what the account got.
 *
 *   make start                                                        prints a key
 *   POSTROOM_KEY=pr_… npx node test/examples/client.ts 'Hello'        in another terminal
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const API = process.env.POSTROOM_API ?? 'http://localhost:3000/api/v1'
const KEY = process.env.POSTROOM_KEY
const ATTEMPTS_MAX = 5
const REQUEST_TIMEOUT_MS = 30_000
const PUBLISH_TIMEOUT_MS = 60_000

interface Issue {
  code: string
  path: (string | number)[]
  message: string
}

interface Account {
  id: string
  platform: string
  username: string
}

interface Delivery {
  state: 'waiting' | 'queued' | 'publishing' | 'published' | 'failed' | 'unconfirmed' | 'missed'
  externalUrl: string | null
  error: { code: string; message: string } | null
}

interface Post {
  id: string
  status: 'draft' | 'scheduled' | 'published'
  targets: { platform: string; username: string; delivery: Delivery }[]
}

/** Any response that is not a success. `code` is for programs; `details` are there if the shape of the request was wrong. */
class ApiError extends Error {
  readonly status: number
  readonly code: string | null
  readonly details: Issue[]

  constructor({ status, headers }: Response, body: { error: string; details?: Issue[] }) {
    super(`${status} ${body.error}`)
    this.status = status
    this.code = headers.get('x-error-code')
    this.details = body.details ?? []
  }
}

interface Reply<T> {
  body: T
  isReplay: boolean
}

/**
 * Sends one request, and sends it again after growing pauses where the response was lost or is a 5xx. That is safe for
 * reads, and for a create under an Idempotency-Key: the service does it once and repeats the first response.
 */
async function call<T>(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Reply<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(`${API}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${KEY}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      })
      const json = await response.json()
      if (!response.ok) throw new ApiError(response, json as ConstructorParameters<typeof ApiError>[1])
      return { body: json as T, isReplay: response.headers.get('idempotent-replayed') === 'true' }
    } catch (error) {
      const isFinal = error instanceof ApiError && error.status < 500
      if (isFinal || attempt === ATTEMPTS_MAX) throw error
      print(`no success (${(error as Error).message}), trying again`)
      await sleep(200 * 2 ** attempt)
    }
  }
}

/** Polls a post until none of its deliveries changes any more by itself. */
async function waitUntilSettled(id: string): Promise<Post> {
  const deadline = Date.now() + PUBLISH_TIMEOUT_MS
  for (;;) {
    const { body: post } = await call<Post>('GET', `/posts/${id}`)
    const isSettled = post.targets.every(({ delivery }) => !['queued', 'publishing'].includes(delivery.state))
    if (isSettled) return post
    if (Date.now() > deadline) throw new Error(`post ${id} was not settled within ${PUBLISH_TIMEOUT_MS / 1000} s`)
    await sleep(500)
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`)

if (!KEY) {
  print('Set POSTROOM_KEY to an API key, such as the one that `make start` prints.')
  process.exit(2)
}

const caption = process.argv[2] ?? 'Hello from the TypeScript example'
const { body: accounts } = await call<{ data: Account[] }>('GET', '/accounts')
const sandbox = accounts.data.find(({ platform }) => platform === 'sandbox')
if (!sandbox) throw new Error('There is no sandbox account: connect one, as README.md shows')

// 1. A request of the wrong shape: each entry of `details` says where it is wrong.
try {
  await call('POST', '/posts', { caption, accountIds: sandbox.id })
} catch (error) {
  if (!(error instanceof ApiError) || error.status !== 400) throw error
  print(`${error.message} (${error.code})`)
  for (const { path, message } of error.details) print(`  ${path.join('.')}: ${message}`)
}

// 2. The right one. The key is made once for this post and kept with it: every repetition sends the same.
const post = { accountIds: [sandbox.id], caption, scheduledAt: new Date().toISOString() }
const idempotencyKey = randomUUID()
const { body: created } = await call<{ id: string }>('POST', '/posts', post, idempotencyKey)
print(`created ${created.id}`)
const repeated = await call<{ id: string }>('POST', '/posts', post, idempotencyKey)
print(`repeated ${repeated.body.id}, replayed: ${repeated.isReplay}`)

// 3. What became of it on each account.
const published = await waitUntilSettled(created.id)
print(`post is ${published.status}`)
for (const { platform, username, delivery } of published.targets) {
  print(`  ${platform} @${username}: ${delivery.state} ${delivery.error?.message ?? delivery.externalUrl ?? ''}`)
}

// 4. What the sandbox received, newest first. Real networks have no such list.
const { body: calls } = await call<{ data: { text: string; accepted: boolean }[] }>('GET', '/sandbox/calls?limit=1')
for (const { text, accepted } of calls.data) print(`the sandbox ${accepted ? 'accepted' : 'refused'} "${text}"`)
