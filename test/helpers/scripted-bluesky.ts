import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { blueskyAdapter } from '../../src/platforms/bluesky/adapter.ts'
import type { Act, PublishedFile } from '../../src/platforms/contract/adapter.ts'
import type { Credentials, Io } from '../../src/platforms/contract/io.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { actOf, type ContractIo, clientOf } from './adapter-calls.ts'

// Responses that a real server cannot be made to send. test/networks tests the rest on a real one.

export const { identify, send } = clientOf(blueskyAdapter)

export const DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
export const SERVER = 'https://pds.example'
export const METHODS = {
  session: 'com.atproto.server.createSession',
  describe: 'com.atproto.server.describeServer',
  put: 'com.atproto.repo.putRecord',
  get: 'com.atproto.repo.getRecord',
  blob: 'com.atproto.repo.uploadBlob',
  resolve: 'com.atproto.identity.resolveHandle',
  delegate: 'com.atproto.server.getServiceAuth',
  uploadVideo: 'app.bsky.video.uploadVideo',
  jobStatus: 'app.bsky.video.getJobStatus',
}

export type Responder = (request: { url: URL; init: RequestInit | undefined }) => Response | Promise<Response>

interface Call {
  origin: string
  method: string
  params: Record<string, string>
  authorization: string | null
  /** The JSON that was sent. */
  json: { record: Record<string, unknown> } & Record<string, unknown>
}

/** A network that accepts all credentials and records; `responders` replace its responses by method. */
export function scriptedBluesky(responders: Record<string, Responder>) {
  const calls: Call[] = []
  const defaults: Record<string, Responder> = {
    [METHODS.session]: () => Response.json({ did: DID, handle: 'alice.example', accessJwt: 'the session' }),
    [METHODS.describe]: () => Response.json({ error: 'MethodNotImplemented' }, { status: 501 }),
    [METHODS.put]: () => Response.json({ uri: `at://${DID}/app.bsky.feed.post/3k`, cid: 'bafy' }),
    [METHODS.delegate]: () => Response.json({ token: 'the delegate' }),
  }
  const fetch: Io['fetch'] = async (input, init) => {
    const url = new URL(String(input))
    const method = url.pathname.replace('/xrpc/', '')
    calls.push({
      origin: url.origin,
      method,
      params: Object.fromEntries(url.searchParams),
      authorization: new Headers(init?.headers).get('authorization'),
      json: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
    })
    return { ...defaults, ...responders }[method]!({ url, init })
  }
  const only = (method: string) => {
    const found = calls.filter((call) => call.method === method)
    if (found.length !== 1) throw new Error(`${method} was called ${found.length} times`)
    return found[0]!
  }
  return { fetch, calls, only }
}

const signal = new AbortController().signal

/** Credentials of another account each time, which has no session yet. */
export const newCredentials = (): Credentials => ({ service: SERVER, identifier: randomUUID(), password: 'abcd-efgh' })

export const act = (options: Partial<Act> = {}): Act => actOf({ text: 'Hello', token: randomUUID(), ...options })

export const io = (fetch: Io['fetch'], options: Partial<ContractIo> = {}): ContractIo => ({ fetch, signal, ...options })

export const video = (options: Partial<PublishedFile> = {}): PublishedFile => ({
  id: 'f00d',
  kind: 'video',
  mimeType: 'video/mp4',
  bytes: 6,
  width: 4,
  height: 3,
  durationSeconds: 1,
  altText: 'Bars',
  open: async () => Readable.from([Buffer.from('abc'), Buffer.from('def')]),
  publicUrl: () => null,
  ...options,
})

export async function failureOf(work: Promise<unknown>): Promise<PublishError> {
  try {
    await work
  } catch (error) {
    if (error instanceof PublishError) return error
    throw error
  }
  throw new Error('the call did not fail')
}

export const attempt = (responders: Record<string, Responder>, options: Partial<Act> = {}) =>
  failureOf(send(act(options), newCredentials(), io(scriptedBluesky(responders).fetch)))

export const refuse =
  (status: number, error: string, headers: Record<string, string> = {}): Responder =>
  () =>
    Response.json({ error, message: `It is ${error}` }, { status, headers })
