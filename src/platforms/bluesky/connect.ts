import * as oauth from 'oauth4webapi'
import type { ErrorRow } from '../contract/error-table.ts'
import type { OAuth, OAuthAccount, OAuthApp, OAuthIo, RefreshedTokens } from '../contract/oauth.ts'
import { otherAccount, PublishError, unauthorized, unexpected } from '../contract/publish-error.ts'
import { object } from '../wire/answer.ts'
import type { NetworkRules } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { type AuthorizationServer, findIssuer, readAuthorizationServer, unsuitable } from './authorization-server.ts'
import { clientIdOf, clientKeysOf, loopbackRedirectUri, SCOPES, wrongKey } from './client.ts'
import { callWithProof, createDpopKey, withNonce } from './dpop.ts'
import { type Account, findAccount, findOwner, hintProblem, nameIn } from './find-account.ts'
import { DID, readIdentity } from './identity.ts'
import { profileOf } from './profile.ts'

/*
 * The OAuth profile of the AT Protocol: https://atproto.com/specs/oauth. It uses oauth4webapi (0.3 MB, 2 MB of memory)
 * rather than @atproto/oauth-client-node 0.5.7 (19 more packages of 23 MB, 42 MB of memory). The latter refreshes
 * tokens by itself on any call, and revokes those that it cannot store.
 */

type Kept = {
  issuer: string
  /** The account that the flow began with; null if it began with a server. */
  account: Account | null
  verifier: string
  session: ClientSession
}

/** The data that all calls of one session share. */
type ClientSession = {
  dpopKey: string
  clientId: string
  /** The key that the client has signed with. A server ends the session at a signature of another one. */
  clientKeyId?: string
}

export const blueskyOAuth: OAuth = {
  scopes: SCOPES,
  requiredScopes: SCOPES,
  toRedirectUri: loopbackRedirectUri,
  hintProblem,
  // The DID stays the same when the handle or the server changes.
  hintOf: ({ externalId }) => externalId,

  async begin({ app, redirectUri, hint, scopes = SCOPES, state }, io) {
    const { account, server } = await findAccount(hint, io)
    const authorizationServer = await readAuthorizationServer(await findIssuer(server, io), io)
    const keys = clientKeysOf(app)
    const session: ClientSession = {
      dpopKey: createDpopKey(),
      clientId: clientIdOf(app, redirectUri, scopes),
      ...(keys[0] && { clientKeyId: keys[0].kid }),
    }
    const verifier = oauth.generateRandomCodeVerifier()
    const parameters = {
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(account && hint && { login_hint: nameIn(hint) }),
    }
    const call: ServerCall<oauth.PushedAuthorizationResponse> = async (server, client, proof, options) => {
      const response = await oauth.pushedAuthorizationRequest(server, client, proof, parameters, options)
      return oauth.processPushedAuthorizationResponse(server, client, response)
    }
    const { request_uri } = await callServer(authorizationServer, app, session, [verifier], io, call)
    const url = new URL(authorizationServer.authorization_endpoint)
    url.searchParams.set('client_id', session.clientId)
    url.searchParams.set('request_uri', request_uri)
    const { issuer } = authorizationServer
    return { url, kept: { issuer, account, verifier, session } satisfies Kept }
  },

  async finish({ app, redirectUri, callback, kept }, io) {
    const { issuer, account, verifier, session } = kept as Kept
    const server = await readAuthorizationServer(issuer, io)
    const secrets = [callback.get('code') ?? '', verifier]
    const response = await callServer(server, app, session, secrets, io, async (server, client, proof, options) => {
      // Checks `iss`, which keeps a code from being sent to another server: RFC 9207.
      const parameters = oauth.validateAuthResponse(server, client, callback, oauth.skipStateCheck)
      const call = oauth.authorizationCodeGrantRequest(
        server,
        client,
        proof,
        parameters,
        redirectUri,
        verifier,
        options,
      )
      return oauth.processAuthorizationCodeResponse(server, client, await call)
    })
    const { did, scopes, ...tokens } = tokensIn(response, server)
    if (scopes === null) throw unexpected(new URL(issuer).host, false)
    if (account && account.did !== did)
      throw otherAccount(`The consent is for another account than ${account.username}`)
    const found = account ?? (await findOwner(did, issuer, io))
    const credentials = { did, server: found.server, issuer, ...session, ...tokens.credentials }
    const profile = await profileOf(found, io)
    return [
      { profile, kind: 'profile', tokens: { credentials, scopes, expiresAt: tokens.expiresAt } },
    ] satisfies OAuthAccount[]
  },

  refresh: {
    /*
     * Servers delete the session whose refresh token is used again: consumeRefreshToken in
     * https://github.com/bluesky-social/atproto/blob/main/packages/oauth/oauth-provider/src/token/token-manager.ts
     */
    afterLostResponse: 'revokes-reuse',
    isPossible: ({ refreshToken }) => refreshToken !== undefined,
    async run(credentials, app, io) {
      const { did = '', issuer = '', dpopKey = '', clientId = '', clientKeyId, refreshToken } = credentials
      if (!refreshToken) throw unauthorized('Bluesky gave no refresh token: connect the account again')
      const { server, authorizationServer } = await findServers(did, io).catch(notSent)
      if (authorizationServer.issuer !== issuer) {
        throw unauthorized('The account has moved to another server: connect the account again')
      }
      const [newest] = clientKeysOf(app)
      // A session of a public client may go on with a key.
      const keyId = clientKeyId ?? newest?.kid
      const session: ClientSession = { dpopKey, clientId, ...(keyId !== undefined && { clientKeyId: keyId }) }
      const call: ServerCall<oauth.TokenEndpointResponse> = async (server, client, proof, options) => {
        const response = await oauth.refreshTokenGrantRequest(server, client, proof, refreshToken, options)
        return oauth.processRefreshTokenResponse(server, client, response)
      }
      const response = await callServer(authorizationServer, app, session, [refreshToken], io, call)
      const { did: owner, ...tokens } = tokensIn(response, authorizationServer)
      if (owner !== did) throw unauthorized(`${issuer} sent tokens of another account`)
      return { ...tokens, credentials: { ...credentials, ...session, server, ...tokens.credentials } }
    },
  },

  // Ends the session, of which no other account has tokens.
  async revoke({ issuer = '', dpopKey = '', clientId = '', clientKeyId, accessToken = '', ...credentials }, app, io) {
    const { refreshToken = accessToken } = credentials
    const server = await readAuthorizationServer(issuer, io)
    if (!server.revocation_endpoint) throw unsuitable(new URL(issuer).host, 'it has no revocation_endpoint')
    const session = { dpopKey, clientId, ...(clientKeyId !== undefined && { clientKeyId }) }
    await callServer(server, app, session, [refreshToken], io, async (server, client, proof, options) => {
      const response = await oauth.revocationRequest(server, client, proof, refreshToken, options)
      await oauth.processRevocationResponse(response)
    })
  },
}

