import { newId } from '../../../db/id.ts'
import {
  type AppRow,
  findApp,
  findCurrentApp,
  findServerApp,
  replaceServerApp,
} from '../../../db/queries/oauth-apps.ts'
import { SERVER_REQUIRED } from '../../../schemas/messages.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import type { AppRegistration, OAuth, OAuthApp } from '../../platforms/contract/oauth.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { type ConnectionContext, redirectUriOf } from './context.ts'

/** The app of a flow. */
export interface FlowApp {
  app: OAuthApp
  /** Null for an app of the deployment. */
  appId: string | null
  /** The scopes that the app asks for; null means those of the network. */
  scopes: string[] | null
}

interface NewFlow {
  platform: PlatformId
  userId: string
  organizationId: string | null
  hint: string | null
}

/**
 * The app for a new flow: that of the organisation, of the user or of the deployment, or the one that is registered
 * with the server in the hint. Throws 400 without an app, and a PublishError if the server does not register one.
 */
export async function findAppFor(
  context: ConnectionContext,
  keyring: Keyring,
  flow: NewFlow,
  { oauth, signal }: { oauth: OAuth; signal: AbortSignal },
): Promise<FlowApp> {
  const { registration } = oauth
  if (registration) return registerApp(context, keyring, flow, { oauth, registration, signal })
  const stored = await findApp(context.db, flow)
  if (stored) return openApp(keyring, stored)
  const app = context.oauthApps[flow.platform]
  if (app) return { app, appId: null, scopes: null }
  const { name, client } = NETWORKS[flow.platform]
  throw client ? fail('app_missing.client', name, client.requirement) : fail('app_missing', flow.platform)
}

/** The app at the server in the hint. It is registered once, and again if the server has forgotten it. */
async function registerApp(
  context: ConnectionContext,
  keyring: Keyring,
  { platform, hint }: NewFlow,
  { oauth, registration, signal }: { oauth: OAuth; registration: AppRegistration; signal: AbortSignal },
): Promise<FlowApp> {
  const { db, fetch } = context
  const { scopes } = oauth
  const server = registration.serverOf(hint ?? '')
  if (server === undefined) throw noServer()
  const io = { fetch, signal }
  const key = { platform, server, redirectUri: redirectUriOf(context, oauth) }
  const stored = await findServerApp(db, key)
  if (stored) {
    const known = openApp(keyring, stored)
    // An older version of Postroom may have asked for other scopes.
    const hasScopes = String(stored.scopes) === String(scopes)
    if (hasScopes && (await registration.isKnown(server, known.app, io))) return known
  }
  const { clientId, clientSecret } = await registration.register(server, key.redirectUri, io)
  const id = newId()
  const sealed = keyring.seal(id, clientSecret === null ? {} : { clientSecret })
  const current = await replaceServerApp(db, { ...key, ...sealed, id, clientId, scopes: [...scopes] }, stored?.id)
  return openApp(keyring, current)
}

const noServer = () => invalidRequest([{ code: 'custom', path: ['hint'], message: SERVER_REQUIRED }])

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

/** Throws 503 if the secret needs a key that this process lacks. */
function openApp(keyring: Keyring, { id, clientId, scopes, ...sealed }: AppRow): FlowApp {
  if (!keyring.keyIds.includes(sealed.keyId)) throw fail('credentials_key_mismatch')
  const { clientSecret = null } = keyring.open(id, sealed)
  return { app: { clientId, clientSecret }, appId: id, scopes }
}
