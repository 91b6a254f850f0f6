import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
/** Characters of a secret that the API shows. */
const HINT_LENGTH = 10

/**
 * A secret in the form of https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const generateSecret = (): string => secretOf(randomBytes(SECRET_BYTES))

export const secretOf = (bytes: Buffer): string => PREFIX + bytes.toString('base64')

export const startOfSecret = (secret: string): string => secret.slice(0, HINT_LENGTH)

/** The key that signs by a secret. Making it takes longer than a signature. */
export const signingKeyOf = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))

/**
 * The headers of Standard Webhooks. Each key signs; the receiver accepts a body if one of the signatures is valid. `at`
 * is the time of the attempt: receivers reject old ones.
 */
export function signedHeaders(keys: KeyObject[], { id, at, body }: { id: string; at: Date; body: string }) {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
