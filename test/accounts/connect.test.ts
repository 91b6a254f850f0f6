import t from 'tap'
import { disconnectAccount } from '../../db/queries/disconnect.ts'
import { CONNECT_EXAMPLES, CONNECT_VARIANTS } from '../../schemas/connect.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { AnyAdapter } from '../../src/platforms/contract/adapter.ts'
import type { Credentials, Profile } from '../../src/platforms/contract/io.ts'
import { createWorld, findCredentials } from '../helpers/app.ts'
import { countAccounts, createNetworksWorld, createStubWorld, profile } from '../helpers/connect.ts'
import { networks } from '../helpers/networks.ts'
import { until } from '../helpers/until.ts'

const ownedBy = (ownerId: string) => ({ ownerId, isOwner: true, canDisconnect: true })

t.test('connecting an account of each network stores the names that the network returns', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, connectable } = world
  const listed: unknown[] = []
  for (const { body, account } of connectable) {
    const reply = await ada.call('POST', '/accounts', body)
    t.equal(reply.status, 201, body.platform)
    t.strictSame(reply.body, { id: reply.body.id, ...account, ...ownedBy(ada.id) })
    listed.push(reply.body)
  }
  const sandbox = await ada.call('POST', '/accounts', { platform: 'sandbox', credentials: { username: 'ada' } })
  t.strictSame(sandbox.body, { id: sandbox.body.id, platform: 'sandbox', username: 'ada', ...ownedBy(ada.id) })
  listed.push(sandbox.body)
  t.strictSame((await ada.call('GET', '/accounts')).body.data, listed, 'the list shows the same')
  t.strictSame(
    new Set([...connectable.map(({ body }) => body.platform), 'sandbox']),
    new Set(CONNECT_VARIANTS.map(({ properties }) => properties.platform.const)),
    'every network is tested that takes credentials',
  )
  const [{ id }] = listed as [{ id: string }]
  t.equal(
    (await ada.call('POST', '/posts', { accountIds: [id], caption: 'hi' })).status,
    201,
    'the account accepts posts',
  )
})

t.test('the sandbox receives its credentials unchanged', async (t) => {
  const seen: Credentials[] = []
  const { connect } = await createStubWorld(
    t,
    async ({ credentials }) => {
      seen.push(credentials)
      return { ...profile, username: credentials.username! }
    },
    'sandbox',
  )
  const credentials = { username: 'ada', displayName: 'Ada Lovelace', token: 'secret' }
  await connect(credentials)
  await connect({ username: 'bob' })
  t.strictSame(seen, [credentials, { username: 'bob' }])
})

t.test('only admins can connect an account for an organisation', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, user, organization, promote, of } = world
  const bob = await user()
  const [shared, foreign] = [await organization(ada, bob), await organization(bob)]
  const { body } = of('telegram')
  for (const organizationId of [foreign, '0196f0a1-0000-7000-8000-000000000000', 'nonsense', '']) {
    t.hasStrict(await ada.call('POST', '/accounts', { ...body, organizationId }), {
      status: 403,
      body: { error: `You have no access to this organizationId: ${organizationId}` },
    })
  }
  const long = await ada.call('POST', '/accounts', { ...body, organizationId: 'x'.repeat(10_000) })
  t.ok(long.body.error.length < 200)
  t.equal(of('telegram').network.calls.length, 0, 'the network was not called')
  t.equal(await countAccounts(world), 0)

  await promote(shared, await user())
  const asMember = await ada.call('POST', '/accounts', { ...body, organizationId: shared })
  t.strictSame([asMember.status, asMember.headers['x-error-code']], [403, 'not_organization_admin'])
  t.equal(of('telegram').network.calls.length, 0, 'nor for a member')
  await promote(shared, ada)
  const { status, body: account } = await ada.call('POST', '/accounts', { ...body, organizationId: shared })
  t.equal(status, 201)
  t.strictSame((await bob.call('GET', '/accounts')).body.data, [{ ...account, isOwner: false, canDisconnect: false }])
})

t.test('every member can connect an account for an organisation without an admin', async (t) => {
  const { ada, organization, of } = await createNetworksWorld(t)
  const organizationId = await organization(ada)
  const { status } = await ada.call('POST', '/accounts', { ...of('telegram').body, organizationId })
  t.equal(status, 201)
})

