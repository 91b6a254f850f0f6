import { createHash, randomBytes } from 'node:crypto'
import { type Recorded, Refused, type Reply } from './network.ts'

/** The origin of the token endpoint. */
export const GOOGLE_OAUTH = 'https://oauth2.googleapis.com'

/** The consent of a user to the app. Its tokens end together. */
interface Grant {
  userId: string
  scopes: readonly string[]
  isRevoked: boolean
}

interface Token {
  kind: 'code' | 'access' | 'refresh'
  grant: Grant
  /** Milliseconds since 1970. */
  expiresAt: number
  /** The redirect URI for which a code was issued. */
  redirectUri?: string
  challenge?: string
  isOffline?: boolean
}

const SECOND_MS = 1_000
const DAY_MS = 86_400 * SECOND_MS
const LIFE_MS = { code: 600 * SECOND_MS, access: 3_599 * SECOND_MS, refresh: 182 * DAY_MS }

/**
 * https://developers.google.com/identity/protocols/oauth2#expiration: of an app in testing, and the most for one user.
 */
const TESTING_LIFE_MS = 7 * DAY_MS
const REFRESH_TOKENS_MAX = 100

/**
 * Google's authorization server, by https://developers.google.com/identity/protocols/oauth2/web-server, for an app with
 * these scopes. The errors of the token endpoint are those of
 * https://github.com/prasmussen/gdrive/issues/554 and https://github.com/morgoth/picasa/issues/39.
 */
