import t from 'tap'
import type { RefreshedTokens, Tokens } from '../../src/platforms/contract/oauth.ts'
import { OAUTH_NETWORKS, type OAuthNetwork, REDIRECT_URI } from '../helpers/oauth-networks.ts'
import { tryOddResponses } from '../helpers/odd-bodies.ts'

/** The values of tokens that the service goes by. */
const factsOf = ({ credentials, scopes, expiresAt }: Tokens | RefreshedTokens) => ({
  names: Object.keys(credentials).sort(),
  scopes,
  expires: expiresAt !== null,
})

/** Runs the flow, with this `fetch` from the callback on. */
async function connect({ oauth, fake, app, scopes, consent }: OAuthNetwork, fetch: typeof globalThis.fetch) {
  const { clientId, clientSecret } = app
  const own = { app: { clientId, clientSecret }, redirectUri: REDIRECT_URI, hint: null, ...(scopes && { scopes }) }
  const io = { fetch: fake.fetch, signal: AbortSignal.timeout(60_000) }
  const { url, kept } = await oauth.begin({ ...own, state: 'the-state' }, io)
  const callback = await consent(url)
  return oauth.finish({ ...own, callback, kept: JSON.parse(JSON.stringify(kept)) }, { ...io, fetch })
}

for (const [name, start] of Object.entries(OAUTH_NETWORKS)) {
  t.test(`${name}: accounts and tokens come from answers of the network alone`, async (t) => {
    const network = await start(t)
    const { oauth, fake, app } = network
    // Google sends an empty list as an empty object.
    const isOwnResponse = (call: string, body: string) =>
      name === 'google_business' && /(?:accounts|locations)$/.test(call) && /^\{(?!\w)/.test(body)
    const connection = {
      name: 'connect',
      run: async (fetch: typeof globalThis.fetch) =>
        (await connect(network, fetch)).map(({ profile, kind, tokens }) => ({
          id: profile.externalId,
          kind,
          ...factsOf(tokens),
        })),
    }
    const problems = await tryOddResponses(fake.fetch, connection, isOwnResponse)
    const tokensOf = async () => (await connect(network, fake.fetch))[0]!.tokens
    if (oauth.refresh?.isPossible((await tokensOf()).credentials)) {
      const run = async (fetch: typeof globalThis.fetch) => {
        const tokens = await tokensOf()
        const credentials = { ...tokens.credentials, ...network.issue?.(tokens.scopes) }
        const io = { fetch, signal: AbortSignal.timeout(60_000) }
        return factsOf(await oauth.refresh!.run(credentials, app, io))
      }
      problems.push(...(await tryOddResponses(fake.fetch, { name: 'refresh', run })))
    }
    t.strictSame(problems, [])
  })
}
