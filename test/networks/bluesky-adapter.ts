import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import type { Act, PublishedFile } from '../../src/platforms/contract/adapter.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { actOf, type ContractIo, clientOf } from '../helpers/adapter-calls.ts'

export const { identify, send, reconcile } = clientOf(blueskyAdapter)

const signal = new AbortController().signal
export const network = { fetch, signal }

export const io = (options: Partial<ContractIo> = {}): ContractIo => ({ ...network, ...options })

export const act = (options: Partial<Act> = {}): Act => actOf({ text: 'Hello', token: randomUUID(), ...options })

export function fileOf(bytes: Buffer, options: Partial<PublishedFile> = {}): PublishedFile {
  return {
    id: randomUUID(),
    kind: 'image',
    mimeType: 'image/png',
    bytes: bytes.length,
    width: null,
    height: null,
    durationSeconds: null,
    altText: null,
    open: async () => Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]),
    publicUrl: () => null,
    ...options,
  }
}

export const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: width % 256, g: height % 256, b: 90 } } })
    .png()
    .toBuffer()

/** A `fetch` that records methods such as `com.atproto.repo.putRecord`, and may respond or fail in place of the PDS. */
export function recordingFetch(
  respond: (method: string, pass: () => Promise<Response>) => Promise<Response> = (_, pass) => pass(),
) {
  const methods: string[] = []
  const recording: typeof fetch = (url, init) => {
    const method = new URL(String(url)).pathname.replace('/xrpc/', '')
    methods.push(method)
    return respond(method, () => fetch(url, init))
  }
  return { fetch: recording, methods }
}

/** A `fetch` that carries out every call, and loses the response to one method. */
export const losingResponse = (lost: string) =>
  recordingFetch(async (method, pass) => {
    const response = await pass()
    if (method !== lost) return response
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
  })

export async function failureOf(work: Promise<unknown>): Promise<PublishError> {
  try {
    await work
  } catch (error) {
    if (error instanceof PublishError) return error
    throw error
  }
  throw new Error('Expected a PublishError, but the call succeeded')
}
