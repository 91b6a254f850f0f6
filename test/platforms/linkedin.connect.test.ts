import t from 'tap'
import { checkAccounts } from '../../src/features/connections/granted-accounts.ts'
import { linkedinOAuth } from '../../src/platforms/linkedin/connect.ts'
import { ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { ALL_SCOPES, type FakeLinkedin, startLinkedin } from '../networks/fakes/linkedin.ts'

const MEMBER = 'urn:li:person:Yr-Zc_p2'

async function start(t: Teardown) {
  const fake = await startLinkedin(t)
  const { clientId, clientSecret, redirectUris } = fake.app
  const authorization = { app: { clientId, clientSecret }, redirectUri: redirectUris[0]!, hint: null }
  return { fake, authorization }
}

type Authorization = Awaited<ReturnType<typeof start>>['authorization']

/** Opens the page where the member consents. Returns the parameters of the callback, and what `begin` kept. */
async function consent(fake: FakeLinkedin, authorization: Authorization & { scopes?: readonly string[] }) {
  const { url, kept } = await linkedinOAuth.begin({ ...authorization, state: 'st4te' }, ioOf(fake))
  const response = await fake.fetch(url, { redirect: 'manual' })
  const callback = new URL(response.headers.get('location')!).searchParams
  return { url, callback, kept: JSON.parse(JSON.stringify(kept)) }
}

t.test('a member connects by an app that anybody can register', async (t) => {
  const { fake, authorization } = await start(t)
  const { url, callback, kept } = await consent(fake, authorization)
  t.equal(`${url.origin}${url.pathname}`, 'https://www.linkedin.com/oauth/v2/authorization')
  t.same(Object.fromEntries(url.searchParams), {
    response_type: 'code',
    client_id: authorization.app.clientId,
    redirect_uri: authorization.redirectUri,
    scope: 'openid profile w_member_social',
    state: 'st4te',
  })
  t.equal(callback.get('state'), 'st4te')
  const accounts = await linkedinOAuth.finish({ ...authorization, callback, kept }, ioOf(fake))
  t.match(accounts, [
    {
      kind: 'member',
      profile: {
        externalId: MEMBER,
        username: 'Alice Archer',
        displayName: 'Alice Archer',
        limitKey: `linkedin:${MEMBER}`,
      },
      tokens: {
        scopes: ['openid', 'profile', 'w_member_social'],
        credentials: { author: MEMBER, member: MEMBER, scopes: 'openid profile w_member_social' },
      },
    },
  ])
  const [{ tokens }] = accounts as [(typeof accounts)[0]]
  t.ok(fake.tokens.has(tokens.credentials.accessToken!))
  t.notOk('refreshToken' in tokens.credentials)
  t.ok(Math.abs(tokens.expiresAt!.getTime() - Date.now() - 60 * 86_400_000) < 60_000, 'in 60 days')
})

t.test('organizations are offered to those who may post for them', async (t) => {
  const { fake, authorization } = await start(t)
  fake.app.scopes = ALL_SCOPES
  const add = (id: number, role: string) =>
    fake.organizations.set(`urn:li:organization:${id}`, {
      name: `Organization ${id}`,
      vanityName: `organization-${id}`,
      roles: new Map([[MEMBER, role]]),
    })
  add(7, 'CONTENT_ADMINISTRATOR')
  add(8, 'ANALYST')
  for (let id = 100; id < 150; id++) add(id, 'ADMINISTRATOR')
  const own = { ...authorization, scopes: ALL_SCOPES }
  const { callback, kept } = await consent(fake, own)
  const accounts = await linkedinOAuth.finish({ ...own, callback, kept }, ioOf(fake))
  t.equal(accounts.length, 1 + 2 + 50, 'the member, and every organization but one, from two pages')
  t.match(accounts[0], { kind: 'member', profile: { username: 'alice-archer' } })
  t.match(accounts[1], {
    kind: 'organization',
    profile: { externalId: 'urn:li:organization:5515715', username: 'acme', displayName: 'Acme Corp' },
    tokens: { credentials: { author: 'urn:li:organization:5515715', member: MEMBER, scopes: ALL_SCOPES.join(' ') } },
  })
  t.notOk(accounts.some(({ profile }) => profile.username === 'organization-8'))
})

t.test('an app for organizations alone connects organizations', async (t) => {
  const { fake, authorization } = await start(t)
  const scopes = ALL_SCOPES.filter((scope) => scope !== 'w_member_social')
  fake.app.scopes = scopes
  const own = { ...authorization, scopes }
  const { callback, kept } = await consent(fake, own)
  const accounts = await linkedinOAuth.finish({ ...own, callback, kept }, ioOf(fake))
  t.strictSame(
    checkAccounts('linkedin', linkedinOAuth, accounts).map(({ profile }) => profile.username),
    ['acme'],
  )
  const declined = accounts.map((account) => ({
    ...account,
    tokens: { ...account.tokens, scopes: ['r_basicprofile'] },
  }))
  t.throws(() => checkAccounts('linkedin', linkedinOAuth, declined), {
    code: 'scopes_missing',
    message: /: w_organization_social$/,
  })
})

t.test('a token that is refused for a moment after its issue is tried again', async (t) => {
  const { fake, authorization } = await start(t)
  fake.freshTokenRefusals = 1
  const { callback, kept } = await consent(fake, authorization)
  const accounts = await linkedinOAuth.finish({ ...authorization, callback, kept }, ioOf(fake))
  t.equal(accounts.length, 1)
  t.same(fake.log.slice(-2), ['GET /v2/userinfo', 'GET /v2/userinfo'])
})

t.test('LinkedIn refuses what it does not grant', async (t) => {
  const { fake, authorization } = await start(t)
  fake.refusal = 'user_cancelled_authorize'
  t.equal((await consent(fake, authorization)).callback.get('error'), 'user_cancelled_authorize')
  fake.refusal = null
  const greedy = { ...authorization, scopes: ALL_SCOPES }
  t.equal((await consent(fake, greedy)).callback.get('error'), 'unauthorized_scope_error')

  const { callback, kept } = await consent(fake, authorization)
  const finish = (changed: object = {}) =>
    linkedinOAuth.finish({ ...authorization, callback, kept, ...changed }, ioOf(fake))
  const wrongSecret = { app: { ...authorization.app, clientSecret: 'wr0ng' } }
  const refused = { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true }
  t.has(await rejection(finish(wrongSecret)), { maybeSent: false, needsAttention: false }, 'only the app is refused')
  await finish()
  const error = await rejection(finish())
  t.has(error, refused, 'a code is used once')
  t.notOk(error.message.includes(callback.get('code')!))
  const other = await consent(fake, authorization)
  t.has(await rejection(finish({ ...other, redirectUri: 'https://other.example/connect/callback' })), refused)
})

t.test('tokens are refreshed with the same refresh token, again and again', async (t) => {
  const { fake, authorization } = await start(t)
  fake.app.hasRefreshTokens = true
  const { callback, kept } = await consent(fake, authorization)
  const [account] = await linkedinOAuth.finish({ ...authorization, callback, kept }, ioOf(fake))
  const { credentials } = account!.tokens
  t.match(credentials.refreshToken, /^AQ-refresh-/)
  const { run, afterLostResponse } = linkedinOAuth.refresh!
  t.equal(afterLostResponse, 'repeatable')
  for (let times = 0; times < 2; times++) {
    const refreshed = await run(credentials, authorization.app, ioOf(fake))
    const { accessToken, issuedAt, ...others } = refreshed.credentials
    t.ok(fake.tokens.has(accessToken!) && accessToken !== credentials.accessToken)
    t.ok(Number(issuedAt) >= Number(credentials.issuedAt))
    const { accessToken: _, issuedAt: __, ...before } = credentials
    t.same(others, before)
  }
  const spent = { ...credentials, refreshToken: 'another' }
  t.has(await rejection(run(spent, authorization.app, ioOf(fake))), { code: 'unauthorized', needsAttention: true })
})

t.test('the refresh token that came last is kept', async (t) => {
  const { fake, authorization } = await start(t)
  Object.assign(fake.app, { hasRefreshTokens: true, rotatesRefreshTokens: true })
  const { callback, kept } = await consent(fake, authorization)
  const [account] = await linkedinOAuth.finish({ ...authorization, callback, kept }, ioOf(fake))
  let { credentials } = account!.tokens
  for (let times = 0; times < 2; times++) {
    const refreshed = await linkedinOAuth.refresh!.run(credentials, authorization.app, ioOf(fake))
    t.not(refreshed.credentials.refreshToken, credentials.refreshToken)
    const spent = await rejection(linkedinOAuth.refresh!.run(credentials, authorization.app, ioOf(fake)))
    t.has(spent, { code: 'unauthorized', needsAttention: true }, 'a lost response needs the owner')
    credentials = refreshed.credentials
  }
})
