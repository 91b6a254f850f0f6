import type { OAuthIo } from '../contract/oauth.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { list, object, TEXT } from '../wire/answer.ts'
import { callNetwork, type NetworkRules, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { reasonOf, type XrpcRequest, xrpc } from './xrpc.ts'

/** https://atproto.com/specs/did#at-protocol-did-identifier-syntax */
export const DID = /^did:[a-z]+:[\w.:%-]{1,2048}$/

/** https://atproto.com/specs/handle#handle-identifier-syntax */
export const HANDLE = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])?$/

/** Whether the connection is encrypted or local. Passwords and tokens go there. */
export const isPrivate = (origin: string) => /^https:\/\/|^http:\/\/(?:localhost|127\.0\.0\.1)(?::|$)/.test(origin)

/** An account by its DID document: https://atproto.com/specs/did#did-documents */
export interface Identity {
  did: string
  /** As the document claims, unless `resolveHandle` leads back to the DID. */
  handle: string | undefined
  /** Origin of the account's server (PDS). */
  server: string
}

/** The server that a DID document names. */
export function serverIn(didDocument: unknown): string | undefined {
  const services = at(didDocument, 'service')
  if (!Array.isArray(services)) return undefined
  const pds = services.find((service) => textAt(service, 'id')?.endsWith('#atproto_pds'))
  return URL.parse(textAt(pds, 'serviceEndpoint') ?? '')?.origin
}

/** The API for calls without an account: https://docs.bsky.app/docs/advanced-guides/api-directory */
export const PUBLIC_API = 'https://public.api.bsky.app'

/** https://web.plc.directory/spec/v0.1/did-plc */
const PLC_DIRECTORY = 'https://plc.directory'

/**
 * The DID of a handle; undefined if the server says that the handle does not exist.
 * https://docs.bsky.app/docs/api/com-atproto-identity-resolve-handle
 */
export async function resolveHandle(
  handle: string,
  host: string,
  call: (method: string, request: XrpcRequest) => Promise<unknown>,
): Promise<string | undefined> {
  try {
    const did = textAt(
      await call('com.atproto.identity.resolveHandle', { params: { handle }, answer: object({ did: TEXT }) }),
      'did',
    )
    if (!did || !DID.test(did)) throw unexpected(host, false)
    return did
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (NO_SUCH_HANDLE.includes(reasonOf(error) ?? '')) return undefined
    throw unexpected(host, false)
  }
}

/**
 * HandleNotFound by the lexicon, lexicons/com/atproto/identity/resolveHandle.json; InvalidRequest and InvalidHandle by
 * packages/pds/src/api/com/atproto/identity/resolveHandle.ts, both of https://github.com/bluesky-social/atproto.
 */
const NO_SUCH_HANDLE = ['HandleNotFound', 'InvalidRequest', 'InvalidHandle']

/**
 * The DID of a handle, from a service that also looks at DNS. Such a service is enough, since the DID document has to
 * name the handle: https://atproto.com/specs/oauth#identity-authentication
 */
export const resolvePublicHandle = (handle: string, io: OAuthIo) =>
  resolveHandle(handle, new URL(PUBLIC_API).host, (method, request) => xrpc(io, PUBLIC_API, method, request))

const RESPONSE_BYTES_MAX = 65_536

/** Reads a DID document, from the directory or from the domain that the DID names. */
export async function readIdentity(did: string, io: OAuthIo): Promise<Identity> {
  const url = documentUrlOf(did)
  if (!url) throw unauthorized(`Bluesky has no accounts with a DID like ${did}`)
  const rules: NetworkRules = {
    host: url.host,
    secrets: [],
    responseBytesMax: RESPONSE_BYTES_MAX,
    words: (body) => textAt(body, 'message'),
    errors: [],
  }
  const { body } = await callNetwork(rules, io, url, {
    headers: { accept: 'application/did+ld+json,application/json' },
    answer: object({ id: TEXT, service: list() }),
  })
  const server = serverIn(body)
  if (textAt(body, 'id') !== did || !server) throw unexpected(url.host, false)
  if (!isPrivate(server)) throw unauthorized(`${did}: the server of the account has to have an https:// address`)
  const names = at(body, 'alsoKnownAs')
  const name = Array.isArray(names)
    ? names.find((name) => typeof name === 'string' && name.startsWith('at://'))
    : undefined
  return { did, handle: name?.slice('at://'.length).toLowerCase(), server }
}

/** The methods that accounts may have: https://atproto.com/specs/did#blessed-did-methods */
function documentUrlOf(did: string): URL | undefined {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) return new URL(`/${did}`, PLC_DIRECTORY)
  const domain = did.startsWith('did:web:') ? did.slice('did:web:'.length) : ''
  return HANDLE.test(domain) ? new URL(`https://${domain}/.well-known/did.json`) : undefined
}
