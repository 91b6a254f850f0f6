import type { Io, Profile } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { standardOAuth } from '../families/oauth/standard-oauth.ts'
import { object, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { at, textAt } from '../wire/json.ts'
import { clientFor, HOST, isId } from './client.ts'

/** All four are required to create a pin: https://github.com/pinterest/api-description, `POST /pins`. */
const PUBLISHING = ['boards:read', 'boards:write', 'pins:read', 'pins:write']

const AUTHENTICATION_FAILED = 2
const GRANT_REFUSED = 283

/** https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/ */
export const pinterestOAuth = standardOAuth({
  host: HOST,
  authorizationEndpoint: 'https://www.pinterest.com/oauth/',
  tokenEndpoint: `https://${HOST}/v5/oauth/token`,
  authentication: 'basic',
  pkce: false,
  scopes: [...PUBLISHING, 'user_accounts:read'],
  scopeSeparator: ',',
  requiredScopes: PUBLISHING,
  // An app made before 2025-09-25 would otherwise get refresh tokens that Pinterest no longer accepts. Other apps do
  // not need this.
  codeParameters: { continuous_refresh: 'true' },
  // Errors have no code of RFC 6749. A refused code or token has status 401, as has a wrong id or secret of the app:
  // https://github.com/pinterest/pinterest-python-sdk/issues/114
  isTokenRefused: ({ status, body }) => status === 400 || at(body, 'code') === GRANT_REFUSED,
  isAboutApp: (body) => at(body, 'code') === AUTHENTICATION_FAILED,
  appAdvice: 'The operator of Postroom has to check the id and the secret key of the app',
  // Each refresh gives a new refresh token. The page does not say whether the old one still works.
  afterLostResponse: 'single-use',

  async listAccounts(tokens, io) {
    const { credentials } = tokens
    return [{ profile: await readProfile({ ...io, credentials }), kind: 'profile', tokens }]
  },
})

/** https://developers.pinterest.com/docs/api/v5/user_account-get */
export async function readProfile(io: Io): Promise<Profile> {
  const { body } = await clientFor(io).call('/user_account', { answer: object({ id: TEXT, username: TEXT }) })
  const id = textAt(body, 'id')
  const username = textAt(body, 'username')
  if (!isId(id) || !username) throw unexpected(HOST, false)
  return {
    externalId: id,
    username,
    displayName: textAt(body, 'business_name') || null,
    ...avatarOf(textAt(body, 'profile_image')),
  }
}
