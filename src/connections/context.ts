import type { NetworkContext } from '../accounts/store.ts'
import type { OAuth } from '../platforms/oauth.ts'

export interface ConnectionContext extends NetworkContext {
  /** Where browsers reach this service: an origin. Known once the service listens. */
  publicUrl(): string
  /** What each `returnUrl` has to begin with. */
  returnUrls: string[]
}

/** Where networks send browsers back to. It is registered with each app. */
export function redirectUriOf({ publicUrl }: ConnectionContext, { toRedirectUri = (uri) => uri }: OAuth): string {
  return toRedirectUri(`${publicUrl()}/connect/callback`)
}
