import t, { type Test } from 'tap'
import { googleBusinessAdapter } from '../../src/platforms/google_business/adapter.ts'
import { connectByOAuth } from '../helpers/connect-oauth.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { startGoogleBusiness } from '../networks/fakes/google-business.ts'

/** The service with Google Business, and a user with two locations of one name, and one that cannot have posts. */
async function createGoogleWorld(t: Test) {
  const google = await startGoogleBusiness(t)
  const { app, consent } = google.authorization
  recordSecrets('credentials', app.clientSecret)
  const [{ accounts }] = google.locations as [(typeof google.locations)[0]]
  const title = 'Lighthouse Café'
  google.locations.push(
    {
      name: 'locations/2',
      title,
      storefrontAddress: { addressLines: ['2 Pier Road'], locality: 'Hythe' },
      metadata: { canOperateLocalPost: true },
      accounts,
    },
    { name: 'locations/3', title: 'Unverified', metadata: {}, accounts },
  )
  const options = { fetch: google.fetch, oauthApps: { google_business: app } }
  const world = await createDeliveryWorld(t, { google_business: googleBusinessAdapter }, options)
  const connect = () => connectByOAuth(world.app, world.ada, { platform: 'google_business' }, consent)
  return { ...world, google, connect }
}

t.test('a person chooses several locations of one consent, and each has its own posts', async (t) => {
  const { ada, post, work, readDelivery, google, connect } = await createGoogleWorld(t)
  const choosing = await connect()
  t.equal(choosing.state, 'choosing')
  t.same(
    choosing.choices.map(({ kind, displayName }: { kind: string; displayName: string }) => [kind, displayName]),
    [
      ['location', 'Lighthouse Café, 1 Harbour Street, Dover'],
      ['location', 'Lighthouse Café, 2 Pier Road, Hythe'],
    ],
  )
  const ids = choosing.choices.map(({ id }: { id: string }) => id)
  t.equal((await ada.call('POST', `/connections/${choosing.id}/choose`, { ids })).body.state, 'connected')
  const accounts = (await ada.call('GET', '/accounts')).body.data
  t.equal(accounts.length, 2)
  google.processing = 0
  for (const { id } of accounts) await post({ accountIds: [id], caption: 'Open until eight' })
  await work()
  t.same(google.posts.map(({ name }) => name.split('/')[3]).sort(), ['12345678901234567890', '2'])

  await ada.call('DELETE', `/accounts/${accounts[0].id}`)
  const later = await post({ accountIds: [accounts[1].id], caption: 'Still open' })
  await work()
  t.hasStrict(await readDelivery(later), { state: 'published' }, 'the tokens of the other location still work')
  t.notOk(google.log.includes('POST /revoke'))
})

t.test('a person whom Google does not let in learns who has to act', async (t) => {
  const { google, connect } = await createGoogleWorld(t)
  google.isApproved = false
  t.match(await connect(), {
    state: 'failed',
    error: { code: 'network_unavailable', message: /the operator of Postroom has to apply to Google for access/ },
  })
  google.isApproved = true
  for (const location of google.locations) location.metadata = {}
  t.match(await connect(), {
    state: 'failed',
    error: { code: 'nothing_to_choose', message: /Google takes posts for none of the locations/ },
  })
})

t.test('a person who does not allow what publishing needs learns what to allow', async (t) => {
  const { google, app, ada } = await createGoogleWorld(t)
  const consent = (page: URL) => google.authorization.consent(page, { granted: [] })
  t.match(await connectByOAuth(app, ada, { platform: 'google_business' }, consent), {
    state: 'failed',
    error: { code: 'scopes_missing', message: /connect again, and allow all that the page of Google asks for/ },
  })
})
