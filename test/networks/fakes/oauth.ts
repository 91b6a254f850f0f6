import { createHash } from 'node:crypto'
import type { OAuth, OAuthApp } from '../../../src/platforms/contract/oauth.ts'
import { unexpected } from '../../../src/platforms/contract/publish-error.ts'
import { standardOAuth } from '../../../src/platforms/families/oauth/standard-oauth.ts'
import { object } from '../../../src/platforms/wire/answer.ts'
import { callNetwork, type NetworkRules } from '../../../src/platforms/wire/call-network.ts'
import { at, textAt } from '../../../src/platforms/wire/json.ts'
import type { Teardown } from '../../helpers/database.ts'
import { recordSecrets } from '../../helpers/log-record.ts'
import { type FakeNetwork, type Recorded, Refused, type Reply, startFake } from './network.ts'

const ORIGIN = 'https://network.example'

interface FakeOAuth extends FakeNetwork {
  /** How the service connects accounts of this network. */
  oauth: OAuth
  /** Handles of the pages that the user manages. */
  pages: string[]
  /** Responses in place of the regular ones: to the token request, and to the request for the pages. */
  tokenReply: Reply | undefined
  pagesReply: Reply | undefined
}

/** The id of the first page. It is above 2^53, where JavaScript rounds numbers, and so are the next ones. */
export const FIRST_PAGE_ID = 17841405793187219n

interface Issued {
  redirectUri: string
  challenge: string
}

/** A network that keeps to RFC 6749 and RFC 7636, with a page on which a browser consents. */
export async function startFakeOAuth(t: Teardown, app: OAuthApp): Promise<FakeOAuth> {
  const codes = new Map<string, Issued>()
  let issued = 0

  function authorize({ query }: Recorded): Reply {
    const { redirect_uri: redirectUri = '', state = '', code_challenge: challenge = '' } = query
    if (query.client_id !== app.clientId || query.code_challenge_method !== 'S256') throw new Refused({ status: 400 })
    const code = `the-code-${++issued}`
    recordSecrets('credentials', code)
    codes.set(code, { redirectUri, challenge })
    const link = (parameters: Record<string, string>) =>
      `${redirectUri}?${new URLSearchParams({ ...parameters, state })}`.replaceAll('&', '&amp;')
    const body = `<!doctype html><title>Network</title><link rel="icon" href="data:,"><h1>Network</h1>
      <a href="${link({ code })}">Allow</a> <a href="${link({ error: 'access_denied' })}">Deny</a>`
    return { status: 200, body, headers: HTML }
  }

  function token({ body, headers }: Recorded): Reply {
    if (fake.tokenReply) return fake.tokenReply
    const { grant_type, code, redirect_uri, code_verifier } = body as Record<string, string>
    const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')
    if (headers.authorization !== `Basic ${basic}`)
      throw new Refused({ status: 401, body: { error: 'invalid_client' } })
    const known = codes.get(code ?? '')
    const challenge = createHash('sha256')
      .update(code_verifier ?? '')
      .digest('base64url')
    codes.delete(code ?? '')
    if (grant_type !== 'authorization_code' || known?.redirectUri !== redirect_uri || known?.challenge !== challenge) {
      throw new Refused({ status: 400, body: { error: 'invalid_grant' } })
    }
    return {
      status: 200,
      body: {
        access_token: TOKEN,
        token_type: 'Bearer',
        expires_in: 7200,
        refresh_token: 'the-refresh-token',
        scope: 'write',
      },
    }
  }

  const network = await startFake(t, ORIGIN, (call) => {
    if (call.path === '/begin') return { status: 201, body: {} }
    if (call.path === '/authorize') return authorize(call)
    if (call.path === '/token') return token(call)
    // A page of the program, to which the browser returns in the end.
    if (call.path === '/done') return { status: 200, body: PROGRAM, headers: HTML }
    if (call.headers.authorization !== `Bearer ${TOKEN}`)
      throw new Refused({ status: 401, body: { error: 'invalid_token' } })
    if (fake.pagesReply) return fake.pagesReply
    const pages = fake.pages.map((name, i) => `{"id": ${FIRST_PAGE_ID + BigInt(i)}, "name": ${JSON.stringify(name)}}`)
    return { status: 200, body: `{"pages": [${pages}]}` }
  })
  const oauth = standardOAuth({
    host: 'network.example',
    // A browser opens this one.
    authorizationEndpoint: `${network.address}/authorize`,
    tokenEndpoint: `${ORIGIN}/token`,
    authentication: 'basic',
    pkce: true,
    scopes: ['write'],
    requiredScopes: ['write'],
    afterLostResponse: 'single-use',
    async listAccounts(tokens, io) {
      const headers = { authorization: `Bearer ${tokens.credentials.accessToken}` }
      const { body } = await callNetwork(RULES, io, `${ORIGIN}/pages`, { headers, answer: object() })
      const pages = at(body, 'pages')
      if (!Array.isArray(pages)) throw unexpected(RULES.host, false)
      return pages.map((page) => ({
        profile: { externalId: textAt(page, 'id')!, username: textAt(page, 'name')!, displayName: null },
        kind: 'page',
        tokens,
      }))
    },
  })
  const fake: FakeOAuth = Object.assign(network, {
    oauth: {
      ...oauth,
      // Like the servers of Bluesky, which get the parameters of the flow first.
      async begin(authorization, io) {
        await callNetwork(RULES, io, `${ORIGIN}/begin`, { method: 'POST', body: {}, answer: 'status' })
        return oauth.begin(authorization, io)
      },
    } satisfies OAuth,
    pages: ['lighthouses'],
    tokenReply: undefined,
    pagesReply: undefined,
  })
  return fake
}

const HTML = { 'content-type': 'text/html' }
const PROGRAM = '<!doctype html><title>Program</title><link rel="icon" href="data:,"><h1>Your accounts</h1>'
const TOKEN = 'the-access-token-of-the-fake'
recordSecrets('credentials', TOKEN, 'the-refresh-token')

const RULES: NetworkRules = {
  host: 'network.example',
  secrets: [TOKEN],
  words: (body: unknown) => textAt(body, 'error'),
  errors: [{ means: 'credentials refused', note: '', source: '' }],
}
