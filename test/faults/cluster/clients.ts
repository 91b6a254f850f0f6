import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** What clients are told. */
export interface Load {
  /** Of the API, without a slash at its end. */
  url: string
  key: string
  /** Accounts that are published to at once. */
  sandboxes: string[]
  /** An account that nothing is sent to. */
  account: string
  clients: number
  log: string
}

/** What a client knows, with the time at which it got to know it. */
export type Line = { at: number } & (
  | { type: 'created'; key: string; id: string; due: boolean; attempts: number }
  | { type: 'refused'; key: string; status: number }
  /** 0 is no answer. */
  | { type: 'failed'; key: string; status: number; ms: number; error: string }
  | { type: 'published'; id: string; externalId: string | null }
)

/** Between two posts of one client. */
const PAUSE_MS = 25
const BACKOFF_FIRST_MS = 50
const BACKOFF_MAX_MS = 500
const TIMEOUT_MS = 20_000
/** Of so many posts, one is due at once, one later, and one may not be written. */
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
    if (due.length > 0 && number % KINDS === KINDS - 1 && (await look(load, due[0]!))) due.shift()
    await pause(PAUSE_MS)
  }
}

/** Tries as long as it takes, with one key, as the interface asks of clients. Gives the id, unless the post was refused. */
async function create(load: Load, key: string, kind: number): Promise<string | undefined> {
  const due = kind === 0
  const accountIds = [
    due ? load.sandboxes[Math.floor(Math.random() * load.sandboxes.length)] : kind === 2 ? STRANGE : load.account,
  ]
  const scheduledAt = due ? new Date().toISOString() : kind === 1 ? '2040-01-01T00:00:00Z' : undefined
  const body = { accountIds, caption: key, scheduledAt }
  for (let attempts = 1; ; attempts++) {
    const from = Date.now()
    const { status, text } = await ask(load, 'POST', '/posts', body, { 'idempotency-key': key.replaceAll(' ', '-') })
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
    write(load, { at, type: 'failed', key, status, ms: at - from, error: text.slice(0, 200) })
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** attempts)
    await pause(longest * (0.5 + Math.random() / 2))
  }
}

const STRANGE = '00000000-0000-7000-8000-000000000000'

/** Notes what the API says of a post that was due. Gives whether it says that it is published. */
async function look(load: Load, id: string): Promise<boolean> {
  const { status, text } = await ask(load, 'GET', `/posts/${id}`)
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

async function ask({ url, key }: Load, method: string, path: string, body?: object, headers = {}) {
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

/** At once and in one piece, so that what is known is on the disk before anything else happens. */
const write = ({ log }: Load, line: Line) => appendFileSync(log, `${JSON.stringify(line)}\n`)
