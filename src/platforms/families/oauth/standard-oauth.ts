import { createHash } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import type { ErrorRow } from '../../contract/error-table.ts'
import type { OAuth, OAuthAccount, OAuthApp, OAuthIo, RefreshedTokens, Tokens } from '../../contract/oauth.ts'
import { PublishError, unauthorized, unexpected } from '../../contract/publish-error.ts'
import { object, TEXT } from '../../wire/answer.ts'
import { callNetwork, type NetworkRules, type Refusal } from '../../wire/call-network.ts'
import { textAt } from '../../wire/json.ts'

/** A network that keeps to RFC 6749, except for the differences that are named here. */
export interface StandardOAuth {
  /** For messages. */
  host: string
  authorizationEndpoint: string
  tokenEndpoint: string
  /** Absent if tokens are not revoked (RFC 7009). */
  revocationEndpoint?: string
  /** How the app proves its identity. An app without a secret sends its id alone. */
  authentication: 'basic' | 'body'
  /** The parameter with the id of the app; absent for `client_id`. */
  clientIdName?: string
  /** Whether the network takes a PKCE challenge (RFC 7636). `hex`: in hexadecimal instead of base64url. */
  pkce: boolean | 'hex'
  /** Between the scopes on the consent page; absent for a space. */
  scopeSeparator?: string
  scopes: readonly string[]
  requiredScopes: readonly string[]
  /**
   * Whether an error means that the code or the token was refused. Absent if errors have the codes of RFC 6749, 5.2.
   */
  isTokenRefused?(refusal: Refusal): boolean
  /** Whether an error is about the app. Absent if errors have the codes of RFC 6749, 5.2. */
  isAboutApp?(body: unknown): boolean
  /** Further parameters of the consent page. */
  parameters?: Readonly<Record<string, string>>
  /** Further parameters of the request that exchanges the code. */
  codeParameters?: Readonly<Record<string, string>>
  /** Absent if the network takes every User-Agent. */
  userAgent?(app: OAuthApp): string
  /** The operator's task if the network does not accept the app. Ends the message of that error. */
  appAdvice?: string
  afterLostResponse: NonNullable<OAuth['refresh']>['afterLostResponse']
  /** The accounts that the user can publish to with these tokens. */
  listAccounts(tokens: Tokens, io: OAuthIo, app: OAuthApp): Promise<OAuthAccount[]>
}

type Kept = { verifier: string }

/** The authorization code flow (RFC 6749, 4.1) and the refresh (6) of a network. */
export function standardOAuth(network: StandardOAuth): OAuth {
  const { host, scopes, requiredScopes, clientIdName = 'client_id', scopeSeparator = ' ' } = network

  return {
    scopes,
    requiredScopes,

    async begin({ app, redirectUri, state, scopes = network.scopes }) {
      const verifier = oauth.generateRandomCodeVerifier()
      const url = new URL(network.authorizationEndpoint)
      const parameters = {
        response_type: 'code',
        [clientIdName]: app.clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(scopeSeparator),
        state,
        ...(network.pkce && {
          code_challenge: await challengeOf(verifier, network),
          code_challenge_method: 'S256',
        }),
        ...network.parameters,
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return { url, kept: { verifier } satisfies Kept }
    },

    async finish({ app, redirectUri, callback, kept, scopes = network.scopes }, io) {
      const code = callback.get('code') ?? ''
      const secrets = network.pkce ? [code, (kept as Kept).verifier] : [code]
      const tokens = await requestTokens(network, app, secrets, io, async (server, client, proof, options) => {
        const parameters = oauth.validateAuthResponse(server, client, callback, oauth.skipStateCheck)
        const verifier = network.pkce ? (kept as Kept).verifier : oauth.nopkce
        const call = oauth.authorizationCodeGrantRequest(server, client, proof, parameters, redirectUri, verifier, {
          ...options,
          ...(network.codeParameters && { additionalParameters: network.codeParameters }),
        })
        return oauth.processAuthorizationCodeResponse(server, client, await call)
      })
      // Absent if all of them were granted: RFC 6749, 5.1.
      return network.listAccounts({ ...tokens, scopes: tokens.scopes ?? scopes }, io, app)
    },

    refresh: {
      afterLostResponse: network.afterLostResponse,
      isPossible: ({ refreshToken }) => refreshToken !== undefined,
      async run({ refreshToken, ...others }, app, io) {
        if (!refreshToken) throw unauthorized(`${host} gave no refresh token: connect the account again`)
        const tokens = await requestTokens(network, app, [refreshToken], io, async (server, client, proof, options) => {
          const call = oauth.refreshTokenGrantRequest(server, client, proof, refreshToken, options)
          return oauth.processRefreshTokenResponse(server, client, await call)
        })
        return { ...tokens, credentials: { ...others, refreshToken, ...tokens.credentials } }
      },
    },

    ...(network.revocationEndpoint && {
      // Revoking a refresh token ends its access tokens too: RFC 7009, 2.1.
      revoke: ({ accessToken = '', refreshToken = accessToken }, app, io) =>
        callServer(network, app, [refreshToken], io, async (server, client, proof, options) => {
          const call = oauth.revocationRequest(server, client, proof, refreshToken, options)
          await oauth.processRevocationResponse(await call)
        }),
    }),
  } satisfies OAuth
}

const challengeOf = (verifier: string, { pkce }: StandardOAuth) =>
  pkce === 'hex' ? createHash('sha256').update(verifier).digest('hex') : oauth.calculatePKCECodeChallenge(verifier)

/** The characters of a token: RFC 6749, appendix A.12. `fetch` repeats an invalid header in its error. */
const isPrintable = (token: string) => /^[ -~]*$/.test(token)

const RFC = 'https://www.rfc-editor.org/rfc/rfc6749#section-5.2'

const APP_ERRORS = [
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  // Google's codes: https://developers.google.com/identity/protocols/oauth2/web-server#authorization-errors
  'deleted_client',
  'org_internal',
  'redirect_uri_mismatch',
  // Reddit has the status in place of a word.
  '401',
  '403',
]

const hasAppError = (body: unknown) => APP_ERRORS.includes(textAt(body, 'error') ?? '')

/** RFC 6749, 4.1.2.1. Token endpoints send them too: https://developers.tiktok.com/doc/oauth-error-handling */
const SERVER_ERRORS = ['server_error', 'temporarily_unavailable']

const hasServerError = (body: unknown) => SERVER_ERRORS.includes(textAt(body, 'error') ?? '')

const ERRORS: readonly ErrorRow[] = [
  { code: 'token', means: 'credentials refused', note: 'The code or the token is refused.', source: RFC },
  { code: 'server', means: 'maybe sent', note: 'The server failed.', source: RFC },
]

/** Errors about the app or the server say nothing about the token. */
function kindOf({ isTokenRefused, isAboutApp = hasAppError }: StandardOAuth, refusal: Refusal) {
  const { body } = refusal
  if (isTokenRefused?.(refusal)) return 'token'
  if (hasServerError(body)) return 'server'
  return !isTokenRefused && textAt(body, 'error') !== undefined && !isAboutApp(body) ? 'token' : undefined
}

type ServerCall<T> = (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  proof: oauth.ClientAuth,
  options: oauth.TokenEndpointRequestOptions,
) => Promise<T>

async function requestTokens(
  network: StandardOAuth,
  app: OAuthApp,
  secrets: string[],
  io: OAuthIo,
  call: ServerCall<oauth.TokenEndpointResponse>,
): Promise<RefreshedTokens> {
  const { access_token, refresh_token, expires_in, scope } = await callServer(network, app, secrets, io, call)
  if (![access_token, refresh_token ?? ''].every(isPrintable)) throw unexpected(network.host, true)
  return {
    credentials: { accessToken: access_token, ...(refresh_token && { refreshToken: refresh_token }) },
    // LinkedIn separates them by commas.
    scopes: scope === undefined ? null : scope.split(/[ ,]+/),
    expiresAt: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1000),
  }
}

