import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import type { SandboxFault, SandboxFile } from '../../../schemas/sandbox.ts'
import type { Act, Adapter, PublishedFile, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { notFinishedInTime, unexpected, unreadable } from '../contract/publish-error.ts'
import type { SandboxStore } from '../contract/sandbox-store.ts'
import { callNetwork } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { contentOf } from '../wire/request-body.ts'
import { clientFor, HOST } from './client.ts'
import { sandboxContent } from './content.ts'
import { sandboxOptions } from './options.ts'

const PROCESSING_MS = 5000

interface Behaviour {
  accepted: boolean
  /** Absent if no response comes. */
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

type Prepared = {
  media: SandboxFile[]
  /** The number of the act. */
  number: number
  fault: SandboxFault | null
}

/** A network that is a table of our own database. */
export function createSandboxAdapter(store: SandboxStore): Adapter<Prepared> {
  return {
    // Repeated calls are not recognised by their token, so that a call that is sent twice shows as two posts.
    guarantee: 'reconcilable',
    // A batch of calls is a few statements on our own database. test/bench/README.md compares 256 with 1,000.
    concurrency: 1000,

    options: sandboxOptions,

    async identify(io) {
      const { username } = clientFor(io)
      return { externalId: username, username, displayName: io.credentials.displayName || null }
    },

    async prepare(act, io, saved) {
      clientFor(io)
      // Read here, since an error of the store after the intent would leave open whether the act was sent.
      const number = await numberOf(act, store)
      const fault = await faultOf(act, number, store)
      if (saved) return { ready: { ...saved, number, fault } }
      const media: SandboxFile[] = []
      const { altTexts } = sandboxContent(act)
      for (const [index, file] of act.media.entries()) media.push(await receive(file, altTexts[index], io))
      const state = { media, number, fault }
      const afterMs = fault === 'slow_media' ? media.length * PROCESSING_MS : 0
      return afterMs > 0 ? { later: { state, afterMs } } : { ready: state }
    },

    async publish(act, io, { media, number, fault }) {
      const network = clientFor(io)
      const { accountId, token, kind, fields } = act
      const { text } = sandboxContent(act)
      const parentId = act.parent?.id ?? null
      const { accepted, status, headers } = fault ? FAULTS[fault] : WORKING
      const respond = async () => {
        io.signal.throwIfAborted()
        const content = { kind: kind === 'comment' ? kind : ('post' as const), text, fields, media, parentId, number }
        const id = await store.keep({ accountId, token, accepted, fault, ...content })
        // The call fails without a delay: waiting for the timeout would show nothing more.
        if (!status) throw new DOMException('No response', 'TimeoutError')
        return Response.json({ id, error: `fields.fault is ${fault}` }, { status, ...(headers && { headers }) })
      }
      // Through callNetwork, so that faults have the same meaning as on every network.
      const { body } = await callNetwork(network, { fetch: respond, signal: io.signal }, `https://${HOST}/posts`, {
        method: 'POST',
        visible: true,
      })
      const id = textAt(body, 'id')
      if (id === undefined) throw unexpected(HOST, true)
      return sentOf(id)
    },

    async reconcile({ token }, io) {
      clientFor(io)
      const found = await store.findAccepted({ token })
      if (!found) return 'absent'
      return found.fault === 'unknown' ? 'unknown' : sentOf(found.id)
    },
  }
}

const numberOf = async ({ parent }: Act, store: SandboxStore) => (parent ? (await store.numberOf(parent.id)) + 1 : 1)

/** The fault that this call gets; null if it works. */
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
async function receive(file: PublishedFile, altText: string | undefined, { signal }: Io): Promise<SandboxFile> {
  const { id, kind, mimeType, bytes } = file
  const hash = createHash('sha256')
  try {
    const open = async () => addAbortSignal(signal, await file.open())
    for await (const chunk of contentOf({ ...file, open })) hash.update(chunk)
  } catch (error) {
    throw signal.aborted ? notFinishedInTime(`${HOST} was still receiving a file of the post`) : unreadable(error)
  }
  return { id, kind, mimeType, bytes, sha256: hash.digest('hex'), altText: altText ?? null }
}

const sentOf = (id: string): Sent => ({ id, url: `https://${HOST}/posts/${id}` })
