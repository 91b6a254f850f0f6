import t, { type Test } from 'tap'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import { facebookOAuth } from '../../src/platforms/facebook/connect.ts'
import { ioOf, rejection } from '../helpers/adapter-calls.ts'
import { startFacebook } from '../networks/fakes/facebook.ts'
import { graphError } from '../networks/fakes/facebook-errors.ts'

const TOKEN = 'GET /v26.0/oauth/access_token'
const ACCOUNTS = 'GET /v26.0/me/accounts'

async function start(t: Test) {
  const fake = await startFacebook(t)
  const { app, redirectUri } = fake.login
  return { fake, authorization: { app, redirectUri, hint: null }, io: ioOf(fake) }
}

const pageOf = (number: number, page: object = {}) => ({
  id: `10${number}`,
  name: `Page ${number}`,
  access_token: `EAAIpage${number}`,
  tasks: ['ANALYZE', 'CREATE_CONTENT'],
  ...page,
})

/** Runs the flow as a user who consents. */
async function connect({ fake, authorization, io }: Awaited<ReturnType<typeof start>>) {
  const { url, kept } = await facebookOAuth.begin({ ...authorization, state: 's' }, io)
  return facebookOAuth.finish({ ...authorization, callback: fake.login.consent(url), kept }, io)
}

t.test('the address of the consent page has the scopes, separated by commas', async (t) => {
  const { fake, authorization, io } = await start(t)
  const { url, kept } = await facebookOAuth.begin({ ...authorization, state: 'st%te &' }, io)
  t.equal(`${url.origin}${url.pathname}`, 'https://www.facebook.com/v26.0/dialog/oauth')
  t.same(Object.fromEntries(url.searchParams), {
    client_id: fake.login.app.clientId,
    redirect_uri: fake.login.redirectUri,
    state: 'st%te &',
    response_type: 'code',
    scope: [
      'pages_show_list,pages_manage_posts,pages_read_engagement',
      'pages_read_user_content,pages_manage_engagement,business_management',
    ].join(','),
    auth_type: 'rerequest',
  })
  t.equal(kept, null)
  const own = await facebookOAuth.begin({ ...authorization, scopes: ['pages_show_list'], state: 's' }, io)
  t.equal(own.url.searchParams.get('scope'), 'pages_show_list', 'an app may have scopes of its own')
  t.same(fake.log, [])
  t.ok(facebookOAuth.requiredScopes.every((scope) => facebookOAuth.scopes.includes(scope)))
  t.equal(facebookAdapter.oauth, facebookOAuth)
  t.equal(facebookOAuth.refresh, undefined, 'the tokens of Pages do not expire')
})

t.test('each Page that the user may post to is an account, over all pages of the list', async (t) => {
  const world = await start(t)
  const { fake } = world
  fake.login.pagesMax = 2
  fake.login.pages = [
    pageOf(1, { username: 'one' }),
    pageOf(2, { tasks: ['ANALYZE', 'MODERATE'] }),
    pageOf(3, { access_token: undefined }),
    pageOf(4),
    pageOf(5),
  ]
  const accounts = await connect(world)
  const limitKey = `facebook app ${fake.login.app.clientId}`
  t.same(
    accounts.map(({ profile, kind }) => ({ ...profile, kind })),
    [
      { externalId: '101', username: 'one', displayName: 'Page 1', limitKey, kind: 'page' },
      { externalId: '104', username: 'Page 4', displayName: 'Page 4', limitKey, kind: 'page' },
      { externalId: '105', username: 'Page 5', displayName: 'Page 5', limitKey, kind: 'page' },
    ],
  )
  t.same(accounts[0]!.tokens, {
    credentials: {
      accessToken: 'EAAIpage1',
      pageId: '101',
      appId: fake.login.app.clientId,
      userId: fake.login.userId,
    },
    scopes: facebookOAuth.scopes,
    expiresAt: null,
  })
  t.equal(fake.log.filter((name) => name === TOKEN).length, 2, 'the token is exchanged for a long-lived one')
  t.equal(fake.log.filter((name) => name === ACCOUNTS).length, 3)
})

