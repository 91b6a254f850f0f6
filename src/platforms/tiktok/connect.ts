import type { OAuth } from '../contract/oauth.ts'
import { standardOAuth } from '../families/oauth/standard-oauth.ts'
import { HOST } from './client.ts'
import { readProfile } from './profile.ts'

/**
 * https://developers.tiktok.com/doc/login-kit-web and …/oauth-user-access-token-management. The challenge in
 * hexadecimal is that of https://developers.tiktok.com/doc/login-kit-desktop: web apps need none.
 */
const standard = standardOAuth({
  host: HOST,
  authorizationEndpoint: 'https://www.tiktok.com/v2/auth/authorize/',
  tokenEndpoint: `https://${HOST}/v2/oauth/token/`,
  revocationEndpoint: `https://${HOST}/v2/oauth/revoke/`,
  authentication: 'body',
  clientIdName: 'client_key',
  pkce: 'hex',
  scopeSeparator: ',',
  // https://developers.tiktok.com/doc/tiktok-api-scopes. `user.info.profile` is for the username, `video.upload` for
  // drafts. The user can deny each of them.
  scopes: ['user.info.basic', 'user.info.profile', 'video.publish', 'video.upload'],
  requiredScopes: ['user.info.basic', 'video.publish'],
  appAdvice: 'The operator of Postroom has to check the client key and the client secret of the app',
  // A refresh returns a new refresh token and ends the old one. Whether the old one works once more is not documented:
  // https://developers.tiktok.com/docs/en/oauth-refresh-a-user-access-token
  afterLostResponse: 'single-use',

  async listAccounts(tokens, io) {
    const { credentials, scopes } = tokens
    // TikTok does not tell who the user is without this scope.
    if (!scopes.includes('user.info.basic')) return []
    const profile = await readProfile({ ...io, credentials }, scopes)
    const stored = { ...credentials, openId: profile.externalId, scopes: scopes.join(' ') }
    return [{ profile, kind: 'creator', tokens: { ...tokens, credentials: stored } }]
  },
})

export const tiktokOAuth: OAuth = {
  ...standard,
  // TikTok takes the access token here.
  revoke: ({ accessToken = '' }, app, io) => standard.revoke!({ accessToken }, app, io),
}
