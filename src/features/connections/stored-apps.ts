import { newId } from '../../../db/id.ts'
import {
  type AppOwner,
  deleteApp,
  insertApp,
  listApps,
  lockApp,
  retireApp,
  updateApp,
} from '../../../db/queries/oauth-apps.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { App, PutApp } from '../../../schemas/app.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { findPlatform } from '../../../schemas/platform-names.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import type { OAuth } from '../../platforms/contract/oauth.ts'
import { findClientIdProblem } from '../../platforms/networks.ts'
import { requireKeyring } from '../accounts/store.ts'
import { requireAdmin } from '../auth/roles.ts'
import { requireOAuth } from './begin.ts'
import { type ConnectionContext, redirectUriOf } from './context.ts'

/** Every app that connections of the user can use, and `none` for a network without one. */
export async function listOwnApps(context: ConnectionContext, userId: string): Promise<App[]> {
  const { networks, oauthApps } = context
  const stored = await listApps(context.db, userId)
  return (Object.keys(networks) as PlatformId[]).flatMap((platform) => {
    const oauth = networks[platform].oauth
    if (!oauth || oauth.registration) return []
    const show = (source: App['source'], app: Shown = {}) => toApp(context, oauth, platform, source, app)
    const apps = stored
      .filter((app) => app.platform === platform)
      .map((app) => show(app.organizationId === null ? 'user' : 'organization', app))
    const configured = oauthApps[platform]
    if (configured) apps.push(show('deployment', { clientId: configured.clientId }))
    return apps.length > 0 ? apps : [show('none')]
  })
}

interface Shown {
  clientId?: string
  organizationId?: string | null
  scopes?: readonly string[] | null | undefined
}

function toApp(
  context: ConnectionContext,
  oauth: OAuth,
  platform: PlatformId,
  source: App['source'],
  { clientId, organizationId, scopes }: Shown,
): App {
  return {
    platform,
    source,
    ...(organizationId && { organizationId }),
    ...(clientId !== undefined && { clientId }),
    scopes: [...(scopes ?? oauth.scopes)],
    redirectUri: redirectUriOf(context, oauth),
  }
}

/** Throws 403 if the user does not belong to the organisation, or is not an admin of it. */
async function requireOwner({ db }: ConnectionContext, userId: string, organizationId?: string): Promise<AppOwner> {
  if (organizationId === undefined) return { userId }
  await requireAdmin(db, userId, organizationId, 'not_organization_admin.apps')
  return { organizationId }
}

/** Stores an app in place of the one that the owner has stored. */
export async function putApp(
  context: ConnectionContext,
  userId: string,
  platform: PlatformId,
  { clientId, clientSecret, scopes, organizationId }: PutApp,
): Promise<App> {
  const oauth = requireOAuth(context, platform)
  if (oauth.registration) throw fail('platform_not_supported.registered', platform)
  const problem = findClientIdProblem(platform, clientId)
  if (problem) throw invalidRequest([{ code: 'custom', path: ['clientId'], message: problem }])
  const owner = await requireOwner(context, userId, organizationId)
  const keyring = await requireKeyring(context)
  const seal = (id: string) => keyring.seal(id, clientSecret === undefined ? {} : { clientSecret })
  await inTransaction(context.db, async (transaction) => {
    const before = await lockApp(transaction, owner, platform)
    if (before?.clientId === clientId) {
      return updateApp(transaction, before.id, { ...seal(before.id), scopes: scopes ?? null })
    }
    if (before) await (before.isUsed ? retireApp : deleteApp)(transaction, before.id)
    const id = newId()
    return insertApp(transaction, { ...owner, ...seal(id), id, platform, clientId, scopes: scopes ?? null })
  })
  const source = organizationId === undefined ? 'user' : 'organization'
  return toApp(context, oauth, platform, source, { clientId, ...(organizationId && { organizationId }), scopes })
}

/** Throws 404 if no app is stored, and 409 if connected accounts need it. */
export async function deleteOwnApp(
  context: ConnectionContext,
  userId: string,
  platform: PlatformId,
  organizationId: string | undefined,
): Promise<void> {
  const owner = await requireOwner(context, userId, organizationId)
  // Postgres stores no text with a NUL, and fails where it is compared with one.
  if (!PLATFORM_IDS.includes(platform)) {
    const id = findPlatform(platform)
    throw id ? fail('app_not_found.named', id) : fail('app_not_found')
  }
  await inTransaction(context.db, async (transaction) => {
    const app = await lockApp(transaction, owner, platform)
    if (!app) throw fail('app_not_found')
    if (app.isUsed) throw fail('app_in_use')
    await deleteApp(transaction, app.id)
  })
}
