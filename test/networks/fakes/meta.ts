import type { FakeInstagram } from './instagram.ts'
import { type Recorded, Refused, type Reply } from './network.ts'
import { type NetworkControls, set } from './scene.ts'
import type { FakeThreads } from './threads.ts'

/** An error of the Graph API: https://developers.facebook.com/docs/graph-api/guides/error-handling */
export function refuse(
  code: number,
  message: string,
  { status = 400, subcode, title, type = 'OAuthException' }: RefusalOptions = {},
): never {
  throw new Refused({ status, body: errorBody(code, message, { subcode, title, type }) })
}

interface RefusalOptions {
  status?: number | undefined
  subcode?: number | undefined
  title?: string | undefined
  type?: string | undefined
}

export const errorBody = (code: number, message: string, { subcode, title, type }: RefusalOptions = {}) => ({
  error: {
    message,
    type: type ?? 'OAuthException',
    code,
    ...(subcode !== undefined && { error_subcode: subcode }),
    is_transient: false,
    ...(title !== undefined && { error_user_title: title }),
    fbtrace_id: 'AbcDefGhIjk',
  },
})

/**
 * The response when a limit of calls is exceeded: https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 */
export const throttled = (seconds: number): Reply => ({
  status: 400,
  headers: { 'retry-after': String(seconds) },
  body: errorBody(4, 'Application request limit reached'),
})

interface Token {
  kind: 'short' | 'long'
  scopes: string[]
  issuedAt: number
  expiresAt: number
}

const HOUR = 3_600_000
const DAY = 86_400_000

interface TokenServiceOptions {
  prefix: 'th' | 'ig'
  /** The scope without which nobody can log in. */
  basicScope: string
  /** Above 2^53, as in the example of the pages. */
  userId: string
  clock(): number
  /** The token response of a code. */
  codeResponse(accessToken: string, scopes: string[]): string
}

/** The login of Instagram and Threads, with tokens of an hour and of 60 days. */
export function createTokenService({ prefix, basicScope, userId, clock, codeResponse }: TokenServiceOptions) {
  const app = { clientId: '990602627938098', clientSecret: 'a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4' }
  const redirectUri = 'https://postroom.example/connect/callback'
  const tokens = new Map<string, Token>()
  const codes = new Map<string, { redirectUri: string; scopes: string[]; until: number }>()
  let count = 0

  const issue = (kind: Token['kind'], scopes: string[], issuedAt = clock()): string => {
    const token = `${prefix === 'th' ? 'THAA' : 'IGAA'}${kind}${++count}ZDZD_x`
    tokens.set(token, { kind, scopes, issuedAt, expiresAt: issuedAt + (kind === 'short' ? HOUR : 60 * DAY) })
    return token
  }

  const service = {
    app,
    redirectUri,
    userId,
    issue,
    /** Whether a refresh ends the token that it refreshes. No page says so. */
    endsRefreshed: true,
    /** Scopes that the user takes away on the page. */
    withheld: [] as string[],
    /** Returns how it is undone. */
    revoke(token: string): () => void {
      const revoked = tokens.get(token)!
      tokens.delete(token)
      return () => void tokens.set(token, revoked)
    },
    /** Returns how it is undone. */
    expire(token: string): () => void {
      const expired = tokens.get(token)!
      tokens.set(token, { ...expired, expiresAt: 0 })
      return () => void tokens.set(token, expired)
    },

    /** The token of a call, as a parameter. */
    check({ query, body }: Recorded): Token & { text: string } {
      const text = query.access_token ?? (body as Record<string, string> | undefined)?.access_token
      if (!text) return refuse(190, 'An access token is required to request this resource.', { status: 400 })
      const token = tokens.get(text)
      if (!token) return refuse(190, 'Invalid OAuth access token - Cannot parse access token')
      if (token.expiresAt <= clock()) {
        return refuse(190, 'Error validating access token: Session has expired', { subcode: 463 })
      }
      return { ...token, text }
    },

    /** The page where the user consents; the response is what follows a click. */
    authorize({ query }: Recorded): Reply {
      const scopes = (query.scope ?? '').split(/[ ,]/)
      const isValid =
        query.client_id === app.clientId && query.redirect_uri === redirectUri && query.response_type === 'code'
      if (!isValid || !scopes.includes(basicScope)) return { status: 400, body: '<html>Invalid request</html>' }
      const code = `AQB${++count}x_`
      const granted = scopes.filter((scope) => !service.withheld.includes(scope))
      codes.set(code, { redirectUri, scopes: granted, until: clock() + HOUR })
      const location = `${redirectUri}?${new URLSearchParams({ code, state: query.state ?? '' })}#_`
      return { status: 302, headers: { location } }
    },

    exchangeCode({ body, headers }: Recorded): Reply {
      const { client_id, client_secret, grant_type, redirect_uri, code = '' } = (body ?? {}) as Record<string, string>
      const known = codes.get(code)
      codes.delete(code)
      const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
      const isValid =
        isForm &&
        client_id === app.clientId &&
        client_secret === app.clientSecret &&
        grant_type === 'authorization_code' &&
        redirect_uri === known?.redirectUri
      if (!known || !isValid || known.until <= clock()) {
        const message = 'Matching code was not found or was already used'
        return { status: 400, body: { error_type: 'OAuthException', code: 400, error_message: message } }
      }
      return { status: 200, body: codeResponse(issue('short', known.scopes), known.scopes) }
    },

    exchangeToken(call: Recorded): Reply {
      const { kind, scopes } = service.check(call)
      if (call.query.grant_type !== `${prefix}_exchange_token`) refuse(100, 'Unsupported grant type')
      if (call.query.client_secret !== app.clientSecret) refuse(1, 'Error validating client secret.')
      if (kind !== 'short')
        refuse(452, 'Session key invalid. This could be because the session key has an incorrect format')
      return issued(issue('long', scopes))
    },

    refresh(call: Recorded): Reply {
      const { kind, scopes, issuedAt, text } = service.check(call)
      if (call.query.grant_type !== `${prefix}_refresh_token`) refuse(100, 'Unsupported grant type')
      if (kind !== 'long' || clock() - issuedAt < DAY) refuse(100, 'The token must be at least 24 hours old')
      if (!scopes.includes(basicScope)) refuse(10, 'Permission denied', { status: 403 })
      if (service.endsRefreshed) tokens.delete(text)
      return issued(issue('long', scopes))
    },
  }
  const issued = (accessToken: string): Reply => ({
    status: 200,
    body: { access_token: accessToken, token_type: 'bearer', expires_in: 5_183_944 },
  })
  return service
}

