import type { Credentials } from '../contract/io.ts'
import { unauthorized } from '../contract/publish-error.ts'

/**
 * The access token of an account on `network`. Throws if it cannot be sent, because `fetch` repeats an invalid header
 * in its error.
 */
export function accessTokenOf({ accessToken = '' }: Credentials, network: string): string {
  if (/^[\x21-\x7e]+$/.test(accessToken)) return accessToken
  throw unauthorized(`The account has no valid access token of ${network}: connect it again`)
}