export function createGoogleAuthorization(scopes: readonly string[], clock: () => Date) {
  const app = {
    clientId: '407408718192-postroom.apps.googleusercontent.com',
    clientSecret: 'GOCSPX-s3cret_of-Postroom',
    redirectUris: ['https://postroom.example/connect/callback'],
    /** The scopes of the APIs that the app may use. */
    scopes,
    /** "External" with the publishing status "Testing". */
    isTesting: false,
    isDeleted: false,
  }
  const tokens = new Map<string, Token>()
  /** Users who have consented before. */
  const known = new Set<string>()

  const PREFIXES = { code: '4/0A', access: 'ya29.a0', refresh: '1//0g' }
  const issue = (kind: Token['kind'], grant: Grant, rest: Partial<Token> = {}) => {
    const value = `${PREFIXES[kind]}${randomBytes(24).toString('base64url')}`
    const lifeMs = kind === 'refresh' && app.isTesting ? TESTING_LIFE_MS : LIFE_MS[kind]
    tokens.set(value, { kind, grant, expiresAt: clock().getTime() + lifeMs, ...rest })
    return value
  }
  const find = (value: string | undefined, kind: Token['kind']) => {
    const token = tokens.get(value ?? '')
    const isAlive = token?.kind === kind && !token.grant.isRevoked && token.expiresAt > clock().getTime()
    return isAlive ? token : undefined
  }
  /** The oldest refresh token of a user ends silently when there are too many. */
  const issueRefreshToken = (grant: Grant) => {
    const others = [...tokens].filter(
      ([
        ,
        {
          kind,
          grant: { userId },
        },
      ]) => kind === 'refresh' && userId === grant.userId,
    )
    if (others.length >= REFRESH_TOKENS_MAX) tokens.delete(others[0]![0])
    return issue('refresh', grant)
  }
  const answer = (grant: Grant, refreshToken?: string): Reply => ({
    status: 200,
    body: {
      access_token: issue('access', grant),
      expires_in: LIFE_MS.access / SECOND_MS,
      ...(refreshToken && { refresh_token: refreshToken }),
      scope: grant.scopes.join(' '),
      token_type: 'Bearer',
    },
  })

  function exchange({ code = '', redirect_uri: redirectUri, code_verifier: verifier = '' }: Form): Reply {
    const token = find(code, 'code')
    if (!token) return refuse(400, 'invalid_grant', 'Malformed auth code.')
    tokens.delete(code)
    if (token.redirectUri !== redirectUri) refuse(400, 'redirect_uri_mismatch', 'Bad Request')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (token.challenge !== challenge) refuse(400, 'invalid_grant', 'Invalid code verifier.')
    return answer(token.grant, token.isOffline ? issueRefreshToken(token.grant) : undefined)
  }

  function refresh({ refresh_token: value }: Form): Reply {
    if (!value) refuse(400, 'invalid_request', 'Missing required parameter: refresh_token')
    const token = find(value, 'refresh')
    // There is no new refresh token.
    return token ? answer(token.grant) : refuse(400, 'invalid_grant', 'Token has been expired or revoked.')
  }

  return {
    app,
    /** `POST /token` and `POST /revoke`; undefined for other calls. */
    respond(call: Recorded): Reply | undefined {
      const form = (call.body ?? {}) as Form
      const isForm = call.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
      if (call.host !== new URL(GOOGLE_OAUTH).host || call.method !== 'POST') return undefined
      if (call.path === '/revoke') {
        const token = tokens.get(form.token ?? call.query.token ?? '')
        if (!token || token.grant.isRevoked) return refuse(400, 'invalid_token', 'Token expired or revoked')
        // All tokens of the user for the app.
        for (const { grant } of tokens.values()) if (grant.userId === token.grant.userId) grant.isRevoked = true
        return { status: 200, body: {} }
      }
      if (call.path !== '/token') return undefined
      if (!isForm) refuse(400, 'invalid_request', 'Required parameter is missing: grant_type')
      if (app.isDeleted) refuse(401, 'deleted_client', 'The OAuth client was deleted.')
      if (form.client_id !== app.clientId) refuse(401, 'invalid_client', 'The OAuth client was not found.')
      if (form.client_secret !== app.clientSecret) refuse(401, 'invalid_client', 'Unauthorized')
      if (form.grant_type === 'authorization_code') return exchange(form)
      if (form.grant_type === 'refresh_token') return refresh(form)
      return refuse(400, 'unsupported_grant_type', `Invalid grant_type: ${form.grant_type}`)
    },
    /**
     * The user opens the consent page, chooses an account and consents, to fewer scopes if given. Returns the address
     * that Google redirects to. Throws if Google shows an error page instead of redirecting.
     */
    consent(page: URL, { userId = 'the-user', granted }: { userId?: string; granted?: readonly string[] } = {}): URL {
      const get = (name: string) => page.searchParams.get(name) ?? ''
      const asked = get('scope').split(' ')
      const problem =
        (`${page.origin}${page.pathname}` !== 'https://accounts.google.com/o/oauth2/v2/auth' && '404') ||
        (get('client_id') !== app.clientId && 'Error 401: invalid_client') ||
        (!app.redirectUris.includes(get('redirect_uri')) && 'Error 400: redirect_uri_mismatch') ||
        (get('response_type') !== 'code' && 'Error 400: unsupported_response_type') ||
        (!asked.every((scope) => app.scopes.includes(scope)) && 'Error 400: invalid_scope') ||
        (!/^(?:none|(?:consent|select_account)(?: (?:consent|select_account))?|)$/.test(get('prompt')) &&
          'Error 400: invalid_request') ||
        (get('code_challenge_method') !== 'S256' && 'Error 400: invalid_request') ||
        (!/^[\w-]{43}$/.test(get('code_challenge')) && 'Error 400: invalid_request')
      if (problem) throw new Error(`${problem} (${page})`)
      const isForced = get('prompt').includes('consent') || !known.has(userId)
      known.add(userId)
      const code = issue(
        'code',
        { userId, scopes: granted ?? asked, isRevoked: false },
        {
          redirectUri: get('redirect_uri'),
          challenge: get('code_challenge'),
          isOffline: get('access_type') === 'offline' && isForced,
        },
      )
      const callback = new URL(get('redirect_uri'))
      const parameters = { state: get('state'), code, scope: (granted ?? asked).join(' ') }
      for (const [name, value] of Object.entries(parameters)) callback.searchParams.set(name, value)
      return callback
    },
    /** Tokens of a user who has consented. `access` is what the server keeps of the access token. */
    grant(userId = 'the-user', granted: readonly string[] = scopes) {
      const grant: Grant = { userId, scopes: granted, isRevoked: false }
      const accessToken = issue('access', grant)
      return { accessToken, refreshToken: issueRefreshToken(grant), access: tokens.get(accessToken)!, grant }
    },
    /** Who calls with the header; undefined if the token is unknown, expired or revoked. */
    callerOf: ({ headers }: Pick<Recorded, 'headers'>) =>
      find(headers.authorization?.replace(/^Bearer /, ''), 'access')?.grant,
  }
}

type Form = Record<string, string | undefined>

function refuse(status: number, error: string, description: string): never {
  throw new Refused({ status, body: { error, error_description: description } })
}
