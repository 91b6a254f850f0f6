import type { OAuth, OAuthAccount, OAuthApp, OAuthIo } from '../contract/oauth.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { TOKEN_ERRORS } from '../families/meta/errors.ts'
import { type Answer, ID, list, object, optional, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { callNetwork } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { GRAPH, graphRules, isId, isToken, limitKeyOf, VERSION } from './graph.ts'

const HOST = 'facebook.com'

const REQUIRED_SCOPES = ['pages_show_list', 'pages_manage_posts', 'pages_read_engagement']

/** https://developers.facebook.com/docs/pages-api/manage-pages: 100 Pages a response. */
const PAGES_PER_CALL = 100
const CALLS_MAX = 10

/**
 * https://developers.facebook.com/documentation/facebook-login/guides/advanced/manual-flow. Scopes are separated by
 * commas, the token endpoint is called with GET, and there is neither PKCE nor a refresh token: the token of a Page
 * that is read with a long-lived token of its user does not expire
 * (https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived).
 */
export const facebookOAuth: OAuth = {
  scopes: [
    ...REQUIRED_SCOPES,
    // To find a post whose response was lost: https://developers.facebook.com/docs/graph-api/reference/page/feed
    'pages_read_user_content',
    // For the first comment: https://developers.facebook.com/docs/pages-api/posts
    'pages_manage_engagement',
    // Pages that belong to a business portfolio are listed only with this scope.
    'business_management',
  ],
  requiredScopes: REQUIRED_SCOPES,

  async begin({ app, redirectUri, state, scopes = facebookOAuth.scopes }) {
    const url = new URL(`https://www.facebook.com/${VERSION}/dialog/oauth`)
    url.search = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: redirectUri,
      state,
      response_type: 'code',
      scope: scopes.join(','),
      // Asks again for permissions that were declined before.
      auth_type: 'rerequest',
    }).toString()
    return { url, kept: null }
  },

  async finish({ app, redirectUri, callback }, io) {
    const code = callback.get('code') ?? ''
    const short = await requestToken(app, { redirect_uri: redirectUri, code }, io)
    // Pages that are read with a short-lived token have tokens that expire within hours.
    const token = await requestToken(app, { grant_type: 'fb_exchange_token', fb_exchange_token: short }, io)
    const call: Call = (path, query, answer) => callAs(app, token, path, query, answer, io)
    const userId = textAt(await call('me', { fields: 'id' }, object({ id: ID })), 'id')
    if (!isId(userId)) throw unexpected(HOST, false)
    const scopes = grantedIn(await call('me/permissions', {}, PERMISSIONS))
    if (!scopes.includes('pages_show_list')) {
      throw unauthorized('facebook.com: the permission pages_show_list was not granted, so no Page can be chosen')
    }
    const pages = await listPages(call)
    return pages.flatMap((page) => accountOf(page, { app, userId, scopes }))
  },
}

type Call = (path: string, query: Record<string, string>, answer: Answer) => Promise<unknown>

const rulesOf = ({ clientId, clientSecret }: OAuthApp, ...secrets: string[]) => ({
  ...graphRules(clientSecret === null ? secrets : [clientSecret, ...secrets], clientId),
  errors: TOKEN_ERRORS,
})

async function requestToken(app: OAuthApp, parameters: Record<string, string>, io: OAuthIo): Promise<string> {
  const { clientId, clientSecret } = app
  if (clientSecret === null) throw unauthorized('A Facebook app needs its app secret')
  const query = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...parameters })
  const rules = rulesOf(app, ...Object.values(parameters))
  const { body } = await callNetwork(rules, io, `${GRAPH}/oauth/access_token?${query}`, {
    answer: object({ access_token: TEXT }),
  })
  const token = textAt(body, 'access_token')
  if (token === undefined || !isToken(token)) throw unexpected(HOST, false)
  return token
}

async function callAs(
  app: OAuthApp,
  token: string,
  path: string,
  query: Record<string, string>,
  answer: Answer,
  io: OAuthIo,
) {
  const url = `${GRAPH}/${path}?${new URLSearchParams(query)}`
  const headers = { authorization: `Bearer ${token}` }
  return (await callNetwork(rulesOf(app, token), io, url, { headers, answer })).body
}

const PERMISSIONS = object({ data: list(object({ permission: TEXT, status: TEXT })) })

/** A user can decline each permission: https://developers.facebook.com/docs/graph-api/reference/user/permissions */
function grantedIn(body: unknown): string[] {
  const data = at(body, 'data') as unknown[]
  const granted = data.filter((entry) => textAt(entry, 'status') === 'granted')
  return granted.map((entry) => textAt(entry, 'permission')!)
}

const PAGES = object({
  data: list(object({ id: ID, name: TEXT, access_token: optional(TEXT), tasks: optional(list(TEXT)) })),
  paging: optional(object()),
})

/** Every Page of the user: https://developers.facebook.com/docs/pages-api/manage-pages */
async function listPages(call: Call): Promise<unknown[]> {
  const pages: unknown[] = []
  let after: string | undefined
  for (let calls = 0; calls < CALLS_MAX; calls++) {
    const query = {
      fields: 'id,name,username,access_token,tasks,picture{url}',
      limit: String(PAGES_PER_CALL),
      ...(after && { after }),
    }
    const body = await call('me/accounts', query, PAGES)
    pages.push(...(at(body, 'data') as unknown[]))
    // `next` itself is not followed: it is an address with the token in it.
    after = textAt(body, 'paging', 'next') && textAt(body, 'paging', 'cursors', 'after')
    if (!after) break
  }
  return pages
}

/** The account of a Page that the user may post to. */
function accountOf(
  page: unknown,
  { app, userId, scopes }: { app: OAuthApp; userId: string; scopes: readonly string[] },
): OAuthAccount[] {
  const id = textAt(page, 'id')
  const name = textAt(page, 'name')
  const accessToken = textAt(page, 'access_token')
  const tasks = at(page, 'tasks')
  const isUsable = Array.isArray(tasks) && tasks.includes('CREATE_CONTENT') && accessToken && isToken(accessToken)
  if (!isUsable || !isId(id) || name === undefined) return []
  const limitKey = limitKeyOf(app.clientId)
  return [
    {
      profile: {
        externalId: id,
        username: textAt(page, 'username') ?? name,
        displayName: name,
        ...avatarOf(textAt(page, 'picture', 'data', 'url')),
        ...(limitKey && { limitKey }),
      },
      kind: 'page',
      tokens: {
        // `userId` is how Meta names the user when the user removes the app.
        credentials: { accessToken, pageId: id, appId: app.clientId, userId },
        scopes,
        expiresAt: null,
      },
    },
  ]
}
