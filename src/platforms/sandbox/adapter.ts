import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { SandboxCall, SandboxFault, SandboxFile } from '../../../schemas/sandbox.ts'
import {
  type Act,
  type Credentials,
  type Io,
  PublishError,
  type PublishedFile,
  type Publishing,
  type Sent,
} from '../adapter.ts'
import { call, cut, exactly, type Network, textAt, unauthorized, unexpected, unreadable } from '../call-network.ts'

/** A call as it is kept. */
export interface ReceivedCall extends Omit<SandboxCall, 'id' | 'receivedAt'> {
  token: string
  /** Of the act: 1 is the post or the first part of the thread, then its other parts, then the first comment. */
  number: number
}

/** Where the sandbox keeps what it is sent: every call, also a second one for the same act. */
export interface SandboxStore {
  /** Gives the id of the call. */
  keep(received: ReceivedCall): Promise<string>
  /** How many calls for the act had this fault. */
  countFaults(act: { token: string; fault: SandboxFault }): Promise<number>
  /** The number of the act that a call was for; 0 where there is no such call. */
  numberOf(id: string): Promise<number>
  /** The newest call that was accepted for the act. */
  findAccepted(act: { token: string }): Promise<{ id: string; fault: SandboxFault | null } | undefined>
}

// https://www.rfc-editor.org/rfc/rfc6761#section-6.4: it leads nowhere, and never will.
const HOST = 'sandbox.invalid'

// As X takes it: `altText` of its catalogue.
const ALT_TEXT_LENGTH_MAX = 1000

const PROCESSING_MS = 5000

interface Behaviour {
  accepted: boolean
  /** None where no answer comes. */
  status?: number
  headers?: Record<string, string>
}

const WORKING: Behaviour = { accepted: true, status: 201 }

const FAULTS: Record<SandboxFault, Behaviour> = {
  rate_limited: { accepted: false, status: 429, headers: { 'retry-after': '5' } },
  server_error: { accepted: false, status: 500 },
  server_error_after: { accepted: true, status: 500 },
  timeout_after: { accepted: true },
  unknown: { accepted: true },
  expired_token: { accepted: false, status: 401 },
  content_refused: { accepted: false, status: 422 },
  slow_media: WORKING,
}

/** A network that is only a table. `pause` waits that many milliseconds while a file is being processed. */
export function publishToSandbox(store: SandboxStore, pause: typeof setTimeout = setTimeout): Publishing {
  return {
    // It could tell a repeated call by its token, and does not: whoever sends twice is to see two posts.
    guarantee: 'reconcilable',
    // Each batch of them is a few statements of ours, and nobody else's work.
    concurrency: 256,

    async identify(credentials) {
      const { username } = connect(credentials)
      return { externalId: username, username, displayName: credentials.displayName || null }
    },

    async send(act, credentials, io) {
      const network = connect(credentials)
      const { accountId, token, kind, text, fields } = act
      const parentId = act.parent?.id ?? null
      const number = parentId === null ? 1 : (await store.numberOf(parentId)) + 1
      const fault = await faultOf(act, number, store)
      const media: SandboxFile[] = []
      for (const file of act.media) {
        media.push(await receive(file, act, io))
        if (fault === 'slow_media') await processFile(pause, io)
      }

      const { accepted, status, headers } = fault ? FAULTS[fault] : WORKING
      const answer = async () => {
        io.signal.throwIfAborted()
        const content = { kind, text, fields, media, parentId, number }
        const id = await store.keep({ accountId, token, accepted, fault, ...content })
        // At once: nothing is learnt from waiting until the delivery has to be given up.
        if (!status) throw new DOMException('No answer', 'TimeoutError')
        return Response.json({ id, error: `${fault}, as fields.fault has it` }, { status, ...(headers && { headers }) })
      }
      await io.intend()
      // The way to every network, so that its faults mean what theirs do.
      const { body } = await call(network, { fetch: answer, signal: io.signal }, `https://${HOST}/posts`, {
        method: 'POST',
        visible: true,
      })
      const id = textAt(body, 'id')
      if (id === undefined) throw unexpected(HOST, true)
      return sentOf(id)
    },

    async reconcile({ token }, credentials) {
      connect(credentials)
      const found = await store.findAccepted({ token })
      if (!found) return 'absent'
      return found.fault === 'unknown' ? 'unknown' : sentOf(found.id)
    },
  }
}

function connect({ username = '', token }: Credentials): Network & { username: string } {
  if (!/^[\w.-]{1,64}$/.test(username)) {
    throw unauthorized('username has to be 1 to 64 letters, digits, underscores, full stops and hyphens')
  }
  if (token === 'expired') throw unauthorized(`${HOST}: the token has expired`)
  return {
    username,
    host: HOST,
    secrets: [],
    words: (body) => textAt(body, 'error'),
    isUnauthorized: ({ status }) => status === 401,
  }
}

/** What is to go wrong with this call; null where it is to work. */
async function faultOf({ token, fields }: Act, number: number, store: SandboxStore): Promise<SandboxFault | null> {
  const {
    fault,
    faultTimes = 1,
    faultAct = 1,
  } = fields as {
    fault?: SandboxFault
    faultTimes?: number
    faultAct?: number
  }
  if (!fault || number !== faultAct) return null
  if (fault === 'slow_media') return fault
  return (await store.countFaults({ token, fault })) < faultTimes ? fault : null
}

/** Reads a file to its end. */
async function receive(file: PublishedFile, { fields }: Act, { signal }: Pick<Io, 'signal'>): Promise<SandboxFile> {
  const { id, kind, mimeType, bytes } = file
  const hash = createHash('sha256')
  try {
    const open = async () => addAbortSignal(signal, await file.open())
    for await (const chunk of exactly({ ...file, open })) hash.update(chunk)
  } catch {
    throw signal.aborted ? tooLate() : unreadable()
  }
  // A file's own description, or else the one that the override has for all.
  const altText = file.altText ?? textAt(fields, 'altText')
  return {
    id,
    kind,
    mimeType,
    bytes,
    sha256: hash.digest('hex'),
    altText: altText ? cut(altText, ALT_TEXT_LENGTH_MAX) : null,
  }
}

async function processFile(pause: typeof setTimeout, { signal }: Pick<Io, 'signal'>): Promise<void> {
  try {
    await pause(PROCESSING_MS, undefined, { signal })
  } catch {
    throw tooLate()
  }
}

const tooLate = () =>
  new PublishError(`${HOST} was still being sent a file of the post`, {
    code: 'timeout',
    maybeSent: false,
    retryable: true,
  })

const sentOf = (id: string): Sent => ({ id, url: `https://${HOST}/posts/${id}` })
