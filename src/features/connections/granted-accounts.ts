import type { PlatformId } from '../../../schemas/platform.ts'
import { areStorable, isPrintable, isText, missingScopes } from '../../platforms/contract/granted-tokens.ts'
import type { OAuth, OAuthAccount } from '../../platforms/contract/oauth.ts'
import { FlowFailure } from './failure.ts'

/** More than a person chooses from. */
const ACCOUNTS_MAX = 1_000

/** The accounts that a network returned, if they can be stored and published to. */
export function checkAccounts(platform: PlatformId, oauth: OAuth, accounts: OAuthAccount[]): OAuthAccount[] {
  if (accounts.length > ACCOUNTS_MAX || !accounts.every(isStorable)) {
    throw new FlowFailure('invalid_response', `${platform} sent a response that Postroom does not understand`)
  }
  if (accounts.length === 0) {
    throw new FlowFailure('nothing_to_choose', `There is no account on ${platform} that Postroom can publish to`)
  }
  const missingOf = ({ tokens }: OAuthAccount) => missingScopes(oauth, tokens)
  const usable = accounts.filter((account) => missingOf(account).length === 0)
  if (usable.length === 0) {
    const missing = missingOf(accounts[0]!).join(', ')
    throw new FlowFailure('scopes_missing', `Publishing to ${platform} needs these scopes: ${missing}`)
  }
  return [...new Map(usable.map((account) => [account.profile.externalId, account])).values()]
}

function isStorable({ profile, kind, tokens }: OAuthAccount): boolean {
  const { externalId, username, displayName } = profile
  return (
    isPrintable(externalId) &&
    externalId !== '' &&
    isText(username) &&
    (displayName === null || isText(displayName)) &&
    isPrintable(kind) &&
    areStorable(tokens)
  )
}
