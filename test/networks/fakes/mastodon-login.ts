import { createHash, randomUUID } from 'node:crypto'
import { type Recorded, Refused, type Reply } from './network.ts'

interface App {
  clientId: string
  clientSecret: string
  redirectUris: string[]
  scopes: string[]
}

interface Code {
  app: App
  scopes: string[]
  redirectUri: string
  challenge: string | null
  expiresAt: number
}

interface Token {
  app: App
  scopes: string[]
  /** False for the token of an app. */
  hasUser: boolean
}

/** Those of https://docs.joinmastodon.org/api/oauth-scopes/ that the tests need. */
const SCOPES = [
  ...['read', 'read:accounts', 'read:statuses', 'read:lists', 'profile'],
  ...['write', 'write:accounts', 'write:media', 'write:statuses', 'follow', 'push'],
]
/** Those of Pixelfed, which ignores the scopes of an app: app/Providers/AuthServiceProvider.php. */
const COARSE_SCOPES = ['read', 'write', 'follow', 'push']
const CODE_LIFE_MS = 600_000

export const refuse = (status: number, error: string): never => {
  throw new Refused({ status, body: { error } })
}
const oauthError = (status: number, error: string, error_description: string): never => {
  throw new Refused({ status, body: { error, error_description } })
}
const unknownClient = () =>
  oauthError(
    401,
    'invalid_client',
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  )
const invalidScope = () => oauthError(400, 'invalid_scope', 'The requested scope is invalid, unknown, or malformed.')
const invalidGrant = () =>
  oauthError(
    400,
    'invalid_grant',
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  )

export type MastodonLogin = ReturnType<typeof createLogin>

/**
 * The authorization server of an instance, by https://docs.joinmastodon.org/methods/apps/ and
 * https://docs.joinmastodon.org/methods/oauth/. Scopes and redirect URIs have to be those of the app, a code works
 * once, tokens do not expire.
 */
