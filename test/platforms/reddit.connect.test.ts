import t from 'tap'
import { redditAdapter } from '../../src/platforms/reddit/adapter.ts'
import { actOf, clientOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startReddit } from '../networks/fakes/reddit.ts'
import { ALL_SCOPES } from '../networks/fakes/reddit-oauth.ts'

const oauth = redditAdapter.oauth!
const TOKEN = 'POST /api/v1/access_token'

async function start(t: Teardown) {
  const fake = await startReddit(t)
  const { app, consent } = fake.authorization
  const authorization = {
    app: { clientId: app.clientId, clientSecret: app.clientSecret as string | null },
    redirectUri: app.redirectUri,
    hint: null,
  }
  const io = ioOf(fake)
  const begin = async () => {
    const { url, kept } = await oauth.begin({ ...authorization, state: 'random' }, io)
    return { url, kept: JSON.parse(JSON.stringify(kept)) }
  }
  const finish = async () => {
    const { url, kept } = await begin()
    return oauth.finish({ ...authorization, callback: consent(url).searchParams, kept }, io)
  }
  return { fake, authorization, io, begin, finish }
}

t.test('a user who consents gets an account that can be published to', async (t) => {
  const { fake, finish, io } = await start(t)
  const [account, ...others] = await finish()
  t.strictSame(others, [])
  const { clientId } = fake.authorization.app
  t.hasStrict(account, {
    kind: 'profile',
    profile: { externalId: fake.user.id, username: 'ada_l', limitKey: `reddit:${clientId}` },
    tokens: { scopes: ALL_SCOPES, credentials: { username: 'ada_l', clientId } },
  })
  const lifeMs = account!.tokens.expiresAt!.getTime() - Date.now()
  t.ok(lifeMs > 86_300_000 && lifeMs <= 86_400_000, `a day: ${lifeMs}`)
  t.strictSame(fake.log, [TOKEN, 'GET /api/v1/me'])
  const act = actOf({ fields: { subreddit: 'lighthouses' } })
  const sent = await clientOf(redditAdapter).send(act, account!.tokens.credentials, io)
  t.match(sent.url, /^https:\/\/www\.reddit\.com\/r\/lighthouses\/comments\//)
})

t.test('the consent page is asked for a permanent grant, without which there is no refresh token', async (t) => {
  const { begin, finish, fake } = await start(t)
  const { url } = await begin()
  t.equal(`${url.origin}${url.pathname}`, 'https://www.reddit.com/api/v1/authorize')
  t.equal(url.searchParams.get('duration'), 'permanent')
  t.equal(url.searchParams.get('scope'), ALL_SCOPES.join(' '))
  t.ok((await finish())[0]!.tokens.credentials.refreshToken)
  url.searchParams.delete('duration')
  const code = fake.authorization.consent(url).searchParams.get('code')!
  const { app } = fake.authorization
  const response = await fake.fetch('https://www.reddit.com/api/v1/access_token', {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${app.clientId}:${app.clientSecret}`)}`,
      'user-agent': 'server:test:v1',
    },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: app.redirectUri }),
  })
  t.notOk('refresh_token' in ((await response.json()) as object))
})

t.test('every call names the app, and those of an account name its user', async (t) => {
  const { fake, finish } = await start(t)
  await finish()
  const agents = fake.calls.map(({ headers }) => headers['user-agent'])
  t.strictSame(agents, ['server:postroom.p-jcoLKBynTLew_Web:v1', 'server:postroom.p-jcoLKBynTLew_Web:v1'])
  await clientOf(redditAdapter).identify(fake.credentials, ioOf(fake))
  t.equal(fake.calls.at(-1)!.headers['user-agent'], 'server:postroom.p-jcoLKBynTLew_Web:v1 (by /u/ada_l)')
})

t.test('an error with status 200 is a failure: a code works once, for ten minutes, with its address', async (t) => {
  const { fake, authorization, begin, io } = await start(t)
  const { url, kept } = await begin()
  const callback = fake.authorization.consent(url).searchParams
  const refused = { code: 'unauthorized', needsAttention: true, retryable: false }
  const unknown = new URLSearchParams({ code: 'unknown', state: 'random' })
  for (const attempt of [{ callback: unknown }, { callback, redirectUri: 'https://postroom.example/other' }]) {
    const error = await rejection(oauth.finish({ ...authorization, kept, ...attempt }, io))
    t.has(error, { ...refused, message: 'www.reddit.com: invalid_grant' })
  }
  const [account] = await oauth.finish({ ...authorization, callback, kept }, io)
  t.has(await rejection(oauth.finish({ ...authorization, callback, kept }, io)), refused, 'a second time')
  const { credentials } = account!.tokens
  t.has(await rejection(clientOf(redditAdapter).identify(credentials, io)), { code: 'unauthorized' })

  const late = fake.authorization.consent((await begin()).url).searchParams
  fake.setTime(new Date(Date.now() + 601_000))
  t.has(await rejection(oauth.finish({ ...authorization, callback: late, kept }, io)), refused)
})

t.test('an app that Reddit does not accept is for the operator, and says nothing about the account', async (t) => {
  const { fake, authorization, finish, io } = await start(t)
  const [account] = await finish()
  const { app } = authorization
  const advice = /^www\.reddit\.com: Unauthorized\. The operator of Postroom has to check .* approved/
  const isForOperator = { retryable: false, needsAttention: false }
  fake.authorization.app.isApproved = false
  for (const error of [await rejection(finish()), await rejection(refresh())]) {
    t.has(error, isForOperator)
    t.match(error.message, advice)
  }
  fake.authorization.app.isApproved = true
  const other = { ...app, clientSecret: 'wrong' }
  t.has(await rejection(oauth.refresh!.run(account!.tokens.credentials, other, io)), isForOperator)

  function refresh() {
    return oauth.refresh!.run(account!.tokens.credentials, app, io)
  }
})

t.test('a refresh token stays the same and can be used again, until it is revoked', async (t) => {
  const { fake, authorization, finish, io } = await start(t)
  const [account] = await finish()
  const { credentials } = account!.tokens
  const { run, isPossible, afterLostResponse } = oauth.refresh!
  t.ok(isPossible(credentials))
  t.equal(afterLostResponse, 'repeatable')
  for (let use = 0; use < 2; use++) {
    const refreshed = await run(credentials, authorization.app, io)
    t.equal(refreshed.credentials.refreshToken, credentials.refreshToken)
    t.not(refreshed.credentials.accessToken, credentials.accessToken)
    t.has(refreshed.credentials, { username: 'ada_l', clientId: authorization.app.clientId })
  }
  await oauth.revoke!(credentials, authorization.app, io)
  t.same(fake.calls.at(-1)!.body, { token: credentials.refreshToken })
  t.has(await rejection(run(credentials, authorization.app, io)), {
    code: 'unauthorized',
    needsAttention: true,
    message: 'www.reddit.com: Bad Request',
  })
  t.has(await rejection(clientOf(redditAdapter).identify(credentials, io)), { code: 'unauthorized' })
})
