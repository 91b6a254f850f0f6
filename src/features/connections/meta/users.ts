import type { Db } from '../../../../db/client.ts'
import { NO_ID } from '../../../../db/id.ts'
import { listAccountsOfApp, listAppsOfClient } from '../../../../db/queries/meta-users.ts'
import type { PlatformId } from '../../../../schemas/platform.ts'
import { fail, invalidRequest } from '../../../base/errors.ts'
import type { Keyring } from '../../../base/keyring/keyring.ts'
import type { OAuthApp } from '../../../platforms/contract/oauth.ts'
import { readSignedRequest, type SignedRequest } from '../../../platforms/families/meta/signed-request.ts'

export interface MetaContext {
  db: Db
  keyring: Keyring | undefined
  /** The apps that the operator has configured. */
  oauthApps: Partial<Record<PlatformId, OAuthApp>>
  publicUrl(): string
}

/** The keyring. Throws 503 if it is missing: no credentials of Meta's users could be read. */
export function requireKeys({ keyring }: MetaContext): Keyring {
  if (!keyring) throw fail('credentials_key_missing')
  return keyring
}

interface Call {
  platform: PlatformId
  clientId: string
  signedRequest: string | null
}

/**
 * The accounts of the user whom a signed request names, connected with the app that signed it. Somebody else may have
 * stored an app with the same client id and another secret: it has no part in accounts of this one. Throws 400 if the
 * secret of no app with the client id has signed the request.
 */
export async function findAccountsOfUser(context: MetaContext, { platform, clientId, signedRequest }: Call) {
  const keyring = requireKeys(context)
  const accountIds: string[] = []
  let verified: SignedRequest | undefined
  for (const { appId, secret } of await listSecrets(context, keyring, platform, clientId)) {
    const request = readSignedRequest(signedRequest ?? '', secret)
    if (!request) continue
    verified = request
    accountIds.push(...(await listAccounts(context.db, keyring, { platform, clientId, appId }, request.userId)))
  }
  if (!verified) {
    const message = 'Not signed with the secret of an app that this service has'
    throw invalidRequest([{ code: 'custom', path: ['signed_request'], message }])
  }
  return { accountIds, issuedAt: verified.issuedAt }
}

/** The secrets of the apps with a client id. The app of the deployment has no id. */
async function listSecrets({ db, oauthApps }: MetaContext, keyring: Keyring, platform: PlatformId, clientId: string) {
  const stored = (await listAppsOfClient(db, { platform, clientId }))
    .filter(({ keyId }) => keyring.keyIds.includes(keyId))
    .map(({ id, ...sealed }) => ({ appId: id as string | null, secret: keyring.open(id, sealed).clientSecret }))
  const configured = oauthApps[platform]
  const apps =
    configured?.clientId === clientId ? [{ appId: null, secret: configured.clientSecret }, ...stored] : stored
  return apps.flatMap(({ appId, secret }) => (secret ? [{ appId, secret }] : []))
}

const ACCOUNTS_PER_QUERY = 500

/**
 * The accounts of an app that belong to a user: those with the user's id, and those whose credentials name the user.
 */
async function listAccounts(
  db: Db,
  keyring: Keyring,
  app: { platform: PlatformId; clientId: string; appId: string | null },
  userId: string,
): Promise<string[]> {
  const found: string[] = []
  let after: string = NO_ID
  for (;;) {
    const accounts = await listAccountsOfApp(db, { ...app, after, limit: ACCOUNTS_PER_QUERY })
    for (const { accountId, externalId, sealed } of accounts) {
      const canOpen = sealed !== null && keyring.keyIds.includes(sealed.keyId)
      const isOfUser = externalId === userId || (canOpen && keyring.open(accountId, sealed).userId === userId)
      if (isOfUser) found.push(accountId)
    }
    if (accounts.length < ACCOUNTS_PER_QUERY) return found
    after = accounts.at(-1)!.accountId
  }
}
