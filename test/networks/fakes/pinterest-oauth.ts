import type { Recorded, Reply } from './network.ts'
import type { PinterestToken } from './pinterest.ts'

export interface FakePinterestOAuth {
  app: { clientId: string; clientSecret: string; redirectUris: string[] }
  /** Whether the user consents. */
  consents: boolean
  /** Whether the app was made before 2025-09-25. It has to ask for refresh tokens that can be used. */
  isOldApp: boolean
}

const ACCESS_SECONDS = 2_592_000
const REFRESH_SECONDS = 5_184_000
const LEGACY_REFRESH_SECONDS = 31_536_000

/** https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/ */
export function serveOAuth(tokens: Map<string, PinterestToken>, clock: () => Date) {
  const codes = new Map<string, { redirectUri: string; scopes: string[] }>()
  const refreshTokens = new Map<string, { scopes: string[]; endsAt: number }>()
  const switches: FakePinterestOAuth = {
    app: {
      clientId: '1521341',
      clientSecret: 's3cret-of_the.app',
      redirectUris: ['https://postroom.example/connect/callback'],
    },
    consents: true,
    isOldApp: false,
  }
  let current = (): FakePinterestOAuth => switches
  let issued = 0

  const authorize = ({ query }: Recorded): Reply => {
    const { app, consents } = current()
    const { client_id, redirect_uri = '', response_type, scope = '', state = '' } = query
    if (client_id !== app.clientId || !app.redirectUris.includes(redirect_uri) || response_type !== 'code') {
      return { status: 400, headers: { 'content-type': 'text/html' }, body: 'The request is invalid.' }
    }
    const back = (parameters: Record<string, string>): Reply => ({
      status: 302,
      headers: { location: `${redirect_uri}?${new URLSearchParams({ ...parameters, state })}` },
    })
    if (!consents) return back({ error: 'access_denied' })
    const code = `pin-code-${++issued}`
    codes.set(code, { redirectUri: redirect_uri, scopes: scope.split(',') })
    return back({ code })
  }

  const refuse = (status: number, code: number, message: string): Reply => ({ status, body: { code, message } })

  /** https://github.com/pinterest/pinterest-python-sdk/issues/114 */
  const refuseGrant = () => refuse(401, 283, 'The authorization grant is invalid')

  const grant = ({ headers, body }: Recorded): Reply => {
    const { app } = current()
    const form = (body ?? {}) as Record<string, string>
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')
    const isForm = /^application\/x-www-form-urlencoded/.test(headers['content-type'] ?? '')
    if (headers.authorization !== `Basic ${basic}` || 'client_secret' in form)
      return refuse(401, 2, 'Authentication failed.')
    if (!isForm) return refuse(400, 1, 'Invalid request body')
    const now = clock().getTime()
    if (form.grant_type === 'refresh_token') {
      const known = refreshTokens.get(form.refresh_token ?? '')
      if (!known || known.endsAt < now) return refuseGrant()
      refreshTokens.delete(form.refresh_token!)
      return issue(known.scopes, 'refresh_token')
    }
    const code = codes.get(form.code ?? '')
    codes.delete(form.code ?? '')
    if (form.grant_type !== 'authorization_code') return refuse(400, 1, 'Invalid grant_type')
    if (!code || code.redirectUri !== form.redirect_uri) return refuseGrant()
    return current().isOldApp && form.continuous_refresh !== 'true' ? issueLegacy(code.scopes) : issue(code.scopes)
  }

  /** Its refresh token "is no longer supported". */
  const issueLegacy = (scopes: string[]): Reply => {
    const reply = issue(scopes)
    const { refresh_token_expires_at: _, ...body } = reply.body as {
      refresh_token: string
      refresh_token_expires_at: number
    }
    refreshTokens.delete(body.refresh_token)
    return { ...reply, body: { ...body, refresh_token_expires_in: LEGACY_REFRESH_SECONDS } }
  }

  const issue = (scopes: string[], type = 'authorization_code'): Reply => {
    const [accessToken, refreshToken] = [`pina_${++issued}`, `pinr_${issued}`]
    const endsAt = clock().getTime() + REFRESH_SECONDS * 1000
    tokens.set(accessToken, { scopes: new Set(scopes), status: 'active' })
    refreshTokens.set(refreshToken, { scopes, endsAt })
    return {
      status: 200,
      body: {
        response_type: type,
        access_token: accessToken,
        refresh_token: refreshToken,
        token_type: 'bearer',
        expires_in: ACCESS_SECONDS,
        refresh_token_expires_in: REFRESH_SECONDS,
        refresh_token_expires_at: Math.floor(endsAt / 1000),
        scope: scopes.join(' '),
      },
    }
  }

  const respond = (call: Recorded): Reply | undefined => {
    if (call.path === '/oauth/' && call.method === 'GET') return authorize(call)
    return call.path === '/v5/oauth/token' && call.method === 'POST' ? grant(call) : undefined
  }

  return {
    switches,
    respond,
    use: (fake: FakePinterestOAuth) => {
      current = () => fake
    },
  }
}
