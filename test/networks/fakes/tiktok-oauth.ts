import { createHash, randomUUID } from 'node:crypto'
import { type Recorded, Refused, type Reply } from './network.ts'

/** The consent of a user to an app. */
interface Grant {
  scopes: readonly string[]
  isRevoked: boolean
}

interface Token {
  kind: 'code' | 'access' | 'refresh'
  grant: Grant
  expiresAt: number
  redirectUri?: string
  challenge?: string
}

export const SCOPES = ['user.info.basic', 'user.info.profile', 'video.publish', 'video.upload']

const SECOND = 1_000
const CODE_MS = 600 * SECOND

/**
 * The page does not say which status errors have. This one was seen:
 * https://github.com/HohnerJulian/ResearchTikPy/pull/28
 */
const refuse = (error: string, description: string): never => {
  throw new Refused({ status: 200, body: { error, error_description: description, log_id: '20260911' } })
}

/**
 * The authorization server of TikTok, by https://developers.tiktok.com/doc/login-kit-web,
 * https://developers.tiktok.com/doc/login-kit-desktop (the challenge),
 * https://developers.tiktok.com/docs/en/oauth-refresh-a-user-access-token and …/doc/oauth-error-handling.
 */
export function createAuthorization(openId: string, clock: () => Date) {
  const app = {
    clientId: 'awpostroomclientkey',
    clientSecret: 'app-s3cret-of-Postroom',
    redirectUris: ['https://postroom.example/connect/callback'],
    scopes: SCOPES,
  }
  const tokens = new Map<string, Token>()
  const life = { accessSeconds: 7_200, refreshSeconds: 15_552_000 }

  const issue = (kind: Token['kind'], grant: Grant, lifeMs: number, rest: Partial<Token> = {}) => {
    // Codes have characters that an address encodes.
    const value =
      kind === 'code' ? `${randomUUID()}*1!6305` : `${kind === 'access' ? 'act' : 'rft'}.${randomUUID()}!5301`
    tokens.set(value, { kind, grant, expiresAt: clock().getTime() + lifeMs, ...rest })
    return value
  }
  const issuePair = (grant: Grant) => ({
    accessToken: issue('access', grant, life.accessSeconds * SECOND),
    refreshToken: issue('refresh', grant, life.refreshSeconds * SECOND),
  })
  const find = (value: string | undefined, kind: Token['kind']) => {
    const token = tokens.get(value ?? '')
    const isAlive = token?.kind === kind && !token.grant.isRevoked && token.expiresAt > clock().getTime()
    return isAlive ? token : undefined
  }
  const respond = (grant: Grant): Reply => {
    const { accessToken, refreshToken } = issuePair(grant)
    const body = {
      open_id: openId,
      scope: grant.scopes.join(','),
      access_token: accessToken,
      expires_in: life.accessSeconds,
      refresh_token: refreshToken,
      refresh_expires_in: life.refreshSeconds,
      token_type: 'Bearer',
    }
    return { status: 200, body }
  }

  function formOf({ headers, body }: Recorded): Record<string, string> {
    const form = (body ?? {}) as Record<string, string>
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
    if (!isForm) refuse('invalid_request', 'Only `application/x-www-form-urlencoded` is accepted as Content-Type.')
    if ('client_id' in form) refuse('invalid_request', 'Unknown parameter client_id.')
    const isApp = form.client_key === app.clientId && form.client_secret === app.clientSecret
    if (!isApp) refuse('invalid_client', 'Client key or secret is incorrect.')
    return form
  }

  function exchange({ code = '', redirect_uri: redirectUri, code_verifier: verifier = '' }: Record<string, string>) {
    const token = find(code, 'code')
    tokens.delete(code)
    const challenge = createHash('sha256').update(verifier).digest('hex')
    if (!token) return refuse('invalid_grant', 'Authorization code is expired.')
    if (token.redirectUri !== redirectUri) refuse('invalid_grant', 'Redirect_uri is not matched with the uri.')
    if (token.challenge !== challenge) refuse('invalid_grant', 'Code verifier or code challenge is invalid.')
    return respond(token.grant)
  }

  function refresh({ refresh_token: value = '' }: Record<string, string>): Reply {
    const token = find(value, 'refresh')
    if (!token) return refuse('invalid_grant', 'Refresh token is invalid or expired.')
    tokens.delete(value)
    return respond(token.grant)
  }

  return {
    app,
    life,
    /** `POST /v2/oauth/token/` */
    token(call: Recorded): Reply {
      const form = formOf(call)
      if (form.grant_type === 'authorization_code') return exchange(form)
      if (form.grant_type === 'refresh_token') return refresh(form)
      return refuse('unsupported_grant_type', 'Grant type is not supported.')
    },
    /** `POST /v2/oauth/revoke/`: of an access token. */
    revoke(call: Recorded): Reply {
      const token = find(formOf(call).token, 'access')
      if (!token) return refuse('invalid_request', 'The token is invalid.')
      token.grant.isRevoked = true
      return { status: 200 }
    },
    /**
     * The user opens the consent page and consents: the address that TikTok redirects to. Throws if it shows an error.
     */
    consent(page: URL, scopes?: readonly string[]): URL {
      const get = (name: string) => page.searchParams.get(name) ?? ''
      const asked = get('scope').split(',')
      const isValid =
        `${page.origin}${page.pathname}` === 'https://www.tiktok.com/v2/auth/authorize/' &&
        get('response_type') === 'code' &&
        get('client_key') === app.clientId &&
        !page.searchParams.has('client_id') &&
        app.redirectUris.includes(get('redirect_uri')) &&
        get('state') !== '' &&
        get('code_challenge_method') === 'S256' &&
        /^[0-9a-f]{64}$/.test(get('code_challenge')) &&
        asked.every((scope) => app.scopes.includes(scope))
      if (!isValid) throw new Error(`Something went wrong: we could not log in with TikTok (${page})`)
      const grant = { scopes: scopes ?? asked, isRevoked: false }
      const callback = new URL(get('redirect_uri'))
      const rest = { redirectUri: get('redirect_uri'), challenge: get('code_challenge') }
      callback.searchParams.set('code', issue('code', grant, CODE_MS, rest))
      callback.searchParams.set('scopes', grant.scopes.join(','))
      callback.searchParams.set('state', get('state'))
      return callback
    },
    /** Tokens of a user who has consented. */
    grant(scopes: readonly string[] = SCOPES) {
      const grant: Grant = { scopes, isRevoked: false }
      return { ...issuePair(grant), grant }
    },
    /** Who calls with the header; undefined if the token is unknown, expired or revoked. */
    callerOf: ({ headers }: Recorded) => find(headers.authorization?.replace(/^Bearer /, ''), 'access')?.grant,
  }
}