/** Makes one call to an endpoint of the authorization server. `secrets` are masked in errors. */
async function callServer<T>(
  network: StandardOAuth,
  app: OAuthApp,
  secrets: string[],
  io: OAuthIo,
  call: ServerCall<T>,
): Promise<T> {
  const { host, tokenEndpoint, revocationEndpoint, isAboutApp = hasAppError } = network
  // Stands for the metadata (RFC 8414) that most networks do not publish.
  const server = {
    issuer: `https://${host}`,
    token_endpoint: tokenEndpoint,
    ...(revocationEndpoint && { revocation_endpoint: revocationEndpoint }),
  }
  const rules: NetworkRules = {
    host,
    secrets: app.clientSecret === null ? secrets : [...secrets, app.clientSecret],
    words(body) {
      const words = textAt(body, 'error_description') ?? textAt(body, 'message') ?? textAt(body, 'error')
      return words !== undefined && network.appAdvice && isAboutApp(body)
        ? `${words.replace(/\.$/, '')}. ${network.appAdvice}`
        : words
    },
    errors: ERRORS,
    keysOf: (refusal) => ({ code: kindOf(network, refusal) }),
    // Errors of TikTok and Reddit have status 200.
    reportsError: (body) => textAt(body, 'error') !== undefined && textAt(body, 'access_token') === undefined,
  }
  const fetch = async (url: string, { headers, body }: { headers: Record<string, string>; body: URLSearchParams }) => {
    const agent = network.userAgent && { 'user-agent': network.userAgent(app) }
    // A revocation is successful by its status: RFC 7009, 2.2.
    const answer = url === revocationEndpoint ? 'status' : object({ access_token: TEXT })
    const options = { method: 'POST', headers: { ...headers, ...agent }, body, visible: true, answer } as const
    const response = await callNetwork(rules, io, url, options)
    // LinkedIn names no type. Its tokens are bearer tokens too.
    return Response.json({ token_type: 'bearer', ...(response.body as object | undefined) })
  }
  try {
    return await call(server, { client_id: app.clientId }, proofOf(network, app), {
      [oauth.customFetch]: fetch as typeof globalThis.fetch,
    })
  } catch (error) {
    if (error instanceof PublishError) throw error
    throw Object.assign(unexpected(host, true), { cause: error })
  }
}

function proofOf(network: StandardOAuth, { clientSecret }: OAuthApp): oauth.ClientAuth {
  const { authentication, clientIdName = 'client_id' } = network
  if (clientSecret !== null && authentication === 'basic') return basic(clientSecret)
  return (_server, { client_id: clientId }, body) => {
    body.set(clientIdName, clientId)
    if (clientSecret !== null) body.set('client_secret', clientSecret)
  }
}

/**
 * Encoded as a form (RFC 6749, 2.3.1), which leaves `-` and `_` as they are. oauth.ClientSecretBasic encodes them too.
 * The example of X does not: https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token
 */
const basic =
  (clientSecret: string): oauth.ClientAuth =>
  (_server, { client_id: clientId }, _body, headers) => {
    const [id, secret] = [clientId, clientSecret].map((text) => new URLSearchParams({ '': text }).toString().slice(1))
    headers.set('authorization', `Basic ${btoa(`${id}:${secret}`)}`)
  }
