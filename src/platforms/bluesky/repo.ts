import { createHash } from 'node:crypto'
import type { Credentials, Io, PublishedFile } from '../adapter.ts'
import { callNetwork, type NetworkRules, Refused } from '../call-network.ts'
import { at, textAt } from '../json.ts'
import { PublishError, unauthorized, unexpected, withMaybeSent } from '../publish-error.ts'
import { fileBody } from '../request-body.ts'

export interface RecordRef {
  uri: string
  cid: string
}

/** A file on the network, in the form in which records refer to it. */
export type Blob = Readonly<Record<string, unknown>>

/** The repository of one account on its server (PDS). Every method throws a PublishError. */
export interface Repo {
  did: string
  handle: string
  /** Origin of the server. */
  server: string
  find(collection: string, rkey: string): Promise<(RecordRef & { value: unknown }) | undefined>
  /** Writes a record unless its key is taken. Returns the record under the key. */
  add(collection: string, rkey: string, record: object): Promise<RecordRef>
  upload(file: PublishedFile): Promise<Blob>
  /** The DID of a handle; undefined where the server says that the handle does not exist. */
  resolve(handle: string): Promise<string | undefined>
  /** A token with which another service may call `method` of this server for the account. */
  delegate(method: string, expiresAt: Date): Promise<string>
}

interface Session {
  did: string
  handle: string
  server: string
  token: string
}

/**
 * Sessions by their credentials. An account may open 300 a day
 * (https://docs.bsky.app/docs/advanced-guides/rate-limits), fewer than a busy account has posts and comments. A session
 * lasts two hours. Opening a new one then takes 12 a day, and no code to refresh old ones.
 */
const sessions = new Map<string, Session>()
const SESSIONS_MAX = 1000

const keyOf = ({ service, identifier, password }: Credentials) =>
  createHash('sha256')
    .update(JSON.stringify([service, identifier, password]))
    .digest('base64')

/** Opens a new session, which checks the credentials. */
export async function signIn(io: Io): Promise<Repo> {
  return repoOf(await openSession(io), io, { isFresh: true })
}

/** Uses the session that is open, or opens one. */
export async function openRepo(io: Io): Promise<Repo> {
  const session = sessions.get(keyOf(io.credentials))
  return session ? repoOf(session, io, { isFresh: false }) : signIn(io)
}

// https://docs.bsky.app/docs/api/com-atproto-server-create-session
async function openSession(io: Io): Promise<Session> {
  const { credentials } = io
  const { service = 'https://bsky.social', identifier, password } = credentials
  const origin = URL.parse(service)?.origin
  if (!origin || !isPrivate(origin)) throw unauthorized('service has to be an https:// address')
  const key = keyOf(credentials)
  sessions.delete(key)
  const answer = await xrpc(io, origin, 'com.atproto.server.createSession', {
    json: { identifier, password },
  }).catch((error) => {
    // A refusal of this call concerns the credentials, which include the address of the server.
    throw error instanceof Refused ? unauthorized(error.message) : error
  })
  const [did, handle, token] = ['did', 'handle', 'accessJwt'].map((name) => textAt(answer, name))
  if (!did || !DID.test(did) || !handle || !token) throw unexpected(URL.parse(origin)!.host, false)
  // An entryway such as bsky.social signs in for many servers, and names the account's own.
  const server = serverIn(at(answer, 'didDoc')) ?? origin
  if (!isPrivate(server)) throw unauthorized(`${URL.parse(server)!.host} is not called without TLS`)
  const session = { did, handle, token, server }
  if (sessions.size >= SESSIONS_MAX) sessions.delete(sessions.keys().next().value!)
  sessions.set(key, session)
  return session
}

/** Whether the connection is encrypted or local. Passwords and tokens go there. */
const isPrivate = (origin: string) => /^https:\/\/|^http:\/\/(?:localhost|127\.0\.0\.1)(?::|$)/.test(origin)

/** https://atproto.com/specs/did#did-documents */
function serverIn(didDocument: unknown): string | undefined {
  const services = at(didDocument, 'service')
  if (!Array.isArray(services)) return undefined
  const pds = services.find((service) => textAt(service, 'id')?.endsWith('#atproto_pds'))
  return URL.parse(textAt(pds, 'serviceEndpoint') ?? '')?.origin
}

