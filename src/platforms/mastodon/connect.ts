import type { OAuth, OAuthApp, OAuthIo } from '../contract/oauth.ts'
import { PublishError } from '../contract/publish-error.ts'
import { standardOAuth } from '../families/oauth/standard-oauth.ts'
import { object, TEXT } from '../wire/answer.ts'
import { callNetwork, type NetworkRules, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { readProfile } from './profile.ts'

/** By the pages of the methods that adapter.ts calls, under "OAuth". */
const SCOPES = ['read:accounts', 'read:statuses', 'write:media', 'write:statuses']

/** Those of software that knows no others, as Pixelfed: app/Providers/AuthServiceProvider.php. */
const COARSE_SCOPES = ['read', 'write']

const APP_NAME = 'Postroom'

/** The form of ids and secrets in RFC 6749, appendix A, and a length that can be stored. */
const CREDENTIAL = /^[ -~]{1,512}$/

type Server = { server: string; hasPkce: boolean; scopes: string[] }
/** Earlier versions asked for `SCOPES` and did not keep them. */
type Kept = Omit<Server, 'scopes'> & { verifier: string; scopes?: string[] }

/**
 * Each instance is a network of its own, where Postroom registers an app by itself:
 * https://docs.joinmastodon.org/methods/apps/, https://docs.joinmastodon.org/methods/oauth/. Tokens do not expire.
 */
export const mastodonOAuth: OAuth = {
  scopes: SCOPES,
  // The consent page grants all scopes or none.
  requiredScopes: SCOPES,
  requiredScopesOf: ({ scopes }) => scopes?.split(' ') ?? SCOPES,
  registration: { serverOf, register, isKnown },
  // The handle names the server.
  hintOf: ({ username }) => username,

  async begin(authorization, io) {
    const server = serverOf(authorization.hint ?? '')
    if (server === undefined) throw notAnInstance(String(authorization.hint))
    const instance = await readServer(server, authorization.app, io)
    // The app is registered for the fine scopes, whatever the server knows.
    const { url, kept } = await flowAt(instance).begin({ ...authorization, scopes: instance.scopes }, io)
    return { url, kept: { ...(kept as { verifier: string }), ...instance } satisfies Kept }
  },

  finish(authorization, io) {
    const { scopes = SCOPES, ...instance } = authorization.kept as Kept
    return flowAt({ ...instance, scopes }).finish({ ...authorization, scopes }, io)
  },

  // https://docs.joinmastodon.org/methods/oauth/#revoke
  revoke: (credentials, app, io) =>
    flowAt({ server: credentials.instance!, hasPkce: false }).revoke!(credentials, app, io),
}

const flowAt = ({ server, hasPkce, scopes = SCOPES }: Omit<Kept, 'verifier'>): OAuth =>
  standardOAuth({
    host: new URL(server).host,
    authorizationEndpoint: `${server}/oauth/authorize`,
    tokenEndpoint: `${server}/oauth/token`,
    revocationEndpoint: `${server}/oauth/revoke`,
    authentication: 'body',
    pkce: hasPkce,
    scopes,
    requiredScopes: scopes,
    afterLostResponse: 'repeatable',

    async listAccounts(tokens, io) {
      const isCoarse = scopes.join() === COARSE_SCOPES.join()
      const credentials = {
        instance: server,
        accessToken: tokens.credentials.accessToken!,
        ...(isCoarse && { scopes: scopes.join(' ') }),
      }
      const profile = await readProfile({ ...io, credentials })
      return [{ profile, kind: 'profile', tokens: { ...tokens, credentials } }]
    },
  })

const SERVER = /^(?:https:\/\/)?(?:@?[^@/:]+@)?([^@/:]+(?::\d+)?)(?:\/.*)?$/i

/** The origin of the instance in `mastodon.social`, `@ada@mastodon.social` or `https://mastodon.social/@ada`. */
function serverOf(hint: string): string | undefined {
  const [, host] = SERVER.exec(hint.trim()) ?? []
  return host === undefined ? undefined : URL.parse(`https://${host}`)?.origin
}

const rulesOf = (server: string, secrets: string[] = []): NetworkRules => ({
  host: new URL(server).host,
  secrets,
  words: (body) => textAt(body, 'error_description') ?? textAt(body, 'error'),
  errors: [],
})

/** https://docs.joinmastodon.org/methods/apps/#create */
async function register(server: string, redirectUri: string, io: OAuthIo): Promise<OAuthApp> {
  const { body } = await callNetwork(rulesOf(server), io, `${server}/api/v1/apps`, {
    method: 'POST',
    answer: 'anything',
    body: new URLSearchParams({ client_name: APP_NAME, redirect_uris: redirectUri, scopes: SCOPES.join(' ') }),
  }).catch((error) => {
    // Any web server has such responses for an address that it does not know.
    throw error instanceof Refused && [404, 405].includes(error.refusal.status) ? notAnInstance(server) : error
  })
  const [clientId = '', clientSecret = ''] = [textAt(body, 'client_id'), textAt(body, 'client_secret')]
  if (!CREDENTIAL.test(clientId) || !CREDENTIAL.test(clientSecret)) throw notAnInstance(server)
  const app: OAuthApp = { clientId, clientSecret }
  // Instances before Mastodon 4.3 delete apps that never had a token:
  // https://docs.joinmastodon.org/methods/apps/#create
  await isKnown(server, app, io)
  return app
}

/** Whether the instance gives the app a token of its own: https://docs.joinmastodon.org/methods/oauth/#token */
async function isKnown(server: string, app: OAuthApp, io: OAuthIo): Promise<boolean> {
  // Servers of other software may refuse the grant, which says nothing about the app.
  return (await findTokenError(server, app, io)) !== 'invalid_client'
}

/** The error with which the server refuses the app a token of its own; undefined if it gives one. */
async function findTokenError(server: string, { clientId, clientSecret }: OAuthApp, io: OAuthIo) {
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret ?? '',
    scope: SCOPES.join(' '),
  }
  try {
    await callNetwork(rulesOf(server, [form.client_secret]), io, `${server}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
      answer: object({ access_token: TEXT }),
    })
    return undefined
  } catch (error) {
    if (error instanceof Refused) return textAt(error.refusal.body, 'error') ?? ''
    throw error
  }
}

/**
 * Whether the server takes a PKCE challenge, since Mastodon 4.3, and which scopes it knows:
 * https://docs.joinmastodon.org/methods/oauth/#authorization-server-metadata. One that does not say is asked
 * for a token with `SCOPES`.
 */
async function readServer(server: string, app: OAuthApp, io: OAuthIo): Promise<Server> {
  const metadata = await readMetadata(server, io)
  const methods = at(metadata, 'code_challenge_methods_supported')
  const supported = at(metadata, 'scopes_supported')
  const isFine = Array.isArray(supported)
    ? SCOPES.every((scope) => supported.includes(scope)) || !COARSE_SCOPES.every((scope) => supported.includes(scope))
    : (await findTokenError(server, app, io)) !== 'invalid_scope'
  const hasPkce = Array.isArray(methods) && methods.includes('S256')
  return { server, hasPkce, scopes: isFine ? SCOPES : COARSE_SCOPES }
}

async function readMetadata(server: string, io: OAuthIo): Promise<unknown> {
  try {
    const url = `${server}/.well-known/oauth-authorization-server`
    return (await callNetwork(rulesOf(server), io, url, { answer: 'anything' })).body
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

const notAnInstance = (server: string) =>
  new PublishError(`${URL.parse(server)?.host ?? server} is not a Mastodon server`, {
    code: 'unexpected_answer',
    maybeSent: false,
    retryable: false,
  })
