import { createHash } from 'node:crypto'
import { type Credentials, type Io, PublishError, type PublishedFile, retryAfterMs, unanswered } from '../adapter.ts'
import { at, parse, passing, readText, textAt, unauthorized, unexpected, unreadable } from '../call-network.ts'

export interface RecordRef {
  uri: string
  cid: string
}

/** A file on the network, as records refer to it. */
export type Blob = Readonly<Record<string, unknown>>

/** The repository of one account on the server (PDS) that keeps it. Every method throws a PublishError. */
export interface Repo {
  did: string
  handle: string
  /** Origin of the server. */
  server: string
  find(collection: string, rkey: string): Promise<(RecordRef & { value: unknown }) | undefined>
  /** Writes a record unless there is one under its key. Gives the one that stands there afterwards. */
  add(collection: string, rkey: string, record: object): Promise<RecordRef>
  upload(file: PublishedFile): Promise<Blob>
  /** The DID of a handle; undefined where the server says that nobody has it. */
  resolve(handle: string): Promise<string | undefined>
  /** A token by which another service may call `method` of this server in the account's name. */
  delegate(method: string, expiresAt: Date): Promise<string>
}

type Network = Pick<Io, 'fetch' | 'signal'>

interface Session {
  did: string
  handle: string
  server: string
  token: string
}

/**
 * Sessions by their credentials. An account may open 300 a day
 * (https://docs.bsky.app/docs/advanced-guides/rate-limits), fewer than a busy one has posts and comments. One serves for
 * two hours: to open a new one then costs 12 a day, and spares the refreshing of old ones.
 */
const sessions = new Map<string, Session>()
const SESSIONS_MAX = 1000

const keyOf = ({ service, identifier, password }: Credentials) =>
  createHash('sha256')
    .update(JSON.stringify([service, identifier, password]))
    .digest('base64')

/** Opens a new session, and so asks whether the credentials hold today. */
export async function signIn(credentials: Credentials, network: Network): Promise<Repo> {
  return repoOf(await openSession(credentials, network), credentials, network, { isFresh: true })
}

/** Goes on with the session that there is, or opens one. */
export async function openRepo(credentials: Credentials, network: Network): Promise<Repo> {
  const session = sessions.get(keyOf(credentials))
  return session ? repoOf(session, credentials, network, { isFresh: false }) : signIn(credentials, network)
}

// https://docs.bsky.app/docs/api/com-atproto-server-create-session
async function openSession(credentials: Credentials, network: Network): Promise<Session> {
  const { service = 'https://bsky.social', identifier, password } = credentials
  const origin = URL.parse(service)?.origin
  if (!origin || !isPrivate(origin)) throw unauthorized('service has to be an https:// address')
  const key = keyOf(credentials)
  sessions.delete(key)
  const answer = await xrpc(network, origin, 'com.atproto.server.createSession', {
    json: { identifier, password },
  }).catch((error) => {
    // Whatever is wrong with this call is wrong with the credentials, the address of the server included.
    throw error instanceof Refused ? unauthorized(error.message) : error
  })
  const [did, handle, token] = ['did', 'handle', 'accessJwt'].map((name) => textAt(answer, name))
  if (!did || !DID.test(did) || !handle || !token) throw unexpected(URL.parse(origin)!.host, false)
  // An entryway such as bsky.social signs in for many servers, and names the one that keeps the account.
  const server = serverIn(at(answer, 'didDoc')) ?? origin
  if (!isPrivate(server)) throw unauthorized(`${URL.parse(server)!.host} is not called without TLS`)
  const session = { did, handle, token, server }
  if (sessions.size >= SESSIONS_MAX) sessions.delete(sessions.keys().next().value!)
  sessions.set(key, session)
  return session
}

/** Whether nobody on the way can read along: passwords and tokens are sent there. */
const isPrivate = (origin: string) => /^https:\/\/|^http:\/\/(?:localhost|127\.0\.0\.1)(?::|$)/.test(origin)

/** https://atproto.com/specs/did#did-documents */
function serverIn(didDocument: unknown): string | undefined {
  const services = at(didDocument, 'service')
  if (!Array.isArray(services)) return undefined
  const pds = services.find((service) => textAt(service, 'id')?.endsWith('#atproto_pds'))
  return URL.parse(textAt(pds, 'serviceEndpoint') ?? '')?.origin
}

