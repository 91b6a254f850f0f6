import type { PlatformId } from '../../schemas/platform.ts'
import type { OAuth, OAuthAccount } from '../platforms/oauth.ts'
import { FlowFailure } from './failure.ts'

/** In UTF-16 units. Meta says that tokens have no fixed length. */
const VALUE_LENGTH_MAX = 16_384
/** More than a person chooses from. */
const ACCOUNTS_MAX = 1_000

/**
 * The accounts that a network returned, if they can be stored and published to. A token that is not printable would break
 * the header that carries it.
 */
export function checkAccounts(platform: PlatformId, oauth: OAuth, accounts: OAuthAccount[]): OAuthAccount[] {
  if (accounts.length > ACCOUNTS_MAX || !accounts.every(isStorable)) {
    throw new FlowFailure('invalid_response', `${platform} sent a response that Postroom does not understand`)
  }
  if (accounts.length === 0) {
    throw new FlowFailure('nothing_to_choose', `There is no account on ${platform} that Postroom can publish to`)
  }
  const missingOf = ({ tokens }: OAuthAccount) => oauth.requiredScopes.filter((scope) => !tokens.scopes.includes(scope))
  const usable = accounts.filter((account) => missingOf(account).length === 0)
  if (usable.length === 0) {
    const missing = missingOf(accounts[0]!).join(', ')
    throw new FlowFailure('scopes_missing', `Publishing to ${platform} needs these scopes: ${missing}`)
  }
  return [...new Map(usable.map((account) => [account.profile.externalId, account])).values()]
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= VALUE_LENGTH_MAX
const isPrintable = (value: unknown) => isText(value) && !/\p{Cc}/u.test(value) && value.isWellFormed()

function isStorable({ profile, kind, tokens }: OAuthAccount): boolean {
  const { externalId, username, displayName } = profile
  return (
    isPrintable(externalId) &&
    externalId !== '' &&
    isText(username) &&
    (displayName === null || isText(displayName)) &&
    isPrintable(kind) &&
    Object.values(tokens.credentials).every(isPrintable) &&
    tokens.scopes.every(isPrintable) &&
    (tokens.expiresAt === null || !Number.isNaN(tokens.expiresAt.getTime()))
  )
}
