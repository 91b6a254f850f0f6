import type { LinkedinState } from './linkedin.ts'
import type { Recorded, Reply } from './network.ts'

export interface FakeLinkedinOAuth {
  app: {
    clientId: string
    clientSecret: string
    redirectUris: string[]
    /** The scopes of the app's products. */
    scopes: string[]
    /** Whether the app is approved for refresh tokens. */
    hasRefreshTokens: boolean
    /**
     * Whether a refresh ends the refresh token and returns another one. By the page, the token stays:
     * https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens
     */
    rotatesRefreshTokens: boolean
  }
  /** Whether the member refuses, with LinkedIn's code for it. */
  refusal: 'user_cancelled_login' | 'user_cancelled_authorize' | null
  /** Number of calls for which the next token is refused as revoked. */
  freshTokenRefusals: number
}

const CODE_LIFE_MS = 1_800_000
const REFRESH_TOKEN_LIFE_SECONDS = 31_536_000

/**
 * https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow and
 * /programmatic-refresh-tokens, for a member who consents to everything.
 */
export function serveOAuth(state: LinkedinState) {
  const codes = new Map<string, { redirectUri: string; scopes: string[]; issuedAt: number }>()
  const refreshTokens = new Map<string, { scopes: string[]; endsAt: number }>()
  const switches: FakeLinkedinOAuth = {
    app: {
      clientId: '86li7client',
      clientSecret: 'WPL_AP1.s3cret.of.app==',
      redirectUris: ['https://postroom.example/connect/callback'],
      scopes: ['openid', 'profile', 'email', 'w_member_social'],
      hasRefreshTokens: false,
      rotatesRefreshTokens: false,
    },
    refusal: null,
    freshTokenRefusals: 0,
  }
  let current = (): FakeLinkedinOAuth => switches
  let issued = 0

  const authorize = ({ query }: Recorded): Reply => {
    const { app, refusal } = current()
    const page = (text: string): Reply => ({ status: 400, headers: { 'content-type': 'text/html' }, body: text })
    const { response_type, client_id, redirect_uri = '', state: csrf = '', scope = '' } = query
    if (client_id !== app.clientId || !app.redirectUris.includes(redirect_uri))
      return page('Bummer, something went wrong.')
    const back = (parameters: Record<string, string>): Reply => {
      const location = `${redirect_uri}?${new URLSearchParams({ ...parameters, state: csrf })}`
      return { status: 302, headers: { location } }
    }
    if (response_type !== 'code') return back({ error: 'unsupported_response_type' })
    // The page has spaces, LinkedIn's own client sends commas.
    const scopes = scope.split(/[ ,]/)
    const foreign = scopes.find((name) => !app.scopes.includes(name))
    if (foreign) {
      const text = `Scope "${foreign}" is not authorized for your application`
      return back({ error: 'unauthorized_scope_error', error_description: text })
    }
    if (refusal) return back({ error: refusal, error_description: 'The user cancelled' })
    const code = `AQT-code-${++issued}`
    codes.set(code, { redirectUri: redirect_uri, scopes, issuedAt: state.clock().getTime() })
    return back({ code })
  }

  const grant = ({ headers, body }: Recorded): Reply => {
    const { app } = current()
    const refuse = (status: number, error: string, text: string): Reply => ({
      status,
      body: { error, error_description: text },
    })
    if (!/^application\/x-www-form-urlencoded/.test(headers['content-type'] ?? '')) return { status: 415 }
    const form = body as Record<string, string>
    if (
      headers.authorization !== undefined ||
      form.client_id !== app.clientId ||
      form.client_secret !== app.clientSecret
    ) {
      return refuse(401, 'invalid_client', 'Client authentication failed')
    }
    const now = state.clock().getTime()
    if (form.grant_type === 'refresh_token') {
      const known = refreshTokens.get(form.refresh_token ?? '')
      if (!known || known.endsAt < now) {
        const text = 'The provided authorization grant or refresh token is invalid, expired or revoked'
        return refuse(400, 'invalid_request', text)
      }
      const refreshToken = app.rotatesRefreshTokens ? `AQ-refresh-${++issued}` : form.refresh_token!
      refreshTokens.delete(form.refresh_token!)
      refreshTokens.set(refreshToken, known)
      return issue(known.scopes, refreshToken, Math.floor((known.endsAt - now) / 1000))
    }
    const code = codes.get(form.code ?? '')
    codes.delete(form.code ?? '')
    if (!code) {
      const text = 'Unable to retrieve access token: authorization code not found'
      return refuse(401, 'invalid_request', text)
    }
    if (code.redirectUri !== form.redirect_uri || now - code.issuedAt > CODE_LIFE_MS || form.code_verifier) {
      const text =
        'Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists'
      return refuse(400, 'invalid_redirect_uri', text)
    }
    if (!app.hasRefreshTokens) return issue(code.scopes)
    const refreshToken = `AQ-refresh-${++issued}`
    refreshTokens.set(refreshToken, { scopes: code.scopes, endsAt: now + REFRESH_TOKEN_LIFE_SECONDS * 1000 })
    return issue(code.scopes, refreshToken, REFRESH_TOKEN_LIFE_SECONDS)
  }

  /** Scopes are separated by commas, and there is no `token_type`. */
  const issue = (scopes: string[], refreshToken?: string, refreshSeconds?: number): Reply => {
    const accessToken = `AQ-access-${++issued}-${'x'.repeat(300)}`
    const [member = ''] = state.members.keys()
    const refusals = current().freshTokenRefusals
    state.tokens.set(accessToken, { member, scopes: new Set(scopes), status: 'active', refusals })
    const refresh = refreshToken && { refresh_token: refreshToken, refresh_token_expires_in: refreshSeconds }
    return {
      status: 200,
      body: { access_token: accessToken, expires_in: 5_184_000, scope: scopes.join(','), ...refresh },
    }
  }

  const respond = (call: Recorded): Reply | undefined => {
    if (call.path === '/oauth/v2/authorization' && call.method === 'GET') return authorize(call)
    return call.path === '/oauth/v2/accessToken' && call.method === 'POST' ? grant(call) : undefined
  }

  return {
    switches,
    respond,
    use: (fake: FakeLinkedinOAuth) => {
      current = () => fake
    },
  }
}
