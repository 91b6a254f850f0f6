import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseJson, textAt } from '../../wire/json.ts'

/** Meta's message about a user of an app. */
export interface SignedRequest {
  /** The app's own id for the user. */
  userId: string
  /** The end of the second in which the user removed the app, or asked for deletion. */
  issuedAt: Date
}

/**
 * Reads a request that Meta has signed with the secret of the app; undefined if it was not signed with this one.
 * https://developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback
 */
export function readSignedRequest(text: string, secret: string): SignedRequest | undefined {
  const [signature = '', payload = '', ...others] = text.split('.')
  const expected = createHmac('sha256', secret).update(payload).digest()
  const given = Buffer.from(signature, 'base64url')
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
  if (!isSigned || others.length > 0) return undefined
  const body = parseJson(Buffer.from(payload, 'base64url').toString())
  const userId = textAt(body, 'user_id')
  const issuedAt = Number(textAt(body, 'issued_at') ?? Number.NaN)
  const isMeant = textAt(body, 'algorithm')?.toUpperCase() === 'HMAC-SHA256' && /^\d{1,32}$/.test(userId ?? '')
  return userId !== undefined && isMeant && issuedAt > 0 && issuedAt < 1e10
    ? { userId, issuedAt: new Date((Math.floor(issuedAt) + 1) * 1000) }
    : undefined
}
