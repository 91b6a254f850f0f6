import t, { type Test } from 'tap'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import { connectByOAuth, createBrowser } from '../helpers/connect-oauth.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { signRequest, userRequest } from '../helpers/signed-request.ts'
import { PAGE_ID, startFacebook } from '../networks/fakes/facebook.ts'

/** The service with Facebook, and a user who may post to two of three Pages. */
async function createFacebookWorld(t: Test) {
  const facebook = await startFacebook(t)
  const { login } = facebook
  recordSecrets('credentials', login.app.clientSecret, facebook.credentials.accessToken)
  const tasks = ['ANALYZE', 'CREATE_CONTENT']
  login.pages = [
    { id: PAGE_ID, name: 'Metricsaurus', access_token: facebook.credentials.accessToken, tasks },
    { id: '2', name: 'Second', access_token: 'EAAIsecond0page0token', tasks },
    { id: '3', name: 'Read only', access_token: 'EAAIthird0page0token', tasks: ['ANALYZE'] },
  ]
  const options = { fetch: facebook.fetch, oauthApps: { facebook: login.app } }
  const world = await createDeliveryWorld(t, { facebook: facebookAdapter }, options)
  /** Consents on Facebook's page, as the browser would. */
  const consent = (url: URL) => new URL(`${login.redirectUri}?${login.consent(url)}`)
  return { ...world, facebook, connect: () => connectByOAuth(world.app, world.ada, { platform: 'facebook' }, consent) }
}

t.test(
  'a person chooses among the Pages that they may post to, where posts are published until they remove the app',
  async (t) => {
    const { app, ada, post, work, readDelivery, facebook, connect } = await createFacebookWorld(t)
    const choosing = await connect()
    t.equal(choosing.state, 'choosing')
    t.same(
      choosing.choices.map(({ kind, displayName }: { kind: string; displayName: string }) => [kind, displayName]),
      [
        ['page', 'Metricsaurus'],
        ['page', 'Second'],
      ],
    )
    const { body } = await ada.call('POST', `/connections/${choosing.id}/choose`, { ids: [choosing.choices[0].id] })
    t.equal(body.state, 'connected')
    const [account] = (await ada.call('GET', '/accounts')).body.data
    t.hasStrict(account, { platform: 'facebook', username: 'Metricsaurus', scopes: facebookAdapter.oauth!.scopes })
    t.notOk('credentialsExpireAt' in account, 'the token of a Page does not expire')

    const id = await post({ accountIds: [account.id], caption: 'Thar she blows' })
    await work()
    t.hasStrict(await readDelivery(id), { state: 'published', externalId: facebook.posts[0]!.id })

    const { app: registered, userId } = facebook.login
    const request = signRequest(userRequest(userId), registered.clientSecret)
    const callback = `/connect/meta/facebook/${registered.clientId}/deauthorize`
    await createBrowser(app).post(callback, new URLSearchParams({ signed_request: request }))
    const [removed] = (await ada.call('GET', '/accounts')).body.data
    t.hasStrict(removed, { id: account.id, attention: { code: 'not_connected' } })
  },
)

t.test('a person without Pages, or without the needed permissions, connects nothing', async (t) => {
  const { facebook, connect } = await createFacebookWorld(t)
  facebook.login.declined.add('pages_manage_posts')
  t.hasStrict(await connect(), { state: 'failed', error: { code: 'scopes_missing' } })
  facebook.login.declined.clear()
  facebook.login.pages = []
  t.hasStrict(await connect(), { state: 'failed', error: { code: 'nothing_to_choose' } })
})

t.test('a person who declines connects nothing', async (t) => {
  const { app, ada, facebook } = await createFacebookWorld(t)
  const { body } = await ada.call('POST', '/connections', { platform: 'facebook' })
  const browser = createBrowser(app)
  const { location } = await browser.get(body.url)
  const state = new URL(location!).searchParams.get('state')!
  const refusal = { error: 'access_denied', error_reason: 'user_denied', error_description: 'Permissions error', state }
  await browser.get(`${facebook.login.redirectUri}?${new URLSearchParams(refusal)}`)
  const { body: connection } = await ada.call('GET', `/connections/${body.id}`)
  t.equal(connection.state, 'failed')
  t.same(facebook.log, [])
})
