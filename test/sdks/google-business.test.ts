import t from 'tap'
import type { Teardown } from '../helpers/database.ts'
import { BUSINESS_SCOPE, startGoogleBusiness } from '../networks/fakes/google-business.ts'
import { type Claim, typeErrors } from './claims.ts'
import { type Exchange, failure, fetchOf, requirePackage } from './sdk.ts'

const ACCOUNTS = '@googleapis/mybusinessaccountmanagement'
const LOCATIONS = '@googleapis/mybusinessbusinessinformation'

/** Google's clients, whose calls reach the fake. */
async function start(t: Teardown) {
  const fake = await startGoogleBusiness(t)
  const exchanges: Exchange[] = []
  const fetchImplementation = fetchOf(fake, exchanges)
  const { auth, mybusinessaccountmanagement } = requirePackage(ACCOUNTS)
  const { mybusinessbusinessinformation } = requirePackage(LOCATIONS)
  const { clientId, clientSecret, redirectUris } = fake.authorization.app
  const [redirectUri] = redirectUris
  const user = new auth.OAuth2({ clientId, clientSecret, redirectUri, transporterOptions: { fetchImplementation } })
  const { accessToken: access_token, refreshToken: refresh_token } = fake.credentials
  user.setCredentials({ access_token, refresh_token })
  // A client changes its options.
  const options = () => ({ version: 'v1', auth: user, retry: false, fetchImplementation })
  const clients = {
    user,
    accounts: mybusinessaccountmanagement(options()).accounts,
    locations: mybusinessbusinessinformation(options()),
  }
  return { fake, exchanges, ...clients }
}

t.test('the client of Google logs in, refreshes and revokes', async (t) => {
  const { fake, user } = await start(t)
  const { codeVerifier, codeChallenge } = await user.generateCodeVerifierAsync()
  const address = user.generateAuthUrl({
    access_type: 'offline',
    prompt: 'consent',
    scope: BUSINESS_SCOPE,
    state: 'the-state',
    code_challenge_method: 'S256',
    code_challenge: codeChallenge,
  })
  const { searchParams } = fake.authorization.consent(new URL(address))
  t.equal(searchParams.get('state'), 'the-state')
  const { tokens } = await user.getToken({ code: searchParams.get('code'), codeVerifier })
  t.match(tokens, { access_token: /^ya29\./, refresh_token: /^1\/\//, scope: BUSINESS_SCOPE, token_type: 'Bearer' })
  t.ok(tokens.expiry_date > Date.now())
  user.setCredentials({ refresh_token: tokens.refresh_token })
  const { credentials } = await user.refreshAccessToken()
  t.equal(credentials.refresh_token, tokens.refresh_token)
  t.not(credentials.access_token, tokens.access_token)

  const used = user.getToken({ code: searchParams.get('code'), codeVerifier })
  t.match(await failure(used), { response: { status: 400, data: { error: 'invalid_grant' } } })
  t.equal((await user.revokeToken(tokens.refresh_token)).status, 200)
  t.match(await failure(user.refreshAccessToken()), { response: { status: 400, data: { error: 'invalid_grant' } } })
})

t.test('the clients of Google read every page of accounts and locations, and get the errors of the fake', async (t) => {
  const { fake, accounts, locations } = await start(t)
  const own = fake.accounts[0]!.name
  for (let group = 1; group <= 24; group++) {
    const name = `accounts/${group}`
    fake.accounts.push({ name, accountName: `Group ${group}`, type: 'LOCATION_GROUP', userIds: ['the-user'] })
  }
  for (let id = 1; id <= 11; id++) {
    fake.locations.push({ name: `locations/${id}`, title: `Café ${id}`, metadata: {}, accounts: [own] })
  }
  const first = await accounts.list({ pageSize: 100 })
  t.equal(first.data.accounts.length, 20, 'the most in a page')
  const second = await accounts.list({ pageToken: first.data.nextPageToken })
  t.equal(second.data.accounts.length, 5)
  t.equal(second.data.nextPageToken, undefined)

  const readMask = 'name,title,storefrontAddress,metadata'
  const { data } = await locations.accounts.locations.list({ parent: own, readMask })
  t.equal(data.locations.length, 10, 'without a size')
  t.match(data.locations[0], { title: 'Lighthouse Café', metadata: { canOperateLocalPost: true } })
  const one = await locations.locations.get({ name: data.locations[1].name, readMask: 'title' })
  t.strictSame(one.data, { title: 'Café 1' })

  const unmasked = locations.accounts.locations.list({ parent: own })
  t.match(await failure(unmasked), { status: 400, response: { data: { error: { status: 'INVALID_ARGUMENT' } } } })
  const foreign = locations.accounts.locations.list({ parent: 'accounts/77', readMask })
  t.match(await failure(foreign), { status: 403, response: { data: { error: { status: 'PERMISSION_DENIED' } } } })
  fake.isApproved = false
  t.match(await failure(accounts.list()), {
    status: 429,
    response: { data: { error: { status: 'RESOURCE_EXHAUSTED' } } },
  })
})

const TYPES = `import type { mybusinessaccountmanagement_v1 as accounts } from '${ACCOUNTS}'
import type { mybusinessbusinessinformation_v1 as locations } from '${LOCATIONS}'`

t.test('responses of the fake have the types of the clients', async (t) => {
  const { fake, exchanges, accounts, locations } = await start(t)
  const parent = fake.accounts[0]!.name
  const readMask = 'name,title,storefrontAddress,metadata'
  await accounts.list()
  await locations.accounts.locations.list({ parent, readMask })
  await locations.locations.get({ name: fake.locations[0]!.name, readMask })
  const types = [
    'accounts.Schema$ListAccountsResponse',
    'locations.Schema$ListLocationsResponse',
    'locations.Schema$Location',
  ]
  const claims = exchanges.map(
    ({ response }, index): Claim => ({ type: types[index]!, value: JSON.parse(response.text) }),
  )
  t.equal(claims.length, 3)
  t.equal(await typeErrors(t, TYPES, claims), '')
  const wrong = { type: types[2]!, value: { title: 5, colour: 'red' } }
  t.match(await typeErrors(t, TYPES, [wrong]), /'number' is not assignable to type 'string'/, 'another type is noticed')
})
