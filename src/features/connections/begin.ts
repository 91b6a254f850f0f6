import type { OpenedConnection } from '../../../db/queries/connections.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { findPlatform } from '../../../schemas/platform-names.ts'
import { fail } from '../../base/errors.ts'
import type { OAuth } from '../../platforms/contract/oauth.ts'
import { requireKeyring } from '../accounts/store.ts'
import { findAppFor } from './apps.ts'
import { type ConnectionContext, redirectUriOf } from './context.ts'
import { hashSecret, newSecret } from './secrets.ts'

/** Limits all calls to the network together. */
export const BEGIN_TIMEOUT_MS = 20_000

/** How accounts of the network are connected. Throws 400 for a network without OAuth. */
export function requireOAuth({ networks }: ConnectionContext, platform: PlatformId): OAuth {
  // A path may name no network.
  const oauth = networks[platform]?.oauth
  if (!oauth) {
    const id = networks[platform] ? undefined : findPlatform(platform)
    throw id ? fail('platform_not_supported.named', id) : fail('platform_not_supported', platform)
  }
  return oauth
}

export interface Flow {
  /** The page of the network. */
  url: URL
  /** Binds the flow to a browser; null if it is bound to none. */
  cookie: string | null
  opened: OpenedConnection
}

interface Beginning {
  id: string
  platform: PlatformId
  userId: string
  organizationId: string | null
  hint: string | null
  isBound: boolean
}

/**
 * Begins the flow of a connection at the network; the caller stores it. Throws an AppError if there is no app or no
 * key, and a PublishError if the network fails.
 */
export async function beginFlow(
  context: ConnectionContext,
  { id, platform, userId, organizationId, hint, isBound }: Beginning,
): Promise<Flow> {
  const keyring = await requireKeyring(context)
  const oauth = requireOAuth(context, platform)
  const signal = AbortSignal.timeout(BEGIN_TIMEOUT_MS)
  const flow = { platform, userId, organizationId, hint }
  const { app, appId, scopes } = await findAppFor(context, keyring, flow, { oauth, signal })
  const state = newSecret()
  const { url, kept } = await oauth.begin(
    { app, redirectUri: redirectUriOf(context, oauth), hint, ...(scopes && { scopes }), state },
    { fetch: context.fetch, signal },
  )
  const cookie = isBound ? newSecret() : null
  return {
    url,
    cookie,
    opened: {
      stateHash: hashSecret(state),
      cookieHash: cookie === null ? null : hashSecret(cookie),
      appId,
      clientId: app.clientId,
      secrets: keyring.seal(id, { kept: JSON.stringify(kept) }),
    },
  }
}
