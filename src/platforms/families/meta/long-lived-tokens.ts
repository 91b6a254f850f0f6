import type { Profile } from '../../contract/io.ts'
import type { OAuth, OAuthApp, OAuthIo, Tokens } from '../../contract/oauth.ts'
import { PublishError, unauthorized, unexpected } from '../../contract/publish-error.ts'
import { either, list, NUMBER, object, optional, TEXT } from '../../wire/answer.ts'
import { callNetwork, type NetworkRules } from '../../wire/call-network.ts'
import { at } from '../../wire/json.ts'
import { isToken, metaRules } from './api.ts'
import { TOKEN_ERRORS } from './errors.ts'

/**
 * The login of Instagram or Threads, whose access tokens are exchanged for long-lived ones and refreshed by themselves.
 */
interface LongLivedTokens {
  authorizationEndpoint: string
  /** Exchanges the code, by a form. */
  tokenEndpoint: string
  /** The host of `access_token` and `refresh_access_token`. */
  host: string
  /** The prefix of the grant types. */
  prefix: 'ig' | 'th'
  scopes: readonly string[]
  requiredScopes: readonly string[]
  /** In the network's own terms. */
  kind: string
  /** `granted`: the scopes in the token response; undefined if it has none. */
  readAccount(
    accessToken: string,
    granted: readonly string[] | undefined,
    io: OAuthIo,
  ): Promise<{ profile: Profile; scopes: readonly string[] }>
}

/** A token can be refreshed when it is a day old. */
const REFRESH_AGE_MIN_MS = 86_400_000

/**
 * https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
 * (2026-03-13), https://developers.facebook.com/docs/threads/get-started/long-lived-tokens. Neither documents PKCE.
 */
export function longLivedTokens(network: LongLivedTokens): OAuth {
  const { host, prefix, scopes, requiredScopes } = network

  return {
    scopes,
    requiredScopes,

    async begin({ app, redirectUri, state, scopes: asked = scopes }: Parameters<OAuth['begin']>[0] & Asked) {
      const url = new URL(network.authorizationEndpoint)
      const parameters = { client_id: app.clientId, redirect_uri: redirectUri, response_type: 'code' }
      for (const [name, value] of Object.entries({ ...parameters, scope: asked.join(','), state })) {
        url.searchParams.set(name, value)
      }
      return { url, kept: null }
    },

    async finish({ app, redirectUri, callback }, io) {
      // The page appends `#_`, which is not a part of the code.
      const code = (callback.get('code') ?? '').replace(/#_$/, '')
      const short = await exchangeCode(network, app, { code, redirectUri }, io)
      const secrets = [short.accessToken, secretOf(app)]
      const long = await requestToken(host, secrets, io, 'access_token', {
        grant_type: `${prefix}_exchange_token`,
        client_secret: secretOf(app),
        access_token: short.accessToken,
      })
      const { profile, scopes: granted } = await network.readAccount(long.accessToken, short.scopes, io)
      const tokens = { ...tokensOf(long, { userId: profile.externalId }), scopes: granted }
      return [{ profile, kind: network.kind, tokens }]
    },

    refresh: {
      // Neither network says whether a refresh ends the old token.
      afterLostResponse: 'single-use',
      isPossible: ({ accessToken }) => accessToken !== undefined,
      async run(credentials, _app, io) {
        const { accessToken = '', issuedAt = '' } = credentials
        if (!isToken(accessToken)) throw unauthorized('There is no token to refresh: connect the account again')
        if (Date.now() - Date.parse(issuedAt) < REFRESH_AGE_MIN_MS) throw tooYoung(host)
        const refreshed = await requestToken(host, [accessToken], io, 'refresh_access_token', {
          grant_type: `${prefix}_refresh_token`,
          access_token: accessToken,
        })
        return { ...tokensOf(refreshed, credentials), scopes: refreshed.scopes ?? null }
      },
    },
  }
}

/** The scopes of the app, if it has others than the network's. */
interface Asked {
  scopes?: readonly string[]
}

interface Issued {
  accessToken: string
  /** In seconds; null if the network does not say. */
  expiresIn: number | null
  scopes: readonly string[] | undefined
}

const secretOf = ({ clientSecret }: OAuthApp): string => {
  if (clientSecret) return clientSecret
  throw unauthorized('The app has no secret, and this network requires one')
}

const ISSUED = object({
  access_token: TEXT,
  expires_in: optional(NUMBER),
  permissions: optional(either(TEXT, list(TEXT))),
})

async function exchangeCode(
  { tokenEndpoint }: LongLivedTokens,
  app: OAuthApp,
  { code, redirectUri }: { code: string; redirectUri: string },
  io: OAuthIo,
): Promise<Issued> {
  const { host } = new URL(tokenEndpoint)
  const body = new URLSearchParams({
    client_id: app.clientId,
    client_secret: secretOf(app),
    grant_type: 'authorization_code',
    redirect_uri: redirectUri,
    code,
  })
  const response = await callNetwork(tokenRules(host, [code, secretOf(app)]), io, tokenEndpoint, {
    method: 'POST',
    body,
    visible: true,
    answer: either(ISSUED, object({ data: list(ISSUED) })),
  })
  // Instagram's page shows the token in a list, its service sends it without one.
  return issuedOf(at(response.body, 'data', 0) ?? response.body, host)
}

async function requestToken(
  host: string,
  secrets: string[],
  io: OAuthIo,
  path: string,
  parameters: Record<string, string>,
): Promise<Issued> {
  const url = `https://${host}/${path}?${new URLSearchParams(parameters)}`
  return issuedOf((await callNetwork(tokenRules(host, secrets), io, url, { visible: true, answer: ISSUED })).body, host)
}

/** A refusal of these endpoints concerns the code, the token or the app, unless the service fails. */
const tokenRules = (host: string, secrets: string[]): NetworkRules => ({
  ...metaRules(host, secrets),
  errors: TOKEN_ERRORS,
})

function issuedOf(body: unknown, host: string): Issued {
  const accessToken = at(body, 'access_token')
  if (typeof accessToken !== 'string' || !isToken(accessToken)) throw unexpected(host, true)
  const expiresIn = at(body, 'expires_in')
  return {
    accessToken,
    expiresIn: typeof expiresIn === 'number' && expiresIn > 0 && expiresIn < 1e9 ? expiresIn : null,
    scopes: scopesOf(at(body, 'permissions')),
  }
}

/** A list, or a text with commas. */
const scopesOf = (permissions: unknown): string[] | undefined => {
  if (typeof permissions === 'string') return permissions.split(',').map((scope) => scope.trim())
  return (permissions as string[] | null | undefined) ?? undefined
}

const tokensOf = (
  { accessToken, expiresIn }: Issued,
  credentials: Readonly<Record<string, string>>,
): Omit<Tokens, 'scopes'> => ({
  // The age decides when it can be refreshed.
  credentials: { ...credentials, accessToken, issuedAt: new Date().toISOString() },
  expiresAt: expiresIn === null ? null : new Date(Date.now() + expiresIn * 1000),
})

const tooYoung = (host: string) =>
  new PublishError(`${host} refreshes a token when it is a day old`, {
    code: 'rate_limited',
    maybeSent: false,
    retryable: true,
    retryAfterMs: REFRESH_AGE_MIN_MS,
  })