async function findServers(did: string, io: OAuthIo) {
  const { server } = await readIdentity(did, io)
  return { server, authorizationServer: await readAuthorizationServer(await findIssuer(server, io), io) }
}

/** A failure before the refresh token was sent says nothing about the token. */
function notSent(error: unknown): never {
  if (!(error instanceof PublishError)) throw error
  throw new PublishError(error.message, { code: 'unreachable', maybeSent: false, retryable: true })
}

type ServerCall<T> = (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  proof: oauth.ClientAuth,
  options: oauth.TokenEndpointRequestOptions,
) => Promise<T>

const GRANT_REFUSED: readonly ErrorRow[] = [
  {
    code: 'invalid_grant',
    means: 'credentials refused',
    note: 'The code or the token is refused. Other errors are about the client and its proofs.',
    source: 'https://www.rfc-editor.org/rfc/rfc6749#section-5.2',
  },
]

/** Makes one call to an authorization server. `secrets` are masked in errors. */
async function callServer<T>(
  server: AuthorizationServer,
  app: OAuthApp,
  { dpopKey, clientId, clientKeyId }: ClientSession,
  secrets: string[],
  io: OAuthIo,
  call: ServerCall<T>,
): Promise<T> {
  const { host } = new URL(server.issuer)
  const rules: NetworkRules = {
    host,
    secrets,
    words: (body) => textAt(body, 'error_description') ?? textAt(body, 'error'),
    errors: GRANT_REFUSED,
    keysOf: ({ body }) => ({ code: textAt(body, 'error') }),
  }
  const fetch = async (url: string, { headers, body }: { headers: Record<string, string>; body: URLSearchParams }) => {
    // A revocation is successful by its status: RFC 7009, 2.2.
    const answer = url === server.revocation_endpoint ? 'status' : object()
    const options = { method: 'POST', headers, body, visible: true, answer } as const
    const response = await callWithProof(rules, io, new URL(url), { dpopKey }, options)
    // A server that sends no nonces is refused here, before the user consents.
    if (url === server.pushed_authorization_request_endpoint && !response.headers.has('dpop-nonce')) {
      throw unexpected(host, false)
    }
    return Response.json(response.body, { status: response.status })
  }
  const proof = await proofOf(app, clientKeyId)
  try {
    // The whole call again, since a server may remember the assertion of the first.
    return await withNonce(() =>
      call(server, { client_id: clientId }, proof, {
        [oauth.customFetch]: fetch as typeof globalThis.fetch,
        // The addresses were checked: http leads to this machine alone.
        [oauth.allowInsecureRequests]: true,
      }),
    )
  } catch (error) {
    if (error instanceof PublishError) throw error
    throw Object.assign(unexpected(host, true), { cause: error })
  }
}

/** How the client proves its identity. */
async function proofOf(app: OAuthApp, clientKeyId: string | undefined): Promise<oauth.ClientAuth> {
  if (clientKeyId === undefined) return oauth.None()
  const found = clientKeysOf(app).find(({ kid }) => kid === clientKeyId)
  if (!found)
    throw wrongKey('The key that the account was connected with is missing: put it back, or connect the account again')
  const key = await crypto.subtle.importKey('jwk', found.jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  return oauth.PrivateKeyJwt({ key, kid: found.kid })
}

/** The tokens in a response, and the DID of their account. */
function tokensIn(
  response: oauth.TokenEndpointResponse,
  server: AuthorizationServer,
): RefreshedTokens & { did: string } {
  const { access_token, refresh_token, expires_in, scope, token_type, sub } = response
  const scopes = scope === undefined ? null : scope.split(' ')
  const isWhole = typeof sub === 'string' && DID.test(sub) && token_type === 'dpop'
  // `fetch` repeats an invalid header in its error: RFC 6749, appendix A.12.
  const isPrintable = [access_token, refresh_token ?? ''].every((token) => /^[ -~]*$/.test(token))
  if (!isWhole || !isPrintable || scopes?.includes('atproto') === false)
    throw unexpected(new URL(server.issuer).host, true)
  return {
    did: sub,
    credentials: { accessToken: access_token, ...(refresh_token && { refreshToken: refresh_token }) },
    scopes,
    expiresAt: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1000),
  }
}
