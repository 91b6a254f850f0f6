import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import type { SandboxFault, SandboxFile } from '../../../schemas/sandbox.ts'
import type { Act, Adapter, PublishedFile, Sent } from '../contract/adapter.ts'
import { addressOf } from '../contract/changes.ts'
import type { Io } from '../contract/io.ts'
import { notFinishedInTime, unexpected, unreadable } from '../contract/publish-error.ts'
import type { SandboxStore } from '../contract/sandbox-store.ts'
import { textAt } from '../wire/json.ts'
import { contentOf } from '../wire/request-body.ts'
import { callSandbox } from './call.ts'
import { change } from './change.ts'
import { clientFor, HOST } from './client.ts'
import { sandboxContent } from './content.ts'
import { findFault } from './fault.ts'
import { sandboxOptions } from './options.ts'

const PROCESSING_MS = 5000

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
      const fault = await findFault('publish', { ...act, number }, store)
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
      const content = { kind: kind === 'comment' ? kind : ('post' as const), text, fields, media, parentId, number }
      const body = await callSandbox({ accountId, token, fault, ...content }, network, io, store)
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

    remove: async (published, io) => change('remove', '', published, io, store),

    async edit(act, published, io) {
      await change('edit', sandboxContent(act).text, published, io, store)
      return addressOf(published)
    },
  }
}

const numberOf = async ({ parent }: Act, store: SandboxStore) => (parent ? (await store.numberOf(parent.id)) + 1 : 1)

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
