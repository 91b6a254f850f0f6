import t from 'tap'
import { checkAccounts } from '../../src/features/connections/granted-accounts.ts'
import { pinterestOAuth } from '../../src/platforms/pinterest/connect.ts'
import { ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { ALL_SCOPES, type FakePinterest, startPinterest } from '../networks/fakes/pinterest.ts'

async function start(t: Teardown) {
  const fake = await startPinterest(t)
  const { clientId, clientSecret, redirectUris } = fake.app
  return { fake, authorization: { app: { clientId, clientSecret }, redirectUri: redirectUris[0]!, hint: null } }
}

type Authorization = Awaited<ReturnType<typeof start>>['authorization']

/** Opens the page where the user consents. */
async function consent(fake: FakePinterest, authorization: Authorization & { scopes?: readonly string[] }) {
  const { url, kept } = await pinterestOAuth.begin({ ...authorization, state: 'st4te' }, ioOf(fake))
  const response = await fake.fetch(url, { redirect: 'manual' })
  const callback = new URL(response.headers.get('location')!).searchParams
  return { url, callback, kept: JSON.parse(JSON.stringify(kept)) }
}

t.test('an account is connected, with the tokens of its user', async (t) => {
  const { fake, authorization } = await start(t)
  const { url, callback, kept } = await consent(fake, authorization)
  t.equal(`${url.origin}${url.pathname}`, 'https://www.pinterest.com/oauth/')
  t.same(Object.fromEntries(url.searchParams), {
    response_type: 'code',
    client_id: authorization.app.clientId,
    redirect_uri: authorization.redirectUri,
    scope: 'boards:read,boards:write,pins:read,pins:write,user_accounts:read',
    state: 'st4te',
  })
  const accounts = await pinterestOAuth.finish({ ...authorization, callback, kept }, ioOf(fake))
  const profile = { externalId: '2783136121146311751', username: 'lighthouses', displayName: 'Lighthouses Ltd' }
  t.match(accounts, [{ kind: 'profile', profile, tokens: { scopes: ALL_SCOPES } }])
  const { credentials, expiresAt } = accounts[0]!.tokens
  t.match(credentials, { accessToken: /^pina_/, refreshToken: /^pinr_/ })
  t.ok(Math.abs(expiresAt!.getTime() - Date.now() - 30 * 86_400_000) < 60_000, 'in 30 days')
  t.equal(checkAccounts('pinterest', pinterestOAuth, accounts).length, 1)
})

t.test('what publishing needs has to be granted', async (t) => {
  const { fake, authorization } = await start(t)
  const own = { ...authorization, scopes: ['boards:read', 'pins:read', 'pins:write', 'user_accounts:read'] }
  const { callback, kept } = await consent(fake, own)
  const accounts = await pinterestOAuth.finish({ ...own, callback, kept }, ioOf(fake))
  t.throws(() => checkAccounts('pinterest', pinterestOAuth, accounts), {
    code: 'scopes_missing',
    message: /: boards:write$/,
  })
})

t.test('each refresh gives new tokens, and a spent token is refused', async (t) => {
  const { fake, authorization } = await start(t)
  const { callback, kept } = await consent(fake, authorization)
  const [account] = await pinterestOAuth.finish({ ...authorization, callback, kept }, ioOf(fake))
  const { credentials } = account!.tokens
  const { run, afterLostResponse, isPossible } = pinterestOAuth.refresh!
  t.equal(afterLostResponse, 'single-use')
  t.ok(isPossible(credentials))
  const refreshed = await run(credentials, authorization.app, ioOf(fake))
  t.not(refreshed.credentials.refreshToken, credentials.refreshToken)
  t.ok(fake.tokens.has(refreshed.credentials.accessToken!))
  await run(refreshed.credentials, authorization.app, ioOf(fake))
  const spent = await rejection(run(credentials, authorization.app, ioOf(fake)))
  t.has(spent, {
    code: 'unauthorized',
    needsAttention: true,
    message: 'api.pinterest.com: The authorization grant is invalid',
  })
})

t.test('an app made before September 2025 gets tokens that can be refreshed', async (t) => {
  const { fake, authorization } = await start(t)
  fake.isOldApp = true
  const { callback, kept } = await consent(fake, authorization)
  const [account] = await pinterestOAuth.finish({ ...authorization, callback, kept }, ioOf(fake))
  const refreshed = await pinterestOAuth.refresh!.run(account!.tokens.credentials, authorization.app, ioOf(fake))
  t.ok(fake.tokens.has(refreshed.credentials.accessToken!))
})

t.test('a refused app says nothing about the token, and a code is used once', async (t) => {
  const { fake, authorization } = await start(t)
  fake.consents = false
  t.equal((await consent(fake, authorization)).callback.get('error'), 'access_denied')
  fake.consents = true
  const { callback, kept } = await consent(fake, authorization)
  const finish = (changed: object = {}) =>
    pinterestOAuth.finish({ ...authorization, callback, kept, ...changed }, ioOf(fake))
  const wrong = await rejection(finish({ app: { ...authorization.app, clientSecret: 'wr0ng' } }))
  t.has(wrong, { maybeSent: false, needsAttention: false })
  t.match(wrong.message, /^api\.pinterest\.com: Authentication failed\. The operator of Postroom has to check /)
  await finish()
  t.has(await rejection(finish()), { code: 'unauthorized', needsAttention: true })
})