t.test('connecting an account again updates it and keeps its id', async (t) => {
  let current: Profile = { ...profile, textLengthMax: 5000 }
  const { ada, db, keyring, user, organization, promote, connect } = await createStubWorld(t, async () => current)
  const first = await connect()
  t.equal(first.status, 201)
  const { id } = first.body
  await db
    .updateTable('accounts')
    .set({ attention: JSON.stringify({ code: 'unauthorized', message: 'gone' }) })
    .execute()
  const before = await findCredentials(db, id)

  t.equal(first.body.textLengthMax, 5000)
  current = { ...profile, username: 'ada.new', displayName: null, textLengthMax: 300 }
  const again = await connect({ botToken: '1:new', chatId: '@b' })
  t.equal(again.status, 200)
  const changed = { id, platform: 'telegram', username: 'ada.new', textLengthMax: 300 }
  t.strictSame(again.body, { ...changed, ...ownedBy(ada.id) })
  t.strictSame((await ada.call('GET', '/accounts')).body.data, [again.body], 'its attention is cleared')
  const after = await findCredentials(db, id)
  t.notSame(after?.data, before?.data)
  t.strictSame(keyring.open(id, after!), { botToken: '1:new', chatId: '@b' })

  current = profile
  t.strictSame(
    (await connect()).body,
    { id, platform: 'telegram', username: 'ada', displayName: 'Ada', ...ownedBy(ada.id) },
    'a text limit that its server no longer reports is removed',
  )
  t.notOk('textLengthMax' in (await ada.call('GET', '/accounts')).body.data[0])

  const shared = await organization()
  await promote(shared, ada)
  const credentials = { botToken: '1:a', chatId: '@b' }
  await ada.call('POST', '/accounts', { platform: 'telegram', credentials, organizationId: shared })
  await connect()
  const { organizationId } = await db.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
  t.equal(organizationId, shared, 'its organisation changes only if the request names one')

  const bob = await user()
  const other = await bob.call('POST', '/accounts', { platform: 'telegram', credentials })
  t.equal(other.status, 201, 'another user gets a separate account')
  t.not(other.body.id, id)
  current = { ...profile, externalId: '2' }
  t.equal((await connect()).status, 201, 'another profile is a separate account')

  await disconnectAccount(db, id)
  current = profile
  const anew = await connect()
  t.equal(anew.status, 201, 'a disconnected account is not reused')
  t.not(anew.body.id, id)
})

t.test('connecting does not change an account that was added without credentials', async (t) => {
  const { ada, connect } = await createStubWorld(t, async () => profile)
  const added = await ada.account('telegram', { username: 'ada' })
  const { status, body } = await connect()
  t.equal(status, 201)
  t.not(body.id, added)
  t.hasStrict((await ada.call('GET', '/accounts')).body.data, [
    { id: added, attention: { code: 'not_connected' } },
    { id: body.id },
  ])
})

t.test('of concurrent requests that connect the same account, one adds it', async (t) => {
  const { connect, db, ada } = await createStubWorld(t, async () => profile)
  // The requests wait for one another. On a busy machine, some exceed their time limit, and clients repeat them.
  const untilServed = () => until('a request is served', connect, { isMet: ({ status }) => status !== 503 })
  const replies = await Promise.all(Array.from({ length: 12 }, untilServed))
  t.strictSame(replies.map(({ status }) => status).sort(), [...Array(11).fill(200), 201])
  t.equal(new Set(replies.map(({ body }) => body.id)).size, 1)
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 1)
  t.equal((await db.selectFrom('accountCredentials').selectAll().execute()).length, 1)
})

t.test(
  'concurrent connects and disconnects never leave a disconnected account with credentials, or the reverse',
  async (t) => {
    const { connect, db, ada } = await createStubWorld(t, async () => profile)
    for (let round = 0; round < 10; round++) {
      const { id } = (await connect()).body
      await Promise.all([
        connect(),
        ada.call('DELETE', `/accounts/${id}`),
        connect(),
        ada.call('DELETE', `/accounts/${id}`),
      ])
    }
    const rows = await db
      .selectFrom('accounts')
      .leftJoin('accountCredentials', 'accountId', 'id')
      .select(['disconnectedAt', 'accountId'])
      .execute()
    t.ok(rows.length > 1)
    for (const { disconnectedAt, accountId } of rows) t.equal(disconnectedAt === null, accountId !== null)
  },
)

t.test('names that Postgres cannot store are cleaned and shortened', async (t) => {
  let current: Profile = profile
  const { connect } = await createStubWorld(t, async () => current)
  const cases: [returned: Partial<Profile>, shown: object][] = [
    [
      { username: 'a\0b', displayName: '\u0007' },
      { username: 'a b', displayName: ' ' },
    ],
    [{ displayName: '\ud800' }, { displayName: '\ufffd' }],
    [{ username: 'u'.repeat(10_000) }, { username: 'u'.repeat(500) }],
    [{ externalId: 'é'.repeat(10_000) }, { username: 'ada' }],
  ]
  for (const [index, [returned, shown]] of cases.entries()) {
    current = { ...profile, externalId: String(index), ...returned }
    t.hasStrict(await connect(), { status: 201, body: shown })
  }
})

t.test('every network with an adapter can be connected, and every example reaches its network', async (t) => {
  const platforms = CONNECT_VARIANTS.map(({ properties }) => properties.platform.const as PlatformId)
  for (const [platform, { oauth }] of Object.entries(networks)) {
    t.ok(oauth || platforms.includes(platform as PlatformId), platform)
  }
  const called: string[] = []
  const network = (platform: string): AnyAdapter => ({
    ...networks.telegram!,
    identify: async () => {
      called.push(platform)
      return profile
    },
  })
  const all = Object.fromEntries(platforms.map((platform) => [platform, network(platform)]))
  const { user } = await createWorld(t, { networks: all })
  const ada = await user()
  for (const [platform, example] of Object.entries(CONNECT_EXAMPLES)) {
    t.equal((await ada.call('POST', '/accounts', example)).status, 201, platform)
  }
  t.strictSame(called, platforms)
})
