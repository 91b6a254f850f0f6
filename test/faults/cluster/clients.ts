import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The load that the clients generate. */
export interface Load {
  /** Base URL of the API, without a trailing slash. */
  url: string
  key: string
  /** Accounts on the sandbox, for posts that are due immediately. */
  sandboxes: string[]
  /** An account for drafts and posts in the future. */
  account: string
  clients: number
  log: string
}

/** A response that a client got, and when. */
export type Line = { at: number } & (
  | { type: 'created'; key: string; id: string; due: boolean; attempts: number }
  | { type: 'refused'; key: string; status: number }
  /** Status 0: no response. */
  | { type: 'failed'; key: string; status: number; ms: number; error: string }
  | { type: 'published'; id: string; externalId: string | null }
)

/** Pause between two posts of one client. */
const PAUSE_MS = 25
const BACKOFF_FIRST_MS = 50
const BACKOFF_MAX_MS = 500
const TIMEOUT_MS = 20_000
/** In each group of this many posts, one is due immediately, one in the future, and one is rejected. */
const KINDS = 8

let isRunning = true
process.on('disconnect', () => process.exit())
process.on('message', async (message: Load | 'stop') => {
  if (message === 'stop') {
    isRunning = false
    return
  }
  await Promise.all(Array.from({ length: message.clients }, (_, number) => work(message, number)))
  process.send!('done')
})

async function work(load: Load, client: number): Promise<void> {
  const due: string[] = []
  for (let number = 0; isRunning; number++) {
    const id = await create(load, `client ${client} post ${number}`, number % KINDS)
    if (id && number % KINDS === 0) due.push(id)
    if (due.length > 0 && number % KINDS === KINDS - 1 && (await checkPublished(load, due[0]!))) due.shift()
    await sleep(PAUSE_MS)
  }
}

/** Repeats a create with one Idempotency-Key until it succeeds or is rejected. Returns the id of the post. */
async function create(load: Load, key: string, kind: number): Promise<string | undefined> {
  const due = kind === 0
  const accountIds = [
    due ? load.sandboxes[Math.floor(Math.random() * load.sandboxes.length)] : kind === 2 ? UNKNOWN_ID : load.account,
  ]
  const scheduledAt = due ? new Date().toISOString() : kind === 1 ? '2040-01-01T00:00:00Z' : undefined
  const body = { accountIds, caption: key, scheduledAt }
  for (let attempts = 1; ; attempts++) {
    const sentAt = Date.now()
    const { status, text } = await send(load, 'POST', '/posts', body, { 'idempotency-key': key.replaceAll(' ', '-') })
    const at = Date.now()
    if (status === 201) {
      const { id } = JSON.parse(text) as { id: string }
      write(load, { at, type: 'created', key, id, due, attempts })
      return id
    }
    if (status >= 400 && status < 500) {
      write(load, { at, type: 'refused', key, status })
      return undefined
    }
    write(load, { at, type: 'failed', key, status, ms: at - sentAt, error: text.slice(0, 200) })
    const backoffMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** attempts)
    await sleep(backoffMs * (0.5 + Math.random() / 2))
  }
}

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000'

/** Returns whether the API shows a post as published, and logs it if so. */
async function checkPublished(load: Load, id: string): Promise<boolean> {
  const { status, text } = await send(load, 'GET', `/posts/${id}`)
  if (status !== 200) return false
  const post = JSON.parse(text) as { status: string; targets: { delivery: Delivery }[] }
  const { state, externalId } = post.targets[0]!.delivery
  if (state !== 'published') return false
  write(load, { at: Date.now(), type: 'published', id, externalId })
  return true
}

interface Delivery {
  state: string
  externalId: string | null
}

async function send({ url, key }: Load, method: string, path: string, body?: object, headers = {}) {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } }
    return { status: 0, text: cause?.code ?? message }
  }
}

/** Written synchronously, so that the log has every response. */
const write = ({ log }: Load, line: Line) => appendFileSync(log, `${JSON.stringify(line)}\n`)
