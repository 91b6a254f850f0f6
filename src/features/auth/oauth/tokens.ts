import { createHash, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../../../db/client.ts'
import { revokeOwnKey } from '../../../../db/queries/key-changes.ts'
import { keepClient } from '../../../../db/queries/oauth/clients.ts'
import {
  insertGrant,
  insertTokens,
  type LockedCode,
  lockCode,
  lockToken,
  supersedeTokens,
} from '../../../../db/queries/oauth/grants.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import type { Scope } from '../../../../schemas/scopes.ts'
import { AppError, RateLimited } from '../../../base/errors.ts'
import { generateSecret, hashKey, isSecret } from '../key.ts'
import { createOwnKey } from '../manage-keys.ts'
import { isScope, readResource } from './authorization-request.ts'
import { OAuthError } from './oauth-error.ts'
import { readParameter, requireParameter } from './parameters.ts'

/** https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/** The result of a request for tokens, for the log. */
export interface Outcome {
  keyId: string
  /** Why the grant was ended instead. */
  misuse?: string
  response?: TokenResponse
}

/** The tokens that a grant may get in an hour, two for each request. A client needs one request. */
const TOKENS_PER_HOUR = 120

const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)

/** Exchanges a code for a key of the client, and the first tokens of that key. */
export function exchangeCode(db: Db, form: URLSearchParams, clientId: string, issuer: string): Promise<Outcome> {
  const code = requireParameter(form, 'code')
  const verifier = requireParameter(form, 'code_verifier')
  const redirectUri = readParameter(form, 'redirect_uri')
  const resource = form.has('resource') ? readResource(form, issuer) : undefined
  const hash = hashKey(code)
  return inTransaction(db, async (db) => {
    const approved = isSecret('authorizationCode', code) ? await lockCode(db, hash) : undefined
    if (!approved || approved.clientId !== clientId) throw invalidGrant('code is unknown, or belongs to another client')
    if (approved.grantKeyId !== null) {
      // Somebody else may have it: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1#section-4.1.3
      await endGrant(db, { userId: approved.userId, keyId: approved.grantKeyId })
      return { keyId: approved.grantKeyId, misuse: 'code was used before' }
    }
    if (approved.isExpired) throw invalidGrant('code has expired: it is valid for a minute')
    if (!matches(verifier, approved.codeChallenge)) throw invalidGrant('code_verifier does not match code_challenge')
    if (redirectUri !== undefined && redirectUri !== approved.redirectUri) {
      throw invalidGrant('redirect_uri differs from that of the authorization request')
    }
    requireSameResource(resource, approved.resource)
    const keyId = await createGrant(db, hash, approved)
    return { keyId, response: await issueTokens(db, { keyId, scopes: approved.scopes }, clientId) }
  })
}

/** https://www.rfc-editor.org/rfc/rfc7636#section-4.6 */
function matches(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const computed = createHash('sha256').update(verifier).digest('base64url')
  return timingSafeEqual(Buffer.from(computed), Buffer.from(challenge))
}

function requireSameResource(wanted: string | undefined, granted: string): void {
  if (wanted === undefined || wanted === granted) return
  throw new OAuthError('invalid_target', `resource must be ${granted}, as in the authorization request`)
}

async function createGrant(db: Db, hash: Buffer, approved: LockedCode): Promise<string> {
  const { userId, keyId, clientName, scopes, accountIds } = approved
  try {
    const body = { name: clientName, scopes, ...(accountIds && { accountIds }) }
    const { id } = await createOwnKey(db, { userId, keyId }, body)
    await insertGrant(db, hash, id, approved)
    return id
  } catch (error) {
    // The key that approved was revoked or narrowed meanwhile.
    if (error instanceof AppError && error.statusCode < 500) throw invalidGrant(`code is void: ${error.message}`)
    throw error
  }
}

/** `narrowed`: the scopes of the access token, if it gets fewer than the grant. */
async function issueTokens(
  db: Db,
  { keyId, scopes, narrowed = null }: { keyId: string; scopes: readonly Scope[]; narrowed?: readonly Scope[] | null },
  clientId: string,
): Promise<TokenResponse> {
  const access = generateSecret('accessToken')
  const refresh = generateSecret('refreshToken')
  const seconds = await insertTokens(db, keyId, {
    access: hashKey(access),
    refresh: hashKey(refresh),
    scopes: narrowed,
  })
  await keepClient(db, clientId)
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: seconds,
    refresh_token: refresh,
    scope: (narrowed ?? scopes).join(' '),
  }
}

/** Exchanges a refresh token for new tokens. One that was exchanged before ends the grant: it may be stolen. */
export function refresh(db: Db, form: URLSearchParams, clientId: string, issuer: string): Promise<Outcome> {
  const token = requireParameter(form, 'refresh_token')
  const wanted = readParameter(form, 'scope')?.split(' ').filter(isScope) ?? []
  const resource = form.has('resource') ? readResource(form, issuer) : undefined
  return inTransaction(db, async (db) => {
    const grant = isSecret('refreshToken', token) ? await lockToken(db, hashKey(token)) : undefined
    if (grant?.clientId !== clientId) throw invalidGrant('refresh_token is unknown, or belongs to another client')
    const { keyId, scopes } = grant
    if (grant.isEnded) throw invalidGrant('the access was ended: ask the person to approve again')
    if (grant.isSpent) {
      await endGrant(db, grant)
      return { keyId, misuse: 'refresh_token was used before' }
    }
    if (grant.isExpired) throw invalidGrant('refresh_token has expired: ask the person to approve again')
    requireSameResource(resource, grant.resource)
    const excess = wanted.find((scope) => !scopes.some((granted) => granted === scope))
    if (excess !== undefined) throw new OAuthError('invalid_scope', 'scope has more than the person has approved')
    if (grant.recentTokens >= TOKENS_PER_HOUR) throw new RateLimited('rate_limited', 600)
    if (!grant.isSuperseded) await supersedeTokens(db, keyId)
    // The refresh token keeps all scopes: https://www.rfc-editor.org/rfc/rfc6749#section-6
    const narrowed = wanted.length > 0 ? scopes.filter((scope) => wanted.includes(scope)) : null
    return { keyId, response: await issueTokens(db, { keyId, scopes, narrowed }, clientId) }
  })
}

/**
 * Ends the grant of a token for its client: https://www.rfc-editor.org/rfc/rfc7009. Returns the key; undefined if there
 * is nothing to end.
 */
export function revokeToken(db: Db, form: URLSearchParams, clientId: string): Promise<string | undefined> {
  const token = requireParameter(form, 'token')
  return inTransaction(db, async (db) => {
    const isToken = isSecret('refreshToken', token) || isSecret('accessToken', token)
    const grant = isToken ? await lockToken(db, hashKey(token)) : undefined
    if (!grant) return undefined
    if (grant.clientId !== clientId) throw invalidGrant('token belongs to another client')
    return (await endGrant(db, grant)) ? grant.keyId : undefined
  })
}

const endGrant = (db: Db, { userId, keyId }: { userId: string; keyId: string }): Promise<boolean> =>
  revokeOwnKey(db, { userId, id: keyId }, { keyId })
