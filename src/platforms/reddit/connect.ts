import { standardOAuth } from '../families/oauth/standard-oauth.ts'
import { userAgentOf } from './client.ts'
import { readProfile } from './profile.ts'

const OAUTH = 'https://www.reddit.com/api/v1'

/**
 * https://github.com/reddit-archive/reddit/wiki/OAuth2. A post whose response was lost is found with `history`, and so
 * is the id of a post with files. `read`, `flair` and `mysubreddits` read subreddits, their rules and flairs.
 */
export const redditOAuth = standardOAuth({
  host: 'www.reddit.com',
  authorizationEndpoint: `${OAUTH}/authorize`,
  tokenEndpoint: `${OAUTH}/access_token`,
  revocationEndpoint: `${OAUTH}/revoke_token`,
  authentication: 'basic',
  pkce: false,
  scopes: ['identity', 'submit', 'history', 'read', 'flair', 'mysubreddits'],
  requiredScopes: ['identity', 'submit', 'history'],
  // Reddit gives a refresh token only for a permanent duration.
  parameters: { duration: 'permanent' },
  userAgent: ({ clientId }) => userAgentOf(clientId),
  appAdvice:
    'The operator of Postroom has to check the client id and the secret of the app, and whether Reddit has approved it',
  // The refresh token stays the same:
  // https://github.com/praw-dev/praw/blob/main/tests/integration/cassettes/TestSubreddit.test_submit_image.json
  afterLostResponse: 'repeatable',

  async listAccounts(tokens, io, { clientId }) {
    // The id of the app names the accounts that share its requests.
    const credentials = { ...tokens.credentials, clientId }
    const profile = await readProfile({ ...io, credentials })
    const { username } = profile
    return [{ profile, kind: 'profile', tokens: { ...tokens, credentials: { ...credentials, username } } }]
  },
})
