import { standardOAuth } from '../families/oauth/standard-oauth.ts'
import { readProfile } from './profile.ts'

/**
 * https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token. The consent page grants all scopes or
 * none. A grant that lacks `offline.access` has no refresh token, and nothing can be published after two hours.
 */
export const xOAuth = standardOAuth({
  host: 'api.x.com',
  authorizationEndpoint: 'https://x.com/i/oauth2/authorize',
  tokenEndpoint: 'https://api.x.com/2/oauth2/token',
  revocationEndpoint: 'https://api.x.com/2/oauth2/revoke',
  authentication: 'basic',
  pkce: true,
  scopes: ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'],
  requiredScopes: ['tweet.read', 'tweet.write', 'users.read', 'offline.access'],
  // Not on X's pages. Publishers have lost accounts by it: https://github.com/trypostit/trypost/issues/126
  afterLostResponse: 'revokes-reuse',

  async listAccounts(tokens, io, { clientId }) {
    // The id of the app names the accounts that share its credit and its limits.
    const credentials = { ...tokens.credentials, clientId }
    const profile = await readProfile({ ...io, credentials })
    const { externalId: userId, username } = profile
    return [{ profile, kind: 'profile', tokens: { ...tokens, credentials: { ...credentials, userId, username } } }]
  },
})
