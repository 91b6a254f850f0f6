import { randomUUID } from 'node:crypto'
import { type Recorded, Refused, type Reply } from './network.ts'

export const ALL_SCOPES = ['identity', 'submit', 'history', 'read', 'flair', 'mysubreddits']

/** `edit` is for apps that ask for it. */
const KNOWN_SCOPES = [...ALL_SCOPES, 'edit']

/** The consent of a user to the app. */
interface Grant {
  scopes: readonly string[]
  isRevoked: boolean
}

interface Token {
  kind: 'code' | 'access' | 'refresh'
  grant: Grant
  expiresAt: number
  /** The redirect URI of a code. */
  redirectUri?: string
  isPermanent?: boolean
  isUsed?: boolean
}

const LIFE_MS = { code: 600_000, access: 86_400_000, refresh: Number.POSITIVE_INFINITY }

/**
 * https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/oauth2.py, with the life of tokens of today.
 */
export function createAuthorization(clock: () => number) {
  const app = {
    clientId: 'p-jcoLKBynTLew_Web',
    clientSecret: 'gko_LXELoV07ZBNUXrvWZfzE3aI-Ap',
    redirectUri: 'https://postroom.example/connect/callback',
    /** Reddit has approved the app. */
    isApproved: true,
  }
  const tokens = new Map<string, Token>()

  const issue = (kind: Token['kind'], grant: Grant, rest: Partial<Token> = {}) => {
    const value = `${kind === 'code' ? '' : '7302867-'}${randomUUID()}`
    tokens.set(value, { kind, grant, expiresAt: clock() + LIFE_MS[kind], ...rest })
    return value
  }
  const find = (value: string | undefined, kind: Token['kind']) => {
    const token = tokens.get(value ?? '')
    return token?.kind === kind && !token.grant.isRevoked && token.expiresAt > clock() ? token : undefined
  }
  const answer = (grant: Grant, refreshToken: string | undefined): Reply => ({
    status: 200,
    body: {
      access_token: issue('access', grant),
      token_type: 'bearer',
      expires_in: LIFE_MS.access / 1000,
      ...(refreshToken && { refresh_token: refreshToken }),
      scope: grant.scopes.join(' '),
    },
  })
  /** Errors of this endpoint have status 200. */
  const refuse = (error: string): Reply => ({ status: 200, body: { error } })

  function exchange({ code, redirect_uri: redirectUri }: Record<string, string>): Reply {
    const token = tokens.get(code ?? '')
    // https://www.reddit.com/r/redditdev/comments/kvzaot: a second use ends what the first one gave.
    if (token?.kind === 'code' && token.isUsed) token.grant.isRevoked = true
    if (token !== find(code, 'code') || !token || token.redirectUri !== redirectUri) return refuse('invalid_grant')
    token.isUsed = true
    return answer(token.grant, token.isPermanent ? issue('refresh', token.grant) : undefined)
  }

  function checkClient({ headers }: Recorded): void {
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')
    if (headers.authorization !== `Basic ${basic}` || !app.isApproved) {
      throw new Refused({ status: 401, body: { message: 'Unauthorized', error: 401 } })
    }
  }

  return {
    app,
    /** `POST /api/v1/access_token`. A refresh token stays the same. */
    token(call: Recorded): Reply {
      checkClient(call)
      const form = (call.body ?? {}) as Record<string, string>
      if (form.grant_type === 'authorization_code') return exchange(form)
      if (form.grant_type !== 'refresh_token') return refuse('unsupported_grant_type')
      const token = find(form.refresh_token, 'refresh')
      if (!token) return { status: 400, body: { message: 'Bad Request', error: 400 } }
      return answer(token.grant, form.refresh_token)
    },
    /** `POST /api/v1/revoke_token` */
    revoke(call: Recorded): Reply {
      checkClient(call)
      const token = tokens.get((call.body as Record<string, string>)?.token ?? '')
      if (token) token.grant.isRevoked = true
      return { status: 200, body: '' }
    },
    /** The user opens the page and consents: the address that Reddit redirects to. Throws if Reddit shows an error. */
    consent(page: URL, isAllowed = true): URL {
      const get = (name: string) => page.searchParams.get(name) ?? ''
      const isValid =
        `${page.origin}${page.pathname}` === 'https://www.reddit.com/api/v1/authorize' &&
        get('client_id') === app.clientId &&
        get('redirect_uri') === app.redirectUri &&
        /^[ -~]+$/.test(get('state'))
      if (!isValid) throw new Error(`bad request (reddit.com): you sent an invalid request (${page})`)
      const callback = new URL(app.redirectUri)
      callback.searchParams.set('state', get('state'))
      const scopes = get('scope').split(/[ ,]/)
      const error =
        get('response_type') !== 'code'
          ? 'unsupported_response_type'
          : scopes.some((scope) => !KNOWN_SCOPES.includes(scope))
            ? 'invalid_scope'
            : !isAllowed && 'access_denied'
      if (error) callback.searchParams.set('error', error)
      else {
        const rest = { redirectUri: app.redirectUri, isPermanent: get('duration') === 'permanent' }
        callback.searchParams.set('code', issue('code', { scopes, isRevoked: false }, rest))
      }
      return callback
    },
    /** Tokens of a user who has consented. */
    grant(scopes: readonly string[] = KNOWN_SCOPES) {
      const grant: Grant = { scopes, isRevoked: false }
      return { accessToken: issue('access', grant), refreshToken: issue('refresh', grant), grant }
    },
    /** Undefined if the token is unknown, expired or revoked. */
    callerOf: ({ headers }: Recorded) => find(headers.authorization?.replace(/^Bearer /, ''), 'access')?.grant,
  }
}
