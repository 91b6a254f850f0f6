import { createHash, randomUUID } from 'node:crypto'
import type { Recorded, Reply } from './network.ts'
import { tokenError } from './x-replies.ts'

/** The consent of a user to an app. Its tokens end together. */
interface Grant {
  userId: string
  scopes: readonly string[]
  isRevoked: boolean
}

interface Token {
  kind: 'code' | 'access' | 'refresh'
  grant: Grant
  expiresAt: number
  isUsed: boolean
  redirectUri?: string
  challenge?: string
}

const SECOND = 1_000
const LIFE = { code: 30 * SECOND, access: 7_200 * SECOND, refresh: 180 * 86_400 * SECOND }

const SCOPES = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access']

/**
 * The authorization server of X, by https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code and
 * https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token. A refresh token works once, and using it
 * again revokes the grant (https://github.com/trypostit/trypost/issues/126). The pages say neither, so `reuse` decides.
 */
export function createAuthorization(userId: string, clock: () => Date) {
  const app = {
    clientId: 'VGhlLWNsaWVudA_aWQtb2Y-UG9zdHJvb206MTpjaQ',
    /** Null for a public client. */
    clientSecret: 'app-s3cret_-of.Postroom' as string | null,
    redirectUris: ['https://postroom.example/connect/callback'],
    scopes: SCOPES,
  }
  const tokens = new Map<string, Token>()
  const switches = { reuse: 'revokes' as 'revokes' | 'is refused' | 'works' }

  const issue = (kind: Token['kind'], grant: Grant, rest: Partial<Token> = {}) => {
    const value = `${kind}-${randomUUID()}`
    tokens.set(value, { kind, grant, expiresAt: clock().getTime() + LIFE[kind], isUsed: false, ...rest })
    return value
  }
  const answer = (grant: Grant): Reply => ({
    status: 200,
    body: {
      token_type: 'bearer',
      expires_in: LIFE.access / SECOND,
      access_token: issue('access', grant),
      scope: grant.scopes.join(' '),
      ...(grant.scopes.includes('offline.access') && { refresh_token: issue('refresh', grant) }),
    },
  })
  const find = (value: string | undefined, kind: Token['kind']) => {
    const token = tokens.get(value ?? '')
    const isAlive = token?.kind === kind && !token.grant.isRevoked && token.expiresAt > clock().getTime()
    return isAlive ? token : undefined
  }

  function checkClient({ headers, body }: Recorded): void {
    const { client_id: clientId } = (body ?? {}) as Record<string, string>
    if (app.clientSecret === null) {
      if (clientId !== app.clientId) tokenError(400, 'invalid_request', 'Missing required parameter [client_id].')
      return
    }
    const [, credentials] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
    if (!credentials) tokenError(401, 'unauthorized_client', 'Missing valid authorization header')
    // As the page's example is: the parts are not percent-encoded.
    const isRight = Buffer.from(credentials!, 'base64').toString() === `${app.clientId}:${app.clientSecret}`
    if (!isRight) tokenError(401, 'unauthorized_client', 'Missing valid authorization header')
  }

  function exchange({ code, redirect_uri: redirectUri, code_verifier: verifier = '' }: Record<string, string>): Reply {
    const token = find(code, 'code')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (!token || token.isUsed || token.redirectUri !== redirectUri || token.challenge !== challenge) {
      return tokenError(400, 'invalid_request', 'Value passed for the authorization code was invalid.')
    }
    token.isUsed = true
    return answer(token.grant)
  }

  function refresh({ refresh_token: value }: Record<string, string>): Reply {
    const token = find(value, 'refresh')
    const isSpent = token?.isUsed && switches.reuse !== 'works'
    if (isSpent && switches.reuse === 'revokes') token.grant.isRevoked = true
    if (!token || isSpent) return tokenError(400, 'invalid_request', 'Value passed for the token was invalid.')
    token.isUsed = true
    return answer(token.grant)
  }

  return {
    app,
    switches,
    /** `POST /2/oauth2/revoke`. A grant ends with each of its tokens. */
    revoke(call: Recorded): Reply {
      checkClient(call)
      const token = tokens.get((call.body as Record<string, string>)?.token ?? '')
      if (!token) return tokenError(400, 'invalid_request', 'Missing required parameter [token].')
      token.grant.isRevoked = true
      return { status: 200, body: { revoked: true } }
    },
    /** `POST /2/oauth2/token` */
    token(call: Recorded): Reply {
      checkClient(call)
      const form = (call.body ?? {}) as Record<string, string>
      if (form.grant_type === 'authorization_code') return exchange(form)
      if (form.grant_type === 'refresh_token') return refresh(form)
      return tokenError(400, 'unsupported_grant_type', 'The grant type is not supported.')
    },
    /** The user opens the consent page and consents: the address that X redirects to. Throws if X shows an error. */
    consent(page: URL, scopes?: readonly string[]): URL {
      const { searchParams } = page
      const get = (name: string) => searchParams.get(name) ?? ''
      const asked = get('scope').split(' ')
      const isValid =
        `${page.origin}${page.pathname}` === 'https://x.com/i/oauth2/authorize' &&
        get('response_type') === 'code' &&
        get('client_id') === app.clientId &&
        app.redirectUris.includes(get('redirect_uri')) &&
        get('state') !== '' &&
        get('state').length <= 500 &&
        get('code_challenge_method') === 'S256' &&
        /^[\w-]{43}$/.test(get('code_challenge')) &&
        asked.every((scope) => app.scopes.includes(scope))
      if (!isValid) throw new Error(`Something went wrong: you were not able to give access to the app (${page})`)
      const grant = { userId, scopes: scopes ?? asked, isRevoked: false }
      const callback = new URL(get('redirect_uri'))
      callback.searchParams.set('state', get('state'))
      const rest = { redirectUri: get('redirect_uri'), challenge: get('code_challenge') }
      callback.searchParams.set('code', issue('code', grant, rest))
      return callback
    },
    /** Tokens of a user who has consented. */
    grant(scopes: readonly string[] = SCOPES) {
      const grant: Grant = { userId, scopes, isRevoked: false }
      return { accessToken: issue('access', grant), refreshToken: issue('refresh', grant), grant }
    },
    /** Who calls with the header; undefined if the token is unknown, expired or revoked. */
    callerOf: ({ headers }: Recorded) => find(headers.authorization?.replace(/^Bearer /, ''), 'access')?.grant,
  }
}
