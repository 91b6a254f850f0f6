import { createHash, createPrivateKey, generateKeyPairSync, type JsonWebKey, randomUUID, sign } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { OAuthIo } from '../contract/oauth.ts'
import { PublishError } from '../contract/publish-error.ts'
import {
  type CallOptions,
  callNetwork,
  type NetworkResponse,
  type NetworkRules,
  Refused,
} from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'

/*
 * DPoP (RFC 9449) binds tokens to a key: each call carries a proof, signed by the key for this call alone. oauth4webapi
 * could sign too, but would make the calls to a PDS itself, without the rules and limits of callNetwork.
 */

/** A private key for one session, as the JSON of its JWK. */
export function createDpopKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return JSON.stringify(privateKey.export({ format: 'jwk' }))
}

interface DpopProof {
  dpopKey: string
  /** The access token of the call; undefined if it has none. */
  token?: string | undefined
}

/** A server wants a proof with the nonce that it sent. Nothing was carried out. */
class NonceNeeded extends PublishError {
  constructor(host: string) {
    const message = `${host} asked for another DPoP nonce than the one it sent`
    super(message, { code: 'unreachable', maybeSent: false, retryable: true })
  }
}

/**
 * The latest nonces, by server and key. A server sends one with each response, and takes it for some minutes:
 * https://atproto.com/specs/oauth#demonstrating-proof-of-possession-dpop
 */
const nonces = new LRUCache<string, { nonce: string; at: number }>({ max: 1_000 })
const FRESH_MS = 60_000

const keyOf = ({ origin }: URL, { x }: JsonWebKey) => `${origin} ${x}`

/** Whether a call with this key will probably not be refused for its nonce. */
export function hasFreshNonce(url: URL, dpopKey: string): boolean {
  const known = nonces.get(keyOf(url, JSON.parse(dpopKey)))
  return known !== undefined && performance.now() - known.at < FRESH_MS
}

/** Calls a network with a proof. Throws as callNetwork does; if only the nonce is missing, an error for `withNonce`. */
export async function callWithProof(
  rules: NetworkRules,
  io: OAuthIo,
  url: URL,
  { dpopKey, token }: DpopProof,
  options: CallOptions,
): Promise<NetworkResponse> {
  const jwk: JsonWebKey = JSON.parse(dpopKey)
  const key = keyOf(url, jwk)
  const remember = (headers: Headers) => {
    const nonce = headers.get('dpop-nonce')
    if (nonce) nonces.set(key, { nonce, at: performance.now() })
  }
  const headers = {
    ...options.headers,
    ...(token !== undefined && { authorization: `DPoP ${token}` }),
    dpop: proofOf(jwk, options.method ?? 'GET', url, nonces.get(key)?.nonce, token),
  }
  try {
    const response = await callNetwork(rules, io, url, { ...options, headers })
    remember(response.headers)
    return response
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    remember(error.refusal.headers)
    throw needsNonce(error.refusal) ? new NonceNeeded(rules.host) : error
  }
}

/** The error of an authorization server, and of a PDS: RFC 9449, 8 and 9 */
const needsNonce = ({ body }: { body: unknown }) => textAt(body, 'error') === 'use_dpop_nonce'

/** Carries out `work`, and once more if a server asked for the nonce that it sent. */
export async function withNonce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NonceNeeded) return work()
    throw error
  }
}

/** RFC 9449, 4.2 */
function proofOf(privateJwk: JsonWebKey, method: string, url: URL, nonce: string | undefined, token?: string): string {
  const { d: _, ...jwk } = privateJwk
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: `${url.origin}${url.pathname}`,
    iat: Math.floor(Date.now() / 1000),
    ...(nonce !== undefined && { nonce }),
    ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
  }
  const parts = [{ typ: 'dpop+jwt', alg: 'ES256', jwk }, claims].map((part) => encode(JSON.stringify(part)))
  const key = createPrivateKey({ key: privateJwk, format: 'jwk' })
  const signature = sign('sha256', Buffer.from(parts.join('.')), { key, dsaEncoding: 'ieee-p1363' })
  return [...parts, signature.toString('base64url')].join('.')
}

const encode = (text: string) => Buffer.from(text).toString('base64url')
