import { loadCrypto } from './crypto.ts'
import { parseJson } from './responses.ts'
import type { Event } from './types.ts'

/** The request was not sent by a holder of the secret, or not now. Respond with 400, and do nothing else. */
export class InvalidSignature extends Error {
  override readonly name = 'InvalidSignature'
}
/** Headers as `fetch`, Node and its frameworks, Workers, Deno or Bun give them. */
export type WebhookHeaders = { get(name: string): string | null } | Record<string, string | string[] | undefined>

/** The tolerance of the libraries of https://www.standardwebhooks.com */
const TOLERANCE_SECONDS = 300
/** A server may have joined repeated headers with a comma and a space. */
const ID = /^[^\s,]+$/
const TIMESTAMP = /^\d{1,12}$/
const SIGNATURES = /^v\w+,[A-Za-z\d+/=]+(?: v\w+,[A-Za-z\d+/=]+)*$/

/**
 * Returns the event in a request to a webhook, if one of `secrets` has signed it within 300 seconds of now; otherwise
 * throws `InvalidSignature`. `rawBody` is the body as it was received, before any parsing. A copy is valid within these
 * seconds, and a retry has the `id` of the first attempt: keep the ids of events that you have handled.
 */
export async function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): Promise<Event> {
  const keys = [secrets].flat().map(toKey)
  if (keys.length === 0) throw new TypeError('verify needs the secret of the webhook')
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody)
  const id = read(headers, 'webhook-id', ID)
  const timestamp = read(headers, 'webhook-timestamp', TIMESTAMP)
  const signatures = read(headers, 'webhook-signature', SIGNATURES).split(' ')
  const ageSeconds = Math.floor(Date.now() / 1000) - Number(timestamp)
  if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) {
    throw new InvalidSignature(`webhook-timestamp differs by ${Math.abs(ageSeconds)} s from the time of the receiver`)
  }
  const bytes = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : new Uint8Array(rawBody)
  const signed = await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer()
  const { subtle } = await loadCrypto()
  for (const key of keys) {
    const hmac = await subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures) {
      const given = signature.startsWith('v1,') && decodeBase64(signature.slice(3))
      // It compares in constant time.
      if (!given || !(await subtle.verify('HMAC', hmac, given, signed))) continue
      const event = parseJson(text)
      if (event === undefined) throw new InvalidSignature('The signature is right, but the body is not JSON')
      return event as Event
    }
  }
  throw new InvalidSignature('webhook-signature matches no secret: the request was changed, or it has another secret')
}

function read(headers: WebhookHeaders, name: string, form: RegExp): string {
  const named = Object.entries(headers).filter(([key]) => key.toLowerCase() === name)
  const all = typeof headers.get === 'function' ? [headers.get(name)] : named.flatMap(([, value]) => value)
  const [value, ...others] = all.filter(Boolean) as string[]
  if (value === undefined) throw new InvalidSignature(`The header ${name} is missing`)
  if (others.length > 0 || !form.test(value)) throw new InvalidSignature(`The header ${name} is malformed or repeated`)
  return value
}

function toKey(secret: string): Uint8Array<ArrayBuffer> {
  const key = typeof secret === 'string' && decodeBase64(secret.replace(/^whsec_/, ''))
  if (!key || key.length === 0) throw new TypeError('A secret must be base64, such as whsec_…')
  return key
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
