import type { OAuth, OAuthAccount, Tokens } from '../../src/platforms/contract/oauth.ts'
import { recordSecrets } from './log-record.ts'
import { scriptedNetwork } from './scripted-network.ts'

/** An account that a scripted network returns, with tokens of its own. */
export function grantedAccount(externalId = '1', tokens: Partial<Tokens> = {}): OAuthAccount {
  const credentials = { accessToken: `access-token-of-${externalId}`, refreshToken: `refresh-token-of-${externalId}` }
  recordSecrets('credentials', ...Object.values(credentials))
  return {
    profile: { externalId, username: `user${externalId}`, displayName: `User ${externalId}` },
    kind: 'profile',
    tokens: { credentials, scopes: ['read', 'write'], expiresAt: new Date('2100-01-01T00:00:00Z'), ...tokens },
  }
}

interface ScriptedOAuth extends OAuth {
  /** The accounts to which the user consents. */
  accounts: OAuthAccount[]
  /** Thrown by `begin` and `finish`. */
  beginError: Error | undefined
  finishError: Error | undefined
  /** The arguments of each call. */
  begun: Parameters<OAuth['begin']>[0][]
  finished: Parameters<OAuth['finish']>[0][]
  /** Awaited before `finish` responds. */
  beforeResponse: () => unknown
}

/** OAuth of a network that follows a script, and makes no call. */
export function scriptedOAuth(): ScriptedOAuth {
  const oauth: ScriptedOAuth = {
    scopes: ['read', 'write'],
    requiredScopes: ['write'],
    accounts: [grantedAccount()],
    beginError: undefined,
    finishError: undefined,
    begun: [],
    finished: [],
    beforeResponse: () => {},
    async begin(authorization) {
      if (oauth.beginError) throw oauth.beginError
      oauth.begun.push(authorization)
      const url = new URL('https://network.example/authorize')
      url.searchParams.set('client_id', authorization.app.clientId)
      url.searchParams.set('redirect_uri', authorization.redirectUri)
      url.searchParams.set('state', authorization.state)
      recordSecrets('credentials', authorization.state)
      return { url, kept: { verifier: 'the-verifier' } }
    },
    async finish(authorization) {
      oauth.finished.push(authorization)
      await oauth.beforeResponse()
      if (oauth.finishError) throw oauth.finishError
      return oauth.accounts
    },
  }
  return oauth
}

/** A scripted network whose accounts are connected by scripted OAuth. */
export const oauthNetwork = (oauth: OAuth) => ({ ...scriptedNetwork(), oauth })
