import { get, metaApi } from '../families/meta/api.ts'
import { longLivedTokens } from '../families/meta/long-lived-tokens.ts'
import { list, object, TEXT } from '../wire/answer.ts'
import { at } from '../wire/json.ts'
import { BASE, PROFILE, PROFILE_FIELDS, profileOf } from './client.ts'

/** https://developers.facebook.com/docs/threads/get-started */
export const threadsOAuth = longLivedTokens({
  authorizationEndpoint: 'https://threads.com/oauth/authorize',
  tokenEndpoint: 'https://graph.threads.net/oauth/access_token',
  host: 'graph.threads.net',
  prefix: 'th',
  // Replies are needed by threads and first comments; reading them, to find one after a lost response.
  scopes: ['threads_basic', 'threads_content_publish', 'threads_manage_replies', 'threads_read_replies'],
  requiredScopes: ['threads_basic', 'threads_content_publish'],
  kind: 'profile',
  async readAccount(accessToken, _granted, io) {
    const api = metaApi(BASE, accessToken)
    const profile = profileOf(await get(api, io, 'me', { fields: PROFILE_FIELDS }, PROFILE))
    // The token response does not have the scopes.
    const answer = object({ data: object({ scopes: list(TEXT) }) })
    const body = await get(api, io, 'debug_token', { input_token: accessToken }, answer)
    return { profile, scopes: at(body, 'data', 'scopes') as string[] }
  },
})
