import { randomBytes } from 'node:crypto'
import { checkFields, refuse } from './facebook-errors.ts'
import type { Recorded, Reply } from './network.ts'

interface ListedPage {
  id: string
  name: string
  username?: string
  access_token?: string
  tasks: string[]
}

export interface FakeLogin {
  app: { clientId: string; clientSecret: string }
  redirectUri: string
  /** The Pages of the user. */
  pages: ListedPage[]
  /** The most Pages in one response. */
  pagesMax: number
  /** Permissions that the user does not grant. */
  declined: Set<string>
  /** The app-scoped id of the user. */
  userId: string
  /** Consents in the dialog at this address, as the user's browser would. Returns the parameters of the callback. */
  consent(url: URL): URLSearchParams
  respond(call: Recorded): Reply | undefined
}

const VERSIONED = /^\/v\d+\.0\/(oauth\/access_token|me(?:\/\w+)?)$/

/**
 * Facebook's login as https://developers.facebook.com/documentation/facebook-login/guides/advanced/manual-flow and
 * …/docs/facebook-login/guides/access-tokens/get-long-lived describe it.
 */
export function loginOf(): FakeLogin {
  const codes = new Map<string, { redirectUri: string; scopes: string[]; isUsed: boolean }>()
  const tokens = new Map<string, { scopes: string[]; isLong: boolean }>()
  const issue = (scopes: string[], isLong: boolean) => {
    const token = `EAAI${isLong ? 'long' : 'short'}${randomBytes(12).toString('hex')}`
    tokens.set(token, { scopes, isLong })
    return token
  }

  const getToken = ({ method, query }: Recorded): Reply => {
    if (method !== 'GET') refuse(100, 'Unsupported method')
    const { client_id: id, client_secret: secret, code, redirect_uri: redirectUri } = query
    if (id !== fake.app.clientId) refuse(101, 'Error validating application. Cannot get application info.')
    if (secret !== fake.app.clientSecret) refuse(1, 'Error validating client secret.')
    if (query.grant_type === 'fb_exchange_token') {
      const token = tokens.get(query.fb_exchange_token ?? '')
      if (!token) return refuse(190, 'Error validating access token', { error_subcode: 463 })
      const access_token = issue(token.scopes, true)
      return { status: 200, body: { access_token, token_type: 'bearer', expires_in: 5_183_944 } }
    }
    const found = codes.get(code ?? '')
    if (!found) return refuse(100, 'Invalid verification code format.', { error_subcode: 36007 })
    if (found.redirectUri !== redirectUri) {
      refuse(100, 'Error validating verification code. Please make sure your redirect_uri is identical', {
        error_subcode: 36008,
      })
    }
    if (found.isUsed) refuse(100, 'This authorization code has been used.', { error_subcode: 36009 })
    found.isUsed = true
    return { status: 200, body: { access_token: issue(found.scopes, false), token_type: 'bearer', expires_in: 5_000 } }
  }

  const getPermissions = (scopes: string[]): Reply => ({
    status: 200,
    body: {
      data: scopes.map((permission) => ({
        permission,
        status: fake.declined.has(permission) ? 'declined' : 'granted',
      })),
    },
  })

  /** A token that is read with a short-lived one expires: such Pages are marked. */
  const getAccounts = (call: Recorded, { isLong }: { isLong: boolean }): Reply => {
    const fields = checkFields('page', call)
    const limit = Math.min(Number(call.query.limit ?? 25), fake.pagesMax)
    const from = Number(call.query.after ?? 0)
    const shown = fake.declined.has('pages_show_list') ? [] : fake.pages
    const data = shown.slice(from, from + limit).map((page) => ({
      ...Object.fromEntries(Object.entries(page).filter(([name]) => fields.has(name))),
      ...(!isLong && { access_token: 'EAAIexpiresSoon' }),
    }))
    const isLast = from + limit >= shown.length
    const after = String(from + limit)
    const next = `https://graph.facebook.com/v26.0/me/accounts?access_token=EAAI&after=${after}`
    return { status: 200, body: { data, paging: { cursors: { before: '0', after }, ...(!isLast && { next }) } } }
  }

  const fake: FakeLogin = {
    app: { clientId: '512345678901234', clientSecret: '0123456789abcdef0123456789abcdef' },
    redirectUri: 'https://postroom.example/connect/callback',
    pages: [],
    pagesMax: 100,
    declined: new Set(),
    userId: '10223344556677',
    consent(url) {
      const { client_id, redirect_uri, state, response_type, scope } = Object.fromEntries(url.searchParams)
      const isValid =
        url.origin === 'https://www.facebook.com' &&
        /^\/v\d+\.0\/dialog\/oauth$/.test(url.pathname) &&
        client_id === fake.app.clientId &&
        redirect_uri === fake.redirectUri &&
        response_type === 'code' &&
        state !== undefined &&
        /^[a-z_]+(?:,[a-z_]+)*$/.test(scope ?? '')
      if (!isValid) throw new Error(`Facebook shows an error page for ${url}`)
      const code = `AQ${randomBytes(24).toString('base64url')}`
      codes.set(code, { redirectUri: redirect_uri!, scopes: scope!.split(','), isUsed: false })
      return new URLSearchParams({ code, state: state! })
    },
    respond(call) {
      const [, path] = VERSIONED.exec(call.path) ?? []
      if (path === undefined) return undefined
      if (path === 'oauth/access_token') return getToken(call)
      const token = tokens.get(/^Bearer (.+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '')
      if (!token) return refuse(190, 'Invalid OAuth access token', {}, 401)
      if (path === 'me/permissions') return getPermissions(token.scopes)
      if (path === 'me/accounts') return getAccounts(call, token)
      checkFields('user', call)
      return { status: 200, body: { id: fake.userId } }
    },
  }
  return fake
}
