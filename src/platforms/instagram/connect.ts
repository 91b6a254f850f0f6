import { get, metaApi } from '../families/meta/api.ts'
import { longLivedTokens } from '../families/meta/long-lived-tokens.ts'
import { BASE, PROFILE, PROFILE_FIELDS, profileOf } from './client.ts'

const SCOPES = ['instagram_business_basic', 'instagram_business_content_publish', 'instagram_business_manage_comments']

/**
 * Instagram Login, which needs no Facebook Page:
 * https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 * (2026-03-13)
 */
export const instagramOAuth = longLivedTokens({
  authorizationEndpoint: 'https://www.instagram.com/oauth/authorize',
  tokenEndpoint: 'https://api.instagram.com/oauth/access_token',
  host: 'graph.instagram.com',
  prefix: 'ig',
  // Comments are the first comments of posts.
  scopes: SCOPES,
  requiredScopes: SCOPES.slice(0, 2),
  kind: 'profile',
  async readAccount(accessToken, granted, io) {
    const profile = profileOf(await get(metaApi(BASE, accessToken), io, 'me', { fields: PROFILE_FIELDS }, PROFILE))
    return { profile, scopes: granted ?? SCOPES }
  },
})
