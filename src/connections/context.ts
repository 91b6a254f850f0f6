import type { PlatformId } from '../../schemas/platform.ts'
import type { NetworkContext } from '../accounts/store.ts'
import type { OAuth, OAuthApp } from '../platforms/oauth.ts'

/** The apps that the operator has configured. */
export type DeploymentApps = Partial<Record<PlatformId, OAuthApp>>

export interface ConnectionContext extends NetworkContext {
  /** Where browsers reach this service: an origin. Known once the service listens. */
  publicUrl(): string
  /** What each `returnUrl` has to begin with. */
  returnUrls: string[]
  oauthApps: DeploymentApps
}

/** Where networks send browsers back to. It is registered with each app. */
export function redirectUriOf({ publicUrl }: ConnectionContext, { toRedirectUri = (uri) => uri }: OAuth): string {
  return toRedirectUri(`${publicUrl()}/connect/callback`)
}
