import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Credentials, Io } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { object, TEXT } from '../wire/answer.ts'
import { Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { DID, isPrivate, serverIn } from './identity.ts'
import { xrpc } from './xrpc.ts'

export interface Session {
  did: string
  /** Origin of the account's server. */
  server: string
  token: string
  /** The key that the token is bound to; undefined in a session of a password. */
  dpopKey?: string | undefined
}

/**
 * Sessions by their credentials. An account may open 300 a day
 * (https://docs.bsky.app/docs/advanced-guides/rate-limits), fewer than a busy account has posts and comments. A session
 * lasts two hours. Opening a new one then takes 12 a day, and no code to refresh old ones.
 */
const sessions = new LRUCache<string, Session>({ max: 1_000 })

const keyOf = ({ service, identifier, password }: Credentials) =>
  createHash('sha256')
    .update(JSON.stringify([service, identifier, password]))
    .digest('base64')

/** The session that is open for a password; it may have expired. */
export const findSession = ({ credentials }: Io): Session | undefined => sessions.get(keyOf(credentials))

/** The session of an account that was connected by OAuth; undefined for credentials with a password. */
export function oauthSession({ credentials }: Io): Session | undefined {
  const { did, server, accessToken: token, dpopKey } = credentials
  return did && server && token && dpopKey ? { did, server, token, dpopKey } : undefined
}

// https://docs.bsky.app/docs/api/com-atproto-server-create-session
export async function openSession(io: Io): Promise<Session & { handle: string; origin: string }> {
  const { credentials } = io
  const { service = 'https://bsky.social', identifier, password } = credentials
  const origin = URL.parse(service)?.origin
  if (!origin || !isPrivate(origin))
    throw unauthorized('service has to be the https:// address of a Bluesky server, such as https://bsky.social')
  const key = keyOf(credentials)
  sessions.delete(key)
  const response = await xrpc(io, origin, 'com.atproto.server.createSession', {
    json: { identifier, password },
    answer: object({ did: TEXT, handle: TEXT, accessJwt: TEXT }),
  }).catch((error) => {
    // A refusal of this call concerns the credentials, which include the address of the server.
    throw error instanceof Refused ? unauthorized(error.message) : error
  })
  const [did, handle, token] = ['did', 'handle', 'accessJwt'].map((name) => textAt(response, name))
  if (!did || !DID.test(did) || !handle || !token) throw unexpected(URL.parse(origin)!.host, false)
  // An entryway such as bsky.social signs in for many servers, and names the account's own.
  const server = serverIn(at(response, 'didDoc')) ?? origin
  if (!isPrivate(server))
    throw unauthorized(`${URL.parse(server)!.host}: the server of the account has to have an https:// address`)
  const session = { did, handle, token, server, origin }
  sessions.set(key, session)
  return session
}