function repoOf(first: Session, credentials: Credentials, network: Network, { isFresh }: { isFresh: boolean }): Repo {
  let session = first
  let mayBeStale = !isFresh

  /** Calls with the session, and where that has expired or was revoked once more with a new one. */
  async function call(method: string, request: XrpcRequest): Promise<unknown> {
    try {
      return await xrpc(network, session.server, method, { ...request, token: session.token })
    } catch (error) {
      if (!mayBeStale || !(error instanceof PublishError) || !error.needsAttention) throw error
      mayBeStale = false
      session = await openSession(credentials, network)
      return xrpc(network, session.server, method, { ...request, token: session.token })
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
      if (error instanceof Refused && error.reason === 'RecordNotFound') return undefined
      throw error
    }
  }

  /*
   * https://docs.bsky.app/docs/api/com-atproto-repo-put-record: by `swapRecord: null` there must be no record yet. Where
   * there is one, a PDS answers 200 and changes nothing if it is the same, and InvalidSwap if it is another. Without
   * `swapRecord` it would overwrite the other. createRecord and applyWrites answer 500 to a key that is taken, which
   * nobody can tell from a server in trouble.
   */
  async function add(collection: string, rkey: string, record: object) {
    try {
      const json = { repo: did, collection, rkey, record, swapRecord: null }
      return refIn(await call('com.atproto.repo.putRecord', { json, visible: true }), true)
    } catch (error) {
      if (!(error instanceof Refused) || error.reason !== 'InvalidSwap') throw error
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
    // https://docs.bsky.app/docs/api/com-atproto-repo-upload-blob: a blob that no record refers to goes away by itself.
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
        if (NO_SUCH_HANDLE.includes(error.reason ?? '')) return undefined
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

/** Anybody can run a server: what it says goes into addresses, and the address into pages. https://atproto.com/specs/at-uri-scheme */
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
  /** The body as it is, read anew for each attempt. */
  file?: PublishedFile
  /** Whether people see what this call does, so that a lost answer leaves it open. */
  visible?: boolean
}

/** A 4xx about what was sent, with the error's name (https://atproto.com/specs/xrpc#error-responses). */
class Refused extends PublishError {
  readonly reason: string | undefined

  constructor(message: string, reason: string | undefined) {
    super(message, { code: 'content_refused', maybeSent: false, retryable: false })
    this.reason = reason
  }
}

/**
 * Makes one call (https://atproto.com/specs/xrpc) and gives the JSON of its answer. Not through the AtpAgent of
 * @atproto/api, which takes 65 MB and half a second to load, and then 1 MB and 8 ms for every account.
 */
export async function xrpc(
  { fetch, signal }: Network,
  server: string,
  method: string,
  { token, params, json, file, visible = false }: XrpcRequest,
): Promise<unknown> {
  // What is given up before it begins is not sent.
  const isOver = signal.aborted
  const url = new URL(`/xrpc/${method}`, server)
  for (const [name, value] of Object.entries(params ?? {})) url.searchParams.set(name, value)
  let isUnreadable = false
  async function* bytesOf(file: PublishedFile) {
    let left = file.bytes
    try {
      for await (const chunk of await file.open()) {
        left -= chunk.length
        if (left < 0) break
        yield chunk
      }
      if (left !== 0) throw new Error('a file is not as long as it was')
    } catch (error) {
      isUnreadable = true
      throw error
    }
  }
  let response: Response | undefined
  let text: string
  try {
    response = await fetch(url, {
      method: json || file ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(json && { 'content-type': 'application/json' }),
        ...(file && { 'content-type': file.mimeType, 'content-length': String(file.bytes) }),
      },
      ...(json && { body: JSON.stringify(json) }),
      // Streamed, so that a video is never in memory.
      ...(file && { body: ReadableStream.from(bytesOf(file)), duplex: 'half' }),
      signal,
      // A redirected POST would become a GET, and carry the credentials to another host.
      redirect: 'manual',
    })
    text = await readText(response, ANSWER_BYTES_MAX)
  } catch (error) {
    if (isUnreadable) throw unreadable()
    // A refusal is one without its words, too.
    if (!response || response.ok || response.status >= 500) {
      const lost = unanswered(error, url.host)
      throw withMaybeSent(lost, lost.maybeSent && visible && !isOver)
    }
    text = ''
  }
  const answer = parse(text)
  // The video service says 409 of a file that it has already, and which job that was.
  if (response.status === 409) return answer
  if (!response.ok) {
    const secrets = [token, textAt(json, 'password')].filter((secret) => secret !== undefined)
    const words = textAt(answer, 'message') || textAt(answer, 'error') || `it answered ${response.status}`
    const said = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), words)
    throw refusal(response, textAt(answer, 'error'), { host: url.host, said, visible })
  }
  if (answer === undefined) throw unexpected(url.host, visible)
  return answer
}

/** What a PDS says, with 400, of a session that is over; with 401 and 403, of all else that is wrong with who calls. */
const STALE = ['ExpiredToken', 'InvalidToken']

function refusal(
  { status, headers }: Response,
  reason: string | undefined,
  { host, said, visible }: { host: string; said: string; visible: boolean },
): PublishError {
  const message = `${host}: ${said}`
  if (status === 429) {
    // RateLimit-Reset is in seconds since 1970 (https://docs.bsky.app/docs/advanced-guides/rate-limits).
    const resetAt = Number(headers.get('ratelimit-reset')) * 1000
    const wait = retryAfterMs(headers) ?? (resetAt ? Math.max(0, resetAt - Date.now()) : undefined)
    const later = wait === undefined ? {} : { retryAfterMs: wait }
    return new PublishError(message, { code: 'rate_limited', maybeSent: false, retryable: true, ...later })
  }
  if (status >= 500) {
    return new PublishError(message, { code: 'server_error', maybeSent: visible, retryable: true })
  }
  const isUnauthorized = status === 401 || status === 403 || STALE.includes(reason ?? '')
  const onTheWay = passing(host, { status, headers }, reason && said)
  return onTheWay ?? (isUnauthorized ? unauthorized(message) : new Refused(message, reason))
}

/** The same failure, at another place of the way. */
export function withMaybeSent(
  { message, code, retryable, needsAttention, retryAfterMs }: PublishError,
  maybeSent: boolean,
) {
  const later = retryAfterMs === undefined ? {} : { retryAfterMs }
  return new PublishError(message, { code, maybeSent, retryable, needsAttention, ...later })
}

/** A record has 1 MB at most; the server is one that a user names. */
const ANSWER_BYTES_MAX = 2_000_000
