import { type AppRow, findApp, findCurrentApp } from '../../db/queries/oauth-apps.ts'
import { OTHER_CREDENTIALS_KEY } from '../../schemas/error.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Keyring } from '../credentials/keyring.ts'
import { AppError } from '../errors.ts'
import type { OAuthApp } from '../platforms/oauth.ts'
import type { ConnectionContext } from './context.ts'

/** The app of a flow. */
export interface FlowApp {
  app: OAuthApp
  /** Null for an app of the deployment. */
  appId: string | null
  /** The scopes that the app asks for; null means those of the network. */
  scopes: string[] | null
}

interface Owner {
  platform: PlatformId
  userId: string
  organizationId: string | null
}

/** The app for a new flow: that of the organisation, of the user or of the deployment. Throws 400 if there is none. */
export async function findAppFor(context: ConnectionContext, keyring: Keyring, owner: Owner): Promise<FlowApp> {
  const stored = await findApp(context.db, owner)
  if (stored) return openApp(keyring, stored)
  const app = context.oauthApps[owner.platform]
  if (app) return { app, appId: null, scopes: null }
  throw new AppError(400, 'app_missing', noAppMessage(owner.platform))
}

/** The app that a flow began with; undefined if it was replaced or deleted meanwhile. */
export async function findAppAgain(
  context: ConnectionContext,
  keyring: Keyring,
  { platform, appId, clientId }: { platform: PlatformId; appId: string | null; clientId: string | null },
): Promise<FlowApp | undefined> {
  if (appId !== null) {
    const stored = await findCurrentApp(context.db, appId)
    return stored && openApp(keyring, stored)
  }
  const app = context.oauthApps[platform]
  return app && app.clientId === clientId ? { app, appId: null, scopes: null } : undefined
}

const noAppMessage = (platform: PlatformId) => {
  if (platform === 'bluesky') return 'Bluesky needs a PUBLIC_URL with https and without a port'
  const name = platform.toUpperCase()
  return `No app of ${platform} is configured: store one with PUT /api/v1/apps/${platform}, or set ${name}_CLIENT_ID and ${name}_CLIENT_SECRET`
}

/** Throws 503 if the secret needs a key that this process lacks. */
function openApp(keyring: Keyring, { id, clientId, scopes, ...sealed }: AppRow): FlowApp {
  if (!keyring.keyIds.includes(sealed.keyId)) throw new AppError(503, 'credentials_key_mismatch', OTHER_CREDENTIALS_KEY)
  const { clientSecret = null } = keyring.open(id, sealed)
  return { app: { clientId, clientSecret }, appId: id, scopes }
}
