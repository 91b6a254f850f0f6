import { createHmac } from 'node:crypto'

/**
 * A payload as Meta signs it with the secret of an app:
 * https://developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback
 */
export function signRequest(payload: object | string, secret: string): string {
  const text = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)).toString('base64url')
  return `${createHmac('sha256', secret).update(text).digest('base64url')}.${text}`
}

/** Meta's message when a user removes the app, or asks for deletion. */
export const userRequest = (userId: string, more: object = {}) => ({
  user_id: userId,
  algorithm: 'HMAC-SHA256',
  issued_at: Math.floor(Date.now() / 1000),
  ...more,
})
