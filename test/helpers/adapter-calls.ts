import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Act, Adapter, OnNetwork, PublishedFile, Sent } from '../../src/platforms/contract/adapter.ts'
import type { Credentials, Io, Json } from '../../src/platforms/contract/io.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import type { FakeNetwork } from '../networks/fakes/network.ts'

export const TOKEN = '0b0e7c4e-6d0f-4b6d-9a53-1f6a2e0f9c11'

/** A post with a text; `act` overrides its parts. */
export function actOf(act: Partial<Act> = {}): Act {
  return {
    accountId: '01920000-0000-7000-8000-00000000000a',
    kind: 'post',
    postType: 'post',
    text: 'A lighthouse at dusk',
    media: [],
    fields: {},
    parent: null,
    root: null,
    token: TOKEN,
    startedAt: new Date(),
    ...act,
  }
}

/** The files that networks can fetch, by their addresses. */
const PUBLIC_FILES = new Map<string, PublishedFile>()

/** Downloads a file from its public address, as a network does. */
export async function download(url: string): Promise<{ status: number; type: string; bytes: Buffer }> {
  const file = PUBLIC_FILES.get(url)
  if (!file) return { status: 404, type: 'application/json', bytes: Buffer.from('{}') }
  return { status: 200, type: file.mimeType, bytes: Buffer.concat(await (await file.open()).toArray()) }
}

/** A file with the content `content`. */
export function fileOf(
  mimeType: string,
  { content = 'bytes', ...file }: Partial<PublishedFile> & { content?: string } = {},
): PublishedFile {
  const kind = mimeType === 'image/gif' ? 'gif' : mimeType.startsWith('video/') ? 'video' : 'image'
  const published: PublishedFile = {
    id: '01920000-0000-7000-8000-000000000001',
    kind,
    mimeType,
    bytes: Buffer.byteLength(content),
    width: 640,
    height: 480,
    durationSeconds: kind === 'video' ? 4.6 : null,
    altText: null,
    open: async () => Readable.from([Buffer.from(content)]),
    publicUrl: () => {
      const url = new URL(`https://postroom.example/files/${randomUUID()}`)
      PUBLIC_FILES.set(url.href, published)
      return url
    },
    ...file,
  }
  return published
}

/** Hooks into an attempt. */
interface CallOptions {
  /** Called where the engine commits the intent. */
  intend?: () => Promise<void>
  /** Called each time that `prepare` returns `later`. */
  pause?: (ms: number) => unknown
}

/** Carries an act out like the engine: prepares until it is ready, commits the intent, publishes. */
export async function carryOut<P extends Json>(
  adapter: Adapter<P>,
  act: Act,
  io: Io & Pick<CallOptions, 'intend' | 'pause'>,
): Promise<Sent> {
  let saved: P | null = null
  for (;;) {
    const prepared: Awaited<ReturnType<Adapter<P>['prepare']>> = await adapter.prepare(act, io, saved)
    if ('later' in prepared) {
      saved = JSON.parse(JSON.stringify(prepared.later.state))
      await io.pause?.(prepared.later.afterMs)
      continue
    }
    await io.intend?.()
    const sent = await adapter.publish(act, io, JSON.parse(JSON.stringify(prepared.ready)))
    return 'processing' in sent ? awaitProcessed(adapter, act, io, sent.processing.state) : sent
  }
}

/** The error of an act that is out, and has no id. */
export const ID_UNKNOWN = 'the id of the act is unknown'

/** The error of an act that the network does not finish. */
export const STILL_PROCESSING = 'the network is still processing the act'

/** Queries the network until it has processed the act. */
export async function awaitProcessed<P extends Json>(
  adapter: Adapter<P>,
  act: Act,
  io: Io & Pick<CallOptions, 'pause'>,
  state: P,
): Promise<Sent> {
  let saved = state
  for (let looks = 0; looks < 20; looks++) {
    const found = await adapter.reconcile!(act, io, JSON.parse(JSON.stringify(saved)))
    if (typeof found === 'string' || 'rejected' in found) throw new Error(`processed: ${JSON.stringify(found)}`)
    if (!('processing' in found)) {
      if (found.id === null) throw new Error(ID_UNKNOWN)
      return found
    }
    saved = found.processing.state
    await io.pause?.(found.processing.afterMs)
  }
  throw new Error(STILL_PROCESSING)
}

export type ContractIo = Omit<Io, 'credentials'> & Pick<CallOptions, 'intend' | 'pause'>

/** The `io` of a call to a fake network, whose log also gets the intent. */
export const ioOf = (fake: FakeNetwork, options: Partial<ContractIo> = {}): ContractIo => ({
  fetch: fake.fetch,
  signal: new AbortController().signal,
  intend: async () => {
    fake.log.push('intend')
  },
  ...options,
})

/** The methods of an adapter, with credentials and `io` as separate arguments. */
export function clientOf<P extends Json>(adapter: Adapter<P>) {
  return {
    identify: (credentials: Credentials, io: Omit<Io, 'credentials'>) => adapter.identify({ ...io, credentials }),
    send: (act: Act, credentials: Credentials, io: ContractIo) => carryOut(adapter, act, { ...io, credentials }),
    reconcile: (act: Act, credentials: Credentials, io: Omit<Io, 'credentials'>, ready: unknown = null) =>
      adapter.reconcile!(act, { ...io, credentials }, ready as P),
    remove: (published: OnNetwork, credentials: Credentials, io: Omit<Io, 'credentials'>) =>
      adapter.remove!(published, { ...io, credentials }),
    edit: (act: Act, published: OnNetwork, credentials: Credentials, io: Omit<Io, 'credentials'>) =>
      adapter.edit!(act, published, { ...io, credentials }),
  }
}

/** An act that was published, as the engine gives it to an adapter. */
export const publishedOf = (
  { accountId, kind, postType, media, fields, startedAt }: Act,
  sent: Sent,
  published: Partial<OnNetwork> = {},
): OnNetwork => ({
  ...sent,
  accountId,
  kind,
  postType,
  publishedAt: startedAt,
  fileCount: media.length,
  fields,
  ...published,
})

/** The PublishError that a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<PublishError> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof PublishError)) throw new Error('not a PublishError', { cause: error })
  return error
}
