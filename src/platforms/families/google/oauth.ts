import type { OAuth } from '../../contract/oauth.ts'
import { scopesMissing } from '../../contract/publish-error.ts'
import { type StandardOAuth, standardOAuth } from '../oauth/standard-oauth.ts'

type GoogleOAuth = Pick<StandardOAuth, 'scopes' | 'listAccounts'>

/**
 * https://developers.google.com/identity/protocols/oauth2/web-server, for a network of Google's. Users can untick
 * single scopes on the consent page. A refresh token stays the same, and expires after 7 days if the app is in testing
 * (https://developers.google.com/identity/protocols/oauth2#expiration).
 *
 * Nothing is revoked: Google would end every token of the user for the app, and with it other accounts.
 */
export const googleOAuth = ({ scopes, listAccounts }: GoogleOAuth): OAuth =>
  standardOAuth({
    host: 'oauth2.googleapis.com',
    authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    authentication: 'body',
    // https://accounts.google.com/.well-known/openid-configuration
    pkce: true,
    scopes,
    requiredScopes: scopes,
    // A user who has consented before gets no refresh token unless `prompt` has `consent`.
    parameters: { access_type: 'offline', prompt: 'consent select_account' },
    appAdvice:
      'The operator of Postroom has to check the OAuth client in the Google Cloud console: its id, secret and redirect URI',
    afterLostResponse: 'repeatable',

    async listAccounts(tokens, io, app) {
      // Google would refuse to list anything.
      const missing = scopes.filter((scope) => !tokens.scopes.includes(scope))
      if (missing.length === 0) return listAccounts(tokens, io, app)
      throw scopesMissing(`connect again, and allow all that the page of Google asks for: ${missing.join(', ')}`)
    },
  })
