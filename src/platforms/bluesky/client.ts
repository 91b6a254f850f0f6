import { createECDH, createHash } from 'node:crypto'
import type { OAuthApp } from '../contract/oauth.ts'
import { PublishError } from '../contract/publish-error.ts'

/**
 * Posts, who may reply to them, files, and the token with which the video service stores a video on the account's
 * server. Nothing else of the account can be changed or read: https://atproto.com/specs/permission
 */
export const SCOPES = [
  'atproto',
  'repo:app.bsky.feed.post',
  'repo:app.bsky.feed.threadgate',
  'blob:image/*',
  'blob:video/*',
  'rpc:com.atproto.repo.uploadBlob?aud=*',
]

/** The client id of a service without a public address: https://atproto.com/specs/oauth#localhost-client-development */
const LOOPBACK = 'http://localhost'

/** The path of the document that servers read about the service. */
export const METADATA_PATH = '/oauth/client-metadata.json'

/**
 * Servers know the client by the address of a document that the service serves, or, on the user's own machine, as
 * `http://localhost`: https://atproto.com/specs/oauth#clients
 */
export function clientAt(publicUrl = LOOPBACK, key?: string): OAuthApp | undefined {
  const { protocol, hostname, port, href } = new URL(publicUrl)
  if (protocol === 'https:' && port === '') {
    return { clientId: `${href.replace(/\/$/, '')}${METADATA_PATH}`, clientSecret: key ?? null }
  }
  const isLocal = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return isLocal ? { clientId: LOOPBACK, clientSecret: null } : undefined
}

/** The redirect URI as servers take it: a loopback client has to name its address, not `localhost`. */
export const loopbackRedirectUri = (redirectUri: string) =>
  redirectUri.replace(/^http:\/\/localhost(?=[:/])/, 'http://127.0.0.1')

/** The client id that is sent. That of a loopback client contains its metadata. */
export function clientIdOf({ clientId }: OAuthApp, redirectUri: string, scopes: readonly string[]): string {
  if (clientId !== LOOPBACK) return clientId
  const url = new URL(redirectUri)
  // Servers ignore the port.
  url.port = ''
  return `${LOOPBACK}?${new URLSearchParams({ redirect_uri: url.href, scope: scopes.join(' ') })}`
}

/** The operator has to act. The account may still be fine, so its tokens are kept. */
export const wrongKey = (message: string) =>
  new PublishError(message, { code: 'content_refused', maybeSent: false, retryable: false })

/** A key with which the client signs assertions (RFC 7523). */
interface ClientKey {
  kid: string
  /** The private key. */
  jwk: { kty: 'EC'; crv: 'P-256'; x: string; y: string; d: string }
}

/**
 * The keys of an app, the current one first: its secret has the private keys, 32 bytes each in base64, separated by
 * commas. Empty for a public client.
 */
export function clientKeysOf({ clientSecret }: OAuthApp): ClientKey[] {
  return clientSecret === null ? [] : clientSecret.split(',').map((text) => parseKey(text.trim()))
}

function parseKey(text: string): ClientKey {
  const pair = createECDH('prime256v1')
  try {
    if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) throw new Error('not a key')
    pair.setPrivateKey(text, 'base64')
  } catch {
    throw wrongKey('The secret of the app for Bluesky has to be a key, as `openssl rand -base64 32` prints them')
  }
  const point = pair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((bytes) => bytes.toString('base64url')) as [
    string,
    string,
  ]
  const thumbprint = JSON.stringify({ crv: 'P-256', kty: 'EC', x, y })
  const d = pair.getPrivateKey().toString('hex').padStart(64, '0')
  return {
    // RFC 7638
    kid: createHash('sha256').update(thumbprint).digest('base64url'),
    jwk: { kty: 'EC', crv: 'P-256', x, y, d: Buffer.from(d, 'hex').toString('base64url') },
  }
}

/** The document that servers read under the client id: https://atproto.com/specs/oauth#client-id-metadata-document */
export function clientMetadata(app: OAuthApp, redirectUri: string): object {
  const keys = clientKeysOf(app)
  return {
    client_id: app.clientId,
    client_name: 'Postroom',
    client_uri: app.clientId.slice(0, -METADATA_PATH.length),
    application_type: 'web',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: SCOPES.join(' '),
    dpop_bound_access_tokens: true,
    ...(keys.length === 0
      ? { token_endpoint_auth_method: 'none' }
      : {
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          jwks: { keys: keys.map(({ kid, jwk: { d: _, ...jwk } }) => ({ ...jwk, kid, alg: 'ES256', use: 'sig' })) },
        }),
  }
}