/** Refuses a call whose token lacks a scope. */
export function needScope({ scopes }: Pick<Token, 'scopes'>, scope: string): void {
  if (!scopes.includes(scope)) {
    refuse(10, `Application does not have permission for this action: ${scope}`, { status: 403 })
  }
}

/** Refuses fields that an object does not have: one unknown field fails the whole read. */
export function checkFields({ query }: Recorded, known: readonly string[]): string[] {
  const fields = (query.fields ?? 'id').split(',')
  const unknown = fields.find((field) => !known.includes(field))
  if (unknown) refuse(100, `Tried accessing nonexisting field (${unknown})`, { type: 'THApiException' })
  return fields
}

export const pick = (object: object, fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(object).filter(([name, value]) => fields.includes(name) && value !== undefined))

/** Parameters that a call cannot do without. */
const REQUIRED = [
  ...['access_token', 'media_type', 'image_url', 'video_url', 'is_carousel_item', 'children', 'creation_id'],
  ...['text', 'message'],
]

/**
 * The form of a call that creates something. JSON bodies lose their optional parameters:
 * https://github.com/exileum/meta-mcp/blob/main/CHANGELOG.md, 3.1.0
 */
export function formOf({ body, headers }: Recorded, known: readonly string[]): Record<string, string> {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  const entries = Object.entries((body ?? {}) as object).filter(([name]) => isForm || REQUIRED.includes(name))
  const form = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
  const unknown = Object.keys(form).find((name) => name !== 'access_token' && !known.includes(name))
  if (unknown) refuse(100, `Unknown parameter ${unknown}`)
  return form
}

/** `2026-01-02T03:04:05+0000` */
export const timestampOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}+0000`

/** Both fill containers, for texts too. */
export function containerControls(fake: FakeInstagram | FakeThreads, problem: string): NetworkControls {
  const { accessToken } = fake.credentials
  return {
    limited: throttled,
    unauthorized: [401],
    secret: accessToken,
    revokeToken: () => fake.tokens.revoke(accessToken),
    expireToken: () => fake.tokens.expire(accessToken),
    // Counted in looks.
    showLate: () => set<{ lag: number; statusLag: number }>(fake, { lag: 1, statusLag: 2 }),
    processes: () => true,
    process: (looks) => set<object>(fake.next, looks === 'fails' ? { problem } : { looks }),
  }
}
