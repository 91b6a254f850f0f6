import t from 'tap'
import { googleBusinessAdapter } from '../../src/platforms/google_business/adapter.ts'
import { actOf, clientOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'
import { startGoogleBusiness } from '../networks/fakes/google-business.ts'

const oauth = googleBusinessAdapter.oauth!

async function start(t: Teardown) {
  const fake = await startGoogleBusiness(t)
  const { app, consent } = fake.authorization
  const { clientId, clientSecret, redirectUris } = app
  const authorization = { app: { clientId, clientSecret }, redirectUri: redirectUris[0]!, hint: null }
  const io = ioOf(fake)
  const connect = async (options?: Parameters<typeof consent>[1]) => {
    const { url, kept } = await oauth.begin({ ...authorization, state: 'the-state' }, io)
    const callback = consent(url, options).searchParams
    return oauth.finish({ ...authorization, callback, kept: JSON.parse(JSON.stringify(kept)) }, io)
  }
  const add = (id: number, accounts: string[], mayPost = true) =>
    fake.locations.push({
      name: `locations/${id}`,
      title: 'Lighthouse Café',
      storefrontAddress: { addressLines: [`${id} Harbour Street`] },
      metadata: mayPost ? { canOperateLocalPost: true } : {},
      accounts,
    })
  return { fake, authorization, io, connect, add }
}

const OWN = 'accounts/107504049698420000001'
const FIRST = 'locations/12345678901234567890'

t.test('a user who consents gets the location, and can post for it', async (t) => {
  const { fake, authorization, io, connect } = await start(t)
  const [account, ...others] = await connect()
  t.strictSame(others, [])
  const { clientId } = authorization.app
  t.match(account, {
    kind: 'location',
    profile: {
      externalId: '12345678901234567890',
      username: 'Lighthouse Café',
      displayName: 'Lighthouse Café, 1 Harbour Street, Dover',
      limitKey: `google_business:${clientId}`,
    },
    tokens: {
      scopes: ['https://www.googleapis.com/auth/business.manage'],
      credentials: { location: `${OWN}/${FIRST}`, clientId },
    },
  })
  t.strictSame(fake.log, ['POST /token', 'GET /v1/accounts', `GET /v1/${OWN}/locations`])
  const { credentials } = account!.tokens
  const refreshed = await oauth.refresh!.run(credentials, authorization.app, io)
  t.notSame(refreshed.credentials.accessToken, credentials.accessToken)
  const { id } = await clientOf(googleBusinessAdapter).send(actOf(), refreshed.credentials, io)
  t.match(id, /^accounts\/\d+\/locations\/\d+\/localPosts\/\d+$/)
})

t.test('every page of accounts and locations is read, and a location of two accounts comes once', async (t) => {
  const { fake, connect, add } = await start(t)
  for (let group = 1; group <= 24; group++) {
    fake.accounts.push({
      name: `accounts/${group}`,
      accountName: `Group ${group}`,
      type: 'LOCATION_GROUP',
      userIds: ['the-user'],
    })
  }
  fake.accounts.push({ name: 'accounts/99', accountName: 'Another', type: 'PERSONAL', userIds: ['another'] })
  for (let id = 1; id <= 120; id++) add(id, ['accounts/23'])
  add(200, ['accounts/24', OWN])
  add(300, ['accounts/99'])
  const accounts = await connect()
  t.equal(accounts.length, 1 + 1 + 120)
  const locations = accounts.map(({ tokens }) => tokens.credentials.location)
  t.ok(locations.includes(`${OWN}/locations/200`), 'under the account that is listed first')
  t.ok(locations.includes('accounts/23/locations/120'))
  t.notOk(locations.some((location) => location?.endsWith('/300')))
  t.equal(fake.log.filter((call) => call === 'GET /v1/accounts').length, 2)
  t.equal(fake.log.filter((call) => call === 'GET /v1/accounts/23/locations').length, 2)
  const tokens = new Set(accounts.map(({ tokens }) => tokens.credentials.refreshToken))
  t.equal(tokens.size, 1, 'of one consent')
})

t.test('locations that cannot have posts are left out', async (t) => {
  const { fake, connect, add } = await start(t)
  add(7, [OWN], false)
  t.equal((await connect()).length, 1)
  fake.locations.shift()
  const nothing = { code: 'nothing_to_choose', retryable: false }
  t.match(await rejection(connect()), { ...nothing, message: /Google takes posts for none of the locations/ })
  fake.accounts.length = 0
  t.match(await rejection(connect()), { ...nothing, message: /the Google account manages no location/ })
})

t.test('locations of several accounts are read at the same time, so that many are read in time', async (t) => {
  const { fake, io, connect } = await start(t)
  const accounts = ['accounts/1', 'accounts/2']
  for (const name of accounts) {
    fake.accounts.push({ name, accountName: name, type: 'LOCATION_GROUP', userIds: ['the-user'] })
  }
  const begun = new Set<string>()
  const { fetch } = io
  io.fetch = async (url, init) => {
    const account = accounts.find((name) => String(url).includes(`/${name}/locations`))
    if (account) begun.add(account)
    if (account) await until('the other account is read too', async () => begun.size === accounts.length)
    return fetch(url, init)
  }
  t.equal((await connect()).length, 1)
})

t.test('more locations than a person chooses from are not read', async (t) => {
  const { connect, add } = await start(t)
  for (let id = 1; id <= 1_100; id++) add(id, [OWN])
  t.equal((await connect()).length, 1_000)
})

t.test('a user who leaves the scope unticked gets no location', async (t) => {
  const { connect } = await start(t)
  const error = await rejection(connect({ granted: [] }))
  t.match(error, { code: 'scopes_missing', retryable: false, message: /allow all that .*\/auth\/business\.manage/ })
})

t.test('an app that Google has not approved names the operator', async (t) => {
  const { fake, connect } = await start(t)
  fake.disabled = ['mybusinessaccountmanagement.googleapis.com']
  t.match((await rejection(connect())).message, /the operator of Postroom has to enable this API of Google/)
  fake.disabled = []
  fake.isApproved = false
  t.match((await rejection(connect())).message, /the operator of Postroom has to apply to Google for access/)
})

t.test('responses that Google does not send are refused', async (t) => {
  const { fake, connect } = await start(t)
  for (const on of ['GET /v1/accounts', `GET /v1/${OWN}/locations`]) {
    const items = [null, {}, { name: 7 }].map((item) => ({ accounts: [item], locations: [item] }))
    for (const body of ['<html>', 'null', [], { accounts: 'a', locations: 5 }, ...items]) {
      fake.faults.push({ on, instead: { status: 200, body } })
      t.has(await rejection(connect()), { code: 'unexpected_answer' }, `${on} ${JSON.stringify(body)}`)
    }
  }
  const accounts = [{ name: 'accounts/1/../2' }]
  fake.faults.push({ on: 'GET /v1/accounts', instead: { status: 200, body: { accounts } } })
  t.has(await rejection(connect()), { code: 'nothing_to_choose' })
  const metadata = { canOperateLocalPost: true }
  const locations = [{ name: 'locations/1' }, { name: 'locations/x', title: 'a', metadata }]
  fake.faults.push({ on: `GET /v1/${OWN}/locations`, instead: { status: 200, body: { locations } } })
  t.has(await rejection(connect()), { code: 'nothing_to_choose' })
})