t.test('scopes that the user declined are not among those of the account', async (t) => {
  const world = await start(t)
  const { login } = world.fake
  login.pages = [pageOf(1)]
  login.declined = new Set(['pages_manage_posts', 'business_management'])
  const [account] = await connect(world)
  t.same(account!.tokens.scopes, [
    'pages_show_list',
    'pages_read_engagement',
    'pages_read_user_content',
    'pages_manage_engagement',
  ])
  login.declined = new Set(['pages_show_list'])
  t.has(await rejection(connect(world)), { code: 'unauthorized', needsAttention: true })
})

t.test('a user without Pages has no accounts', async (t) => {
  t.same(await connect(await start(t)), [])
})

t.test('a refused code, app or redirect address needs attention, and shows no secret', async (t) => {
  const { fake, authorization, io } = await start(t)
  const consent = async () => fake.login.consent((await facebookOAuth.begin({ ...authorization, state: 's' }, io)).url)
  const used = await consent()
  await facebookOAuth.finish({ ...authorization, callback: used, kept: null }, io)
  const wrongSecret = { ...authorization.app, clientSecret: 'ffffffffffffffff' }
  const cases: [string, Partial<Parameters<typeof facebookOAuth.finish>[0]>][] = [
    ['a used code', { callback: used }],
    ['an unknown code', { callback: new URLSearchParams({ code: 'AQ-another' }) }],
    ['another redirect address', { callback: await consent(), redirectUri: 'https://postroom.example/other' }],
    ['another app', { callback: await consent(), app: { ...authorization.app, clientId: '7' } }],
    ['no secret', { callback: await consent(), app: { ...authorization.app, clientSecret: null } }],
  ]
  for (const [name, parts] of cases) {
    const error = await rejection(facebookOAuth.finish({ ...authorization, callback: used, kept: null, ...parts }, io))
    t.has(error, { code: 'unauthorized', retryable: false, needsAttention: true }, name)
    t.notOk(error.message.includes(authorization.app.clientSecret), name)
  }
  const words = `secret ${wrongSecret.clientSecret} of ${used.get('code')}`
  fake.faults.push({ on: TOKEN, instead: graphError(101, words) })
  const { message } = await rejection(
    facebookOAuth.finish({ ...authorization, app: wrongSecret, callback: used, kept: null }, io),
  )
  t.equal(message, 'facebook.com: secret … of …')
})

t.test('what may succeed later is retryable', async (t) => {
  const world = await start(t)
  for (const instead of [
    graphError(2, 'Service unavailable'),
    graphError(4, 'Limit'),
    { status: 502, body: '<html>' },
  ]) {
    for (const on of [TOKEN, 'GET /v26.0/me', 'GET /v26.0/me/permissions', ACCOUNTS]) {
      world.fake.faults.push({ on, instead })
      t.has(await rejection(connect(world)), { retryable: true, needsAttention: false }, on)
    }
  }
})

t.test('responses that Facebook does not send are refused', async (t) => {
  const world = await start(t)
  const bodies: unknown[] = ['<html>', 'null', [], {}, { data: 'a' }, { id: {}, access_token: 'a\nb', data: {} }]
  for (const body of bodies) {
    for (const on of [TOKEN, 'GET /v26.0/me', 'GET /v26.0/me/permissions', ACCOUNTS]) {
      world.fake.faults.push({ on, instead: { status: 200, body } })
      t.has(await rejection(connect(world)), { code: 'unexpected_answer' }, `${on} ${JSON.stringify(body)}`)
    }
  }
  for (const page of [null, 'a', {}, pageOf(1, { tasks: 'CREATE_CONTENT' })]) {
    world.fake.faults.push({ on: ACCOUNTS, instead: { status: 200, body: { data: [pageOf(2), page] } } })
    t.has(await rejection(connect(world)), { code: 'unexpected_answer' }, JSON.stringify(page))
  }
  const pages = [pageOf(1, { id: '1/2' }), pageOf(1, { access_token: 'a b' })]
  world.fake.faults.push({ on: ACCOUNTS, instead: { status: 200, body: { data: pages } } })
  t.same(await connect(world), [])
})

t.test('a list without an end is read up to 1000 Pages', async (t) => {
  const world = await start(t)
  const body = { data: [], paging: { next: 'https://elsewhere.example/', cursors: { after: 'a' } } }
  for (let calls = 0; calls < 20; calls++) world.fake.faults.push({ on: ACCOUNTS, instead: { status: 200, body } })
  t.same(await connect(world), [])
  t.equal(world.fake.faults.length, 10)
})