export function createLogin(origin: string, clock: () => Date) {
  const apps: App[] = []
  const codes = new Map<string, Code>()
  const tokens = new Map<string, Token>()

  const issue = (token: Token): Reply => {
    const value = `${token.hasUser ? 'user' : 'app'}-${randomUUID()}`
    tokens.set(value, token)
    const created_at = Math.floor(clock().getTime() / 1000)
    return {
      status: 200,
      body: { access_token: value, token_type: 'Bearer', scope: token.scopes.join(' '), created_at },
    }
  }
  const tokenOf = ({ headers }: Recorded): Token => {
    const token = tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
    return token ?? refuse(401, 'The access token is invalid')
  }

  // https://docs.joinmastodon.org/methods/apps/#create
  function createApp({ client_name: name = '', redirect_uris: uris = '', scopes = 'read' }: Form): Reply {
    if (!String(name).trim()) refuse(422, "Validation failed: Name can't be blank")
    // https://github.com/mastodon/mastodon/blob/main/app/lib/application_extension.rb
    if (String(name).length > 60) refuse(422, 'Validation failed: Name is too long (maximum is 60 characters)')
    const isList = Array.isArray(uris)
    if (isList && login.isBefore43) refuse(422, "Validation failed: Redirect URI can't be blank")
    const redirectUris = isList ? uris.map(String) : String(uris).split(/\s+/).filter(Boolean)
    if (redirectUris.length === 0) refuse(422, "Validation failed: Redirect URI can't be blank")
    if (!redirectUris.every((uri) => URL.canParse(uri))) {
      refuse(422, 'Validation failed: Redirect URI must be an absolute URI.')
    }
    const asked = login.isCoarse ? COARSE_SCOPES : String(scopes).split(' ')
    if (!asked.every((scope) => SCOPES.includes(scope))) {
      refuse(422, "Validation failed: Scopes doesn't match configured on the server.")
    }
    const app = { clientId: `id-${randomUUID()}`, clientSecret: `s3cret-${randomUUID()}`, redirectUris, scopes: asked }
    apps.push(app)
    return { status: 200, body: shownApp(app, String(name), login.isBefore43) }
  }

  function requestToken(call: Recorded): Reply {
    const form = (call.body ?? {}) as Form
    const basic = Buffer.from(/^Basic (.+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '', 'base64')
    const [basicId, basicSecret] = basic.toString().split(':')
    const { client_id: id = basicId, client_secret: secret = basicSecret } = form
    const app = apps.find(({ clientId, clientSecret }) => clientId === id && clientSecret === secret) ?? unknownClient()
    if (form.grant_type === 'client_credentials') {
      const scopes = String(form.scope ?? 'read').split(' ')
      return scopes.every((scope) => app.scopes.includes(scope))
        ? issue({ app, scopes, hasUser: false })
        : invalidScope()
    }
    if (form.grant_type !== 'authorization_code') {
      return oauthError(
        400,
        'unsupported_grant_type',
        'The authorization grant type is not supported by the authorization server.',
      )
    }
    const code = codes.get(String(form.code))
    codes.delete(String(form.code))
    const isRight =
      code?.app === app &&
      code.redirectUri === form.redirect_uri &&
      code.expiresAt > clock().getTime() &&
      proves(code, form)
    return isRight ? issue({ app, scopes: code.scopes, hasUser: true }) : invalidGrant()
  }

  // https://docs.joinmastodon.org/methods/oauth/#revoke
  function revokeToken({ client_id: id, client_secret: secret, token }: Form): Reply {
    const found = tokens.get(String(token))
    if (found && (found.app.clientId !== id || found.app.clientSecret !== secret)) {
      oauthError(403, 'unauthorized_client', 'You are not authorized to revoke this token')
    }
    tokens.delete(String(token))
    return { status: 200, body: {} }
  }

  const login = {
    /** Mastodon before 4.3 has no discovery and no PKCE, and takes one redirect URI in an app. */
    isBefore43: false,
    /** Software that knows whole scopes alone, and has no discovery. */
    isCoarse: false,
    apps,
    /** The reply to a call of this server; undefined for other calls. */
    respond(call: Recorded): Reply | undefined {
      switch (`${call.method} ${call.path}`) {
        case 'POST /api/v1/apps':
          return createApp((call.body ?? {}) as Form)
        case 'GET /api/v1/apps/verify_credentials': {
          const { app } = tokenOf(call)
          return { status: 200, body: shownApp(app, 'Postroom', login.isBefore43, false) }
        }
        case 'POST /oauth/token':
          return requestToken(call)
        case 'POST /oauth/revoke':
          return revokeToken((call.body ?? {}) as Form)
        case 'GET /.well-known/oauth-authorization-server':
          return login.isBefore43 || login.isCoarse ? NOT_FOUND : { status: 200, body: metadataOf(origin) }
        default:
          return undefined
      }
    },
    /** The scopes of a user's token. Throws for a token that is invalid, or that belongs to an app. */
    scopesOf(call: Recorded): Set<string> {
      const { scopes, hasUser } = tokenOf(call)
      if (!hasUser) refuse(422, 'This method requires an authenticated user')
      return new Set(scopes)
    },
    /**
     * The user opens the consent page and consents: the address that Mastodon redirects to. Throws if it shows an
     * error.
     */
    consent(page: URL): URL {
      const get = (name: string) => page.searchParams.get(name)
      const app = apps.find(({ clientId }) => clientId === get('client_id'))
      const scopes = (get('scope') ?? 'read').split(' ')
      const challenge = login.isBefore43 ? null : get('code_challenge')
      const redirectUri = get('redirect_uri') ?? ''
      const isValid =
        `${page.origin}${page.pathname}` === `${origin}/oauth/authorize` &&
        get('response_type') === 'code' &&
        app?.redirectUris.includes(redirectUri) &&
        scopes.every((scope) => app.scopes.includes(scope)) &&
        (challenge === null || (get('code_challenge_method') === 'S256' && /^[\w-]{43}$/.test(challenge)))
      if (!isValid) throw new Error(`The instance shows an error: ${page}`)
      const value = randomUUID()
      codes.set(value, { app: app!, scopes, redirectUri, challenge, expiresAt: clock().getTime() + CODE_LIFE_MS })
      const callback = new URL(redirectUri)
      callback.searchParams.set('code', value)
      if (get('state') !== null) callback.searchParams.set('state', get('state')!)
      return callback
    },
    /** Mastodon before 4.3 deletes apps that never had a token. */
    deleteUnusedApps() {
      const used = new Set([...tokens.values()].map(({ app }) => app))
      apps.splice(0, apps.length, ...apps.filter((app) => used.has(app)))
    },
    /** Sets the instance up again. */
    forgetApps() {
      apps.length = 0
      tokens.clear()
    },
  }
  return login
}

/** Pages outside of the API are HTML. */
const NOT_FOUND: Reply = {
  status: 404,
  headers: { 'content-type': 'text/html' },
  body: '<title>The page you are looking for isn’t here.</title>',
}

type Form = Record<string, unknown>

const proves = ({ challenge }: Code, { code_verifier: verifier }: Form) =>
  challenge === null || createHash('sha256').update(String(verifier)).digest('base64url') === challenge

/** https://docs.joinmastodon.org/entities/Application/#CredentialApplication */
function shownApp(
  { clientId, clientSecret, redirectUris, scopes }: App,
  name: string,
  isBefore43: boolean,
  isNew = true,
) {
  return {
    id: '563419',
    name,
    website: null,
    redirect_uri: redirectUris.join('\n'),
    ...(!isBefore43 && { scopes, redirect_uris: redirectUris }),
    ...(isNew && { client_id: clientId, client_secret: clientSecret }),
    ...(isNew && !isBefore43 && { client_secret_expires_at: 0 }),
  }
}

const metadataOf = (origin: string) => ({
  issuer: `${origin}/`,
  service_documentation: 'https://docs.joinmastodon.org/',
  authorization_endpoint: `${origin}/oauth/authorize`,
  token_endpoint: `${origin}/oauth/token`,
  app_registration_endpoint: `${origin}/api/v1/apps`,
  revocation_endpoint: `${origin}/oauth/revoke`,
  userinfo_endpoint: `${origin}/oauth/userinfo`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query', 'fragment', 'form_post'],
  code_challenge_methods_supported: ['S256'],
  grant_types_supported: ['authorization_code', 'client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
})
