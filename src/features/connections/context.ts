import type { OAuth } from '../../platforms/contract/oauth.ts'
import type { AccountContext } from '../accounts/store.ts'

export interface ConnectionContext extends AccountContext {
  /** Allowed beginnings of each `returnUrl`. */
  returnUrls: string[]
}

/** The address to which networks send browsers back. It is registered with each app. */
export function redirectUriOf({ publicUrl }: ConnectionContext, { toRedirectUri = (uri) => uri }: OAuth): string {
  return toRedirectUri(`${publicUrl()}/connect/callback`)
}
