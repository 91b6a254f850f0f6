import { type ClientMetadata, readClientMetadata } from './client-metadata.ts'
import { OAuthError } from './oauth-error.ts'

/*
 * A client whose id is the URL of a document with its metadata:
 * https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document
 */

const URL_LENGTH_MAX = 1_000
const BYTES_MAX = 16_384
const TIMEOUT_MS = 5_000
/** Documents that one process fetches at a time. Anybody can make it fetch one. */
const CONCURRENT_MAX = 20

/** Whether a client id is a URL that the specification allows, written as `URL` writes it. */
export function isMetadataUrl(text: string): boolean {
  const url = text.length <= URL_LENGTH_MAX ? URL.parse(text) : null
  return (
    url?.protocol === 'https:' &&
    url.href === text &&
    url.pathname !== '/' &&
    !url.hash &&
    !url.username &&
    !url.password
  )
}

const unusable = (reason: string) => new OAuthError('invalid_client', `The document at client_id ${reason}`)

export const tooManyFetches = () =>
  new OAuthError('temporarily_unavailable', 'Too many clients are being looked up: try again in a minute')

/** Returns the function that fetches a document with `fetch`, which reaches public addresses only. */
export function createFetchMetadata(fetch: typeof globalThis.fetch): (id: string) => Promise<ClientMetadata> {
  let running = 0
  return async (id) => {
    if (running >= CONCURRENT_MAX) throw tooManyFetches()
    running++
    try {
      return readDocument(id, await fetchText(fetch, id))
    } finally {
      running--
    }
  }
}

async function fetchText(fetch: typeof globalThis.fetch, id: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  // A redirect could lead to a document of somebody else.
  const response = await fetch(id, { headers: { accept: 'application/json' }, redirect: 'manual', signal }).catch(
    () => {
      throw unusable('cannot be fetched')
    },
  )
  if (response.status !== 200) {
    await response.body?.cancel()
    throw unusable(`has the status ${response.status}: 200 is expected, without redirects`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      // Leaving the loop cancels the body.
      if (bytes > BYTES_MAX) break
      chunks.push(chunk)
    }
  } catch {
    throw unusable('was cut off')
  }
  if (bytes > BYTES_MAX) throw unusable(`has more than ${BYTES_MAX} bytes`)
  return Buffer.concat(chunks).toString()
}

function readDocument(id: string, text: string): ClientMetadata {
  const metadata = parseObject(text)
  if (metadata.client_id !== id) throw unusable('has another client_id than its own URL')
  if (!isPublicClient(metadata)) throw unusable('must allow the token_endpoint_auth_method none')
  try {
    return readClientMetadata(metadata)
  } catch (error) {
    throw error instanceof OAuthError ? unusable(`is invalid: ${error.message}`) : error
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The same as another value.
  }
  throw unusable('is not a JSON object')
}

/**
 * Whether the client may come without credentials. The document of ChatGPT prefers `private_key_jwt`, and allows `none`
 * in a list: https://github.com/cloudflare/workers-oauth-provider/releases/tag/v1.2.2
 */
function isPublicClient({ token_endpoint_auth_method: method = 'none', ...metadata }: Record<string, unknown>) {
  const allowed = metadata.token_endpoint_auth_methods_supported
  return method === 'none' || (Array.isArray(allowed) && allowed.includes('none'))
}
