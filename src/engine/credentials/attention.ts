import type { AccountReadiness, ListedAccount, StoredCredentials } from '../../../db/queries/accounts.ts'
import {
  type AccountAttention,
  EXPIRING,
  NOT_CONNECTED,
  PAUSED,
  RECONNECT_REQUIRED,
  REFRESH_FAILED,
} from '../../../schemas/account.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WARNING_MS = 7 * DAY_MS
const LAST_WARNING_MS = DAY_MS
/** Workers refresh a token long before it expires. After this time, they have failed to. */
const REFRESH_GRACE_MS = HOUR_MS

/** An account whose credentials expire by this time needs its owner. */
export const attentionTimes = (now = Date.now()): Record<StoredCredentials, Date> => ({
  fixed: new Date(now + WARNING_MS),
  refreshed: new Date(now - REFRESH_GRACE_MS),
})

/**
 * Why an account with credentials needs its owner: the stored reason, or else an access token that expires within 7
 * days and cannot be refreshed, or that has expired and was not refreshed. Computed, so that nothing has to notice that
 * a day has come.
 */
export function attentionOf(
  {
    attention,
    credentials,
    credentialsExpireAt,
  }: Pick<ListedAccount, 'attention' | 'credentials' | 'credentialsExpireAt'>,
  now = Date.now(),
): AccountAttention | null {
  if (attention || !credentials || !credentialsExpireAt) return attention
  const expiresAt = credentialsExpireAt.getTime()
  if (expiresAt > attentionTimes(now)[credentials].getTime()) return null
  const since = (beforeMs: number) => new Date(expiresAt - beforeMs).toISOString()
  if (credentials === 'refreshed') return { ...REFRESH_FAILED, since: since(0) }
  if (expiresAt <= now) return { ...RECONNECT_REQUIRED, since: since(0) }
  return { ...EXPIRING, since: since(expiresAt <= now + LAST_WARNING_MS ? LAST_WARNING_MS : WARNING_MS) }
}

/** Why the owner of an account has to act; null if there is nothing to do. A pause comes after what outlasts it. */
export function findAttention({
  attention,
  credentials,
  credentialsExpireAt,
}: AccountReadiness): AccountAttention | null {
  const expiresAt = credentialsExpireAt === null ? null : new Date(credentialsExpireAt)
  const pause = attention?.code === PAUSED.code ? attention : null
  const reason =
    attentionOf({ attention: pause ? null : attention, credentials, credentialsExpireAt: expiresAt }) ??
    (credentials ? null : NOT_CONNECTED)
  return stopsPublishing(reason) ? reason : (pause ?? reason)
}

/** Whether nothing can be published to the account at the moment. */
export const stopsPublishing = (attention: AccountAttention | null | undefined): attention is AccountAttention =>
  attention?.code !== undefined && attention.code !== EXPIRING.code