function repoOf(first: Session, io: Io, { isFresh }: { isFresh: boolean }): Repo {
  let session = first
  let mayBeStale = !isFresh

  /** Calls with the session. Where it has expired or was revoked, calls once more with a new one. */
  async function call(method: string, request: XrpcRequest): Promise<unknown> {
    try {
      return await xrpc(io, session.server, method, { ...request, token: session.token })
    } catch (error) {
      if (!mayBeStale || !(error instanceof PublishError) || !error.needsAttention) throw error
      mayBeStale = false
      session = await openSession(io)
      return xrpc(io, session.server, method, { ...request, token: session.token })
    }
  }

  const { did, handle, server } = first
  const { host } = new URL(server)

  const refIn = (answer: unknown, visible: boolean): RecordRef => {
    const [uri, cid] = [textAt(answer, 'uri'), textAt(answer, 'cid')]
    if (!uri || !cid || !RECORD_URI.test(uri) || !CID.test(cid)) throw unexpected(host, visible)
    return { uri, cid }
  }

  // https://docs.bsky.app/docs/api/com-atproto-repo-get-record
  async function find(collection: string, rkey: string) {
    try {
      const answer = await call('com.atproto.repo.getRecord', { params: { repo: did, collection, rkey } })
      return { ...refIn(answer, false), value: at(answer, 'value') }
    } catch (error) {
      if (reasonOf(error) === 'RecordNotFound') return undefined
      throw error
    }
  }

  /*
   * https://docs.bsky.app/docs/api/com-atproto-repo-put-record: `swapRecord: null` demands that the key is free. Where it
   * is taken, a PDS sends 200 and changes nothing if the record is the same, and InvalidSwap if it differs. Without
   * `swapRecord` it would overwrite the record. createRecord and applyWrites send 500 for a taken key, which looks like a
   * server in trouble.
   */
  async function add(collection: string, rkey: string, record: object) {
    try {
      const json = { repo: did, collection, rkey, record, swapRecord: null }
      return refIn(await call('com.atproto.repo.putRecord', { json, visible: true }), true)
    } catch (error) {
      if (reasonOf(error) !== 'InvalidSwap') throw error
      const existing = await find(collection, rkey).catch((error) => {
        throw error instanceof PublishError ? withMaybeSent(error, true) : error
      })
      if (!existing) throw error
      return existing
    }
  }

  return {
    did,
    handle,
    server,
    find,
    add,
    // https://docs.bsky.app/docs/api/com-atproto-repo-upload-blob: the server removes a blob without a record by itself.
    upload: async (file) => {
      const blob = at(await call('com.atproto.repo.uploadBlob', { file }), 'blob')
      if (!blob) throw unexpected(host, false)
      return blob as Blob
    },
    // https://docs.bsky.app/docs/api/com-atproto-identity-resolve-handle
    resolve: async (handle) => {
      try {
        const did = textAt(await call('com.atproto.identity.resolveHandle', { params: { handle } }), 'did')
        if (!did || !DID.test(did)) throw unexpected(host, false)
        return did
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        if (NO_SUCH_HANDLE.includes(reasonOf(error) ?? '')) return undefined
        throw unexpected(host, false)
      }
    },
    // https://docs.bsky.app/docs/api/com-atproto-server-get-service-auth
    delegate: async (method, expiresAt) => {
      const exp = String(Math.floor(expiresAt.getTime() / 1000))
      const params = { aud: `did:web:${host}`, lxm: method, exp }
      const token = textAt(await call('com.atproto.server.getServiceAuth', { params }), 'token')
      if (!token) throw unexpected(host, false)
      return token
    },
  }
}

/** Checked, since anyone can run a server: pages show these values as addresses. https://atproto.com/specs/at-uri-scheme */
const RECORD_URI = /^at:\/\/[\w.:%-]{1,2048}\/[\w.-]{1,317}\/[\w.~:-]{1,512}$/
const CID = /^\w{1,256}$/
/** https://atproto.com/specs/did#at-protocol-did-identifier-syntax */
const DID = /^did:[a-z]+:[\w.:%-]{1,2048}$/

/**
 * HandleNotFound by the lexicon, lexicons/com/atproto/identity/resolveHandle.json; InvalidRequest and InvalidHandle by
 * packages/pds/src/api/com/atproto/identity/resolveHandle.ts, both of https://github.com/bluesky-social/atproto.
 */
const NO_SUCH_HANDLE = ['HandleNotFound', 'InvalidRequest', 'InvalidHandle']

interface XrpcRequest {
  token?: string
  params?: Record<string, string>
  json?: object
  /** Sent as the whole body. */
  file?: PublishedFile
  /** Whether readers see what this call does, so that a lost response leaves its outcome open. */
  visible?: boolean
  /** Error statuses that this call takes for a success. */
  accept?: readonly number[]
}

/** The name of the error (https://atproto.com/specs/xrpc#error-responses) with which a server refused a call. */
const reasonOf = (error: unknown) => (error instanceof Refused ? textAt(error.refusal.body, 'error') : undefined)

/** Errors that a PDS sends with status 400 for an expired session. It sends 401 and 403 for other missing rights. */
const STALE = ['ExpiredToken', 'InvalidToken']

/** A record has at most 1 MB. */
const RESPONSE_BYTES_MAX = 2_000_000

/**
 * Makes one call (https://atproto.com/specs/xrpc) and returns the JSON of its response. Without the AtpAgent of
 * @atproto/api, which takes 65 MB and half a second to load, and then 1 MB and 8 ms for every account.
 */
export async function xrpc(
  io: Pick<Io, 'fetch' | 'signal'>,
  server: string,
  method: string,
  { token, params, json, file, visible = false, accept }: XrpcRequest,
): Promise<unknown> {
  const url = new URL(`/xrpc/${method}`, server)
  for (const [name, value] of Object.entries(params ?? {})) url.searchParams.set(name, value)
  const secrets = [token, textAt(json, 'password')].filter((secret) => secret !== undefined)
  const body = json ?? (file && fileBody(file))
  const response = await callNetwork(rulesOf(url.host, secrets), io, url, {
    method: body ? 'POST' : 'GET',
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
    ...(body && { body }),
    visible,
    ...(accept && { accept }),
  })
  if (response.body === undefined) throw unexpected(url.host, visible)
  return response.body
}

const rulesOf = (host: string, secrets: readonly string[]): NetworkRules => ({
  host,
  secrets,
  responseBytesMax: RESPONSE_BYTES_MAX,
  words: (body) => textAt(body, 'message') || textAt(body, 'error') || undefined,
  isUnauthorized: ({ status, body }) => status === 401 || status === 403 || STALE.includes(textAt(body, 'error') ?? ''),
  // RateLimit-Reset is in seconds since 1970 (https://docs.bsky.app/docs/advanced-guides/rate-limits).
  retryAfterMs: ({ status, headers }) => {
    const resetAt = Number(headers.get('ratelimit-reset')) * 1000
    const isNeeded = status === 429 && !headers.has('retry-after') && resetAt > 0
    return isNeeded ? Math.max(0, resetAt - Date.now()) : undefined
  },
})
