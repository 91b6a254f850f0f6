import type { AppOfAccount } from '../../../db/queries/oauth-apps.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import type { OAuthApp } from '../../platforms/contract/oauth.ts'

/** The apps that the operator has configured. */
export type DeploymentApps = Partial<Record<PlatformId, OAuthApp>>

/**
 * The app that an account was connected with; undefined if there was none, or the operator has removed or changed it.
 */
export function appOf(
  { keyring, oauthApps }: { keyring: Keyring; oauthApps: DeploymentApps },
  { platform, clientId, appId, appKeyId: keyId, appDataKey: dataKey, appData: data }: AppOfAccount,
): OAuthApp | undefined {
  if (clientId === null) return undefined
  if (appId !== null && keyId && dataKey && data) {
    const { clientSecret = null } = keyring.open(appId, { keyId, dataKey, data })
    return { clientId, clientSecret }
  }
  const app = oauthApps[platform]
  return app?.clientId === clientId ? app : undefined
}
