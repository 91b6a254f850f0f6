import { randomBytes } from 'node:crypto'
import { mock } from 'node:test'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { disconnectAccount } from '../../db/queries/accounts.ts'
import { CONNECT_EXAMPLES, CONNECT_VARIANTS } from '../../schemas/connect.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { createKeyring } from '../../src/credentials/keyring.ts'
import { createPublicClient } from '../../src/outbound/client.ts'
import type { Credentials, Profile } from '../../src/platforms/adapter.ts'
import { type AnyAdapter, createNetworks, type Networks } from '../../src/platforms/adapters.ts'
import { PublishError } from '../../src/platforms/publish-error.ts'
import { createLoggerOptions } from '../../src/runtime/logging.ts'
import { createWorld, findCredentials, type World } from '../helpers/app.ts'
import { everythingIn } from '../helpers/database.ts'
import { reset } from '../helpers/fake-network.ts'
import { startFakeNetworks } from '../helpers/fake-networks.ts'

/** The service with a fake of every network, and its log. */
async function createNetworksWorld(t: Test) {
  const fakes = await startFakeNetworks(t)
  const log: string[] = []
  const keyring = createKeyring([randomBytes(32)])
  const stream = { write: (line: string) => log.push(line) }
  const logger = { ...((await createLoggerOptions('trace')) as object), stream }
  const world = await createWorld(t, { fetch: fakes.fetch, keyring, logger })
  return { ...world, ...fakes, keyring, log, ada: await world.user('ada') }
}

/** The service with one network, whose `identify` is the given function. */
async function createStubWorld(t: Test, identify: AnyAdapter['identify'], platform = 'telegram') {
  const network: AnyAdapter = { ...networks.telegram!, identify }
  const world = await createWorld(t, { networks: { [platform]: network } as Networks })
  const ada = await world.user()
  const connect = (credentials: Credentials = { botToken: 'a', chatId: 'b' }) =>
    ada.call('POST', '/accounts', { platform, credentials })
  return { ...world, ada, connect }
}

/** Only their properties are used: they send nothing. */
const networks = createNetworks({} as never)

const profile: Profile = { externalId: '1', username: 'ada', displayName: 'Ada' }

const countAccounts = async ({ db }: World) =>
  (await db.selectFrom('accounts').select('id').execute()).length +
  (await db.selectFrom('accountCredentials').select('accountId').execute()).length

t.test('connecting an account of each network stores the names that the network returns', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, connectable } = world
  const listed: unknown[] = []
  for (const { body, account } of connectable) {
    const reply = await ada.call('POST', '/accounts', body)
    t.equal(reply.status, 201, body.platform)
    t.strictSame(reply.body, { id: reply.body.id, ...account })
    listed.push(reply.body)
  }
  const sandbox = await ada.call('POST', '/accounts', { platform: 'sandbox', credentials: { username: 'ada' } })
  t.strictSame(sandbox.body, { id: sandbox.body.id, platform: 'sandbox', username: 'ada' })
  listed.push(sandbox.body)
  t.strictSame((await ada.call('GET', '/accounts')).body.data, listed, 'the list shows the same')
  t.strictSame(
    new Set([...connectable.map(({ body }) => body.platform), 'sandbox']),
    new Set(Object.keys(networks)),
    'every network is tested',
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

t.test('credentials are stored encrypted, and can only be decrypted for their account', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, connectable, db, keyring } = world
  const ids: string[] = []
  for (const { body } of connectable) ids.push((await ada.call('POST', '/accounts', body)).body.id)
  const everything = await everythingIn(world.db)
  for (const [index, { body, secret }] of connectable.entries()) {
    t.notOk(everything.includes(secret), body.platform)
    const row = await findCredentials(db, ids[index]!)
    t.strictSame(keyring.open(ids[index]!, row!), body.credentials)
  }
  t.ok(everything.includes('Ada Lovelace'), 'the dump of the database has contents')

  const [one, other] = ids as [string, string]
  await sql`update account_credentials a set data = b.data, data_key = b.data_key from account_credentials b
    where a.account_id <> b.account_id and a.account_id in (${one}, ${other}) and b.account_id in (${one}, ${other})
  `.execute(db)
  for (const id of [one, other]) {
    const swapped = await findCredentials(db, id)
    t.throws(() => keyring.open(id, swapped!), { message: /do not open with the key/ })
  }
})

t.test('credentials that the network rejects are not stored, and the response says why', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, of } = world
  const wrong: [body: object, message: RegExp][] = [
    [
      { credentials: { identifier: 'ada.example.com', password: 'wrong' } },
      /^bluesky: bsky\.social: Invalid identifier/,
    ],
    [{ credentials: { instance: 'https://mastodon.example', accessToken: 'wrong' } }, /^mastodon: .*token is invalid$/],
    [
      { credentials: { instance: 'mastodon.example', accessToken: 'wrong' } },
      /^mastodon: instance has to be the https/,
    ],
    [{ credentials: { botToken: '1:wrong', chatId: '@lighthouses' } }, /^telegram: api\.telegram\.org: Unauthorized$/],
    [{ credentials: { botToken: 'wrong', chatId: '@lighthouses' } }, /^telegram: botToken is not the token of a bot$/],
    [{ credentials: { ...of('telegram').body.credentials, chatId: '@nowhere' } }, /^telegram: .*chat not found$/],
    [{ credentials: { webhookUrl: 'https://discord.com/api/webhooks/1/wrong' } }, /^discord: discord\.com: /],
    [{ credentials: { webhookUrl: 'https://discord.example/api/webhooks/1/wrong' } }, /^discord: webhookUrl has to be/],
  ]
  for (const [body, message] of wrong) {
    const platform = String(message).slice(2).split(':')[0]
    const reply = await ada.call('POST', '/accounts', { platform, ...body })
    t.equal(reply.status, 400)
    t.match(reply.body, { error: message })
    t.notOk('details' in reply.body)
    t.notMatch(reply.body.error, 'wrong')
  }
  t.equal(await countAccounts(world), 0)
})

t.test('an unreachable or failing network is a 502, and nothing is stored', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, connectable } = world
  for (const { body, network, firstCall } of connectable) {
    const cases = [reset, { status: 503 }, { status: 429 }, { status: 200, body: '<html>' }]
    for (const [index, instead] of cases.entries()) {
      network.faults.push({ on: firstCall, instead })
      const reply = await ada.call('POST', '/accounts', body)
      t.match(reply, { status: 502, body: { error: RegExp(`^${body.platform}: `) } }, `${body.platform} ${index}`)
      t.strictSame(Object.keys(reply.body), ['error'])
    }
  }
  const elsewhere = { instance: 'https://mastodon.invalid', accessToken: 'a' }
  t.strictSame((await ada.call('POST', '/accounts', { platform: 'mastodon', credentials: elsewhere })).body, {
    error: 'mastodon: mastodon.invalid could not be reached (ENOTFOUND)',
  })
  t.equal(await countAccounts(world), 0)
})

t.test('a private address gets the same error as a name that does not exist', async (t) => {
  const { user } = await createWorld(t, { fetch: createPublicClient().fetch })
  const ada = await user()
  for (const host of ['127.0.0.1', '[::1]', '169.254.169.254', '10.0.0.1']) {
    for (const [platform, credentials] of [
      ['mastodon', { instance: `https://${host}`, accessToken: 'a' }],
      ['bluesky', { service: `https://${host}`, identifier: 'a', password: 'b' }],
    ] as const) {
      const { status, body } = await ada.call('POST', '/accounts', { platform, credentials })
      t.equal(status, 502)
      t.strictSame(body, { error: `${platform}: ${host} could not be reached (ENOTFOUND)` })
    }
  }
})

t.test('no response and no log contains credentials', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, app, connectable, db, log } = world
  const responses: unknown[] = []
  const secrets = connectable.map(({ secret }) => secret)
  const send = async (body: unknown) => responses.push(await ada.call('POST', '/accounts', body))
  for (const { body, network, firstCall, secret } of connectable) {
    await send(body)
    await send(body)
    // Networks that echo the credentials.
    const echo = { message: `No ${secret}`, error: `No ${secret}`, description: `No ${secret}`, ok: false }
    for (const status of [400, 401, 403, 404, 422, 429, 500]) {
      network.faults.push({ on: firstCall, instead: { status, body: echo } })
      await send(body)
    }
    network.faults.push({ on: firstCall, instead: reset })
    await send(body)
    // Invalid bodies.
    await send({ ...body, credentials: { ...body.credentials, more: secret } })
    await send({ ...body, credentials: secret })
    await send({ ...body, organizationId: 5 })
    await send(`${JSON.stringify(body)}}`)
  }
  responses.push(await ada.call('GET', '/accounts'))
  await sql`alter table account_credentials add constraint never check (false) not valid`.execute(db)
  for (const { body } of connectable) {
    const reply = await ada.call('POST', '/accounts', body)
    t.equal(reply.status, 500, 'the failing statement is logged')
    responses.push(reply)
  }
  await app.close()
  t.ok(log.some((line) => line.includes('Postgres refused a statement')))
  const output = JSON.stringify(responses) + log.join('\n')
  for (const secret of secrets) t.notOk(output.includes(secret))
})

t.test('only members can connect an account for an organisation', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, user, organization, of } = world
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

  const { status, body: account } = await ada.call('POST', '/accounts', { ...body, organizationId: shared })
  t.equal(status, 201)
  t.strictSame((await bob.call('GET', '/accounts')).body.data, [account])
})

t.test('connecting an account again updates it and keeps its id', async (t) => {
  let current: Profile = { ...profile, textLengthMax: 5000 }
  const { ada, db, keyring, user, organization, connect } = await createStubWorld(t, async () => current)
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
  const again = await connect({ botToken: 'new', chatId: 'b' })
  t.equal(again.status, 200)
  t.strictSame(again.body, { id, platform: 'telegram', username: 'ada.new', textLengthMax: 300 })
  t.strictSame((await ada.call('GET', '/accounts')).body.data, [again.body], 'its attention is cleared')
  const after = await findCredentials(db, id)
  t.notSame(after?.data, before?.data)
  t.strictSame(keyring.open(id, after!), { botToken: 'new', chatId: 'b' })

  current = profile
  t.strictSame(
    (await connect()).body,
    { id, platform: 'telegram', username: 'ada', displayName: 'Ada' },
    'a text limit that its server no longer reports is removed',
  )
  t.notOk('textLengthMax' in (await ada.call('GET', '/accounts')).body.data[0])

  const shared = await organization(ada)
  const credentials = { botToken: 'a', chatId: 'b' }
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
  const replies = await Promise.all(Array.from({ length: 12 }, () => connect()))
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

t.test('a network that does not respond in time is a 502', async (t) => {
  const timeout = mock.method(AbortSignal, 'timeout', () => AbortSignal.abort())
  t.teardown(() => timeout.mock.restore())
  const { connect } = await createStubWorld(t, async ({ signal }) => {
    if (!signal.aborted) return profile
    throw new PublishError('it did not respond', { code: 'timeout', maybeSent: false, retryable: true })
  })
  t.hasStrict(await connect(), { status: 502, body: { error: 'telegram: it did not respond' } })
})

t.test('an unexpected error in an adapter is an opaque 500', async (t) => {
  const { connect } = await createStubWorld(t, async ({ credentials }) => {
    throw new Error(`what is ${credentials.botToken}?`)
  })
  t.hasStrict(await connect(), { status: 500, body: { error: 'Internal server error' } })
})

t.test('an error of the network is a 502 if it is retryable, else a 400', async (t) => {
  let error = {}
  const { connect } = await createStubWorld(t, async () => {
    throw new PublishError('reason\0', { code: 'any', maybeSent: false, retryable: false, ...error })
  })
  t.hasStrict(await connect(), { status: 400, body: { error: 'telegram: reason ' } })
  error = { needsAttention: true }
  t.equal((await connect()).status, 400)
  error = { retryable: true }
  t.equal((await connect()).status, 502)
})

t.test('without a key for encryption nothing is connected, and no network is called', async (t) => {
  const { fetch, connectable } = await startFakeNetworks(t)
  const { user, organization } = await createWorld(t, { fetch, keyring: undefined })
  const [ada, bob] = [await user(), await user()]
  const foreign = await organization(bob)
  for (const { body, network } of connectable) {
    t.hasStrict(await ada.call('POST', '/accounts', body), { status: 503, body: { error: 'Credentials key not set' } })
    t.equal((await ada.call('POST', '/accounts', { ...body, organizationId: foreign })).status, 403)
    t.equal(network.calls.length, 0)
  }
  t.equal((await ada.call('GET', '/accounts')).status, 200, 'other operations work')
})

t.test('a body is validated by the schema of the network that it names', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const options = ['bluesky', 'mastodon', 'telegram', 'discord', 'sandbox']
  const required = (expected: string, ...path: string[]) => ({
    code: 'invalid_type',
    expected,
    received: 'undefined',
    path,
    message: 'Required',
  })
  const typed = (expected: string, received: string, ...path: string[]) => ({
    ...required(expected, ...path),
    received,
    message: `Expected ${expected}, received ${received}`,
  })
  const unknown = (path: string[], ...keys: string[]) => ({
    code: 'unrecognized_keys',
    keys,
    path,
    message: `Unrecognized key(s) in object: ${keys.map((key) => `'${key}'`).join(', ')}`,
  })
  const notOneOf = (received: string) => ({
    code: 'invalid_enum_value',
    received,
    options,
    path: ['platform'],
    message: `Invalid enum value. Expected ${options.map((name) => `'${name}'`).join(' | ')}, received '${received}'`,
  })
  const bluesky = { identifier: 'a', password: 'b' }
  const cases: [body: unknown, issues: unknown[]][] = [
    [{}, [required('string', 'platform')]],
    [{ credentials: bluesky }, [required('string', 'platform')]],
    [{ platform: 5, credentials: bluesky }, [typed('string', 'number', 'platform')]],
    [{ platform: null }, [typed('string', 'null', 'platform')]],
    [{ platform: 'instagram', credentials: 5 }, [notOneOf('instagram')]],
    [{ platform: 'toString', credentials: {} }, [notOneOf('toString')]],
    [{ platform: 'bluesky' }, [required('object', 'credentials')]],
    [{ platform: 'bluesky', credentials: [] }, [typed('object', 'array', 'credentials')]],
    [{ platform: 'bluesky', credentials: { identifier: 'a' } }, [required('string', 'credentials', 'password')]],
    [
      { platform: 'discord', credentials: bluesky },
      [unknown(['credentials'], 'identifier', 'password'), required('string', 'credentials', 'webhookUrl')],
    ],
    [
      { platform: 'bluesky', credentials: { ...bluesky, password: 5 } },
      [typed('string', 'number', 'credentials', 'password')],
    ],
    [
      { platform: 'bluesky', credentials: { ...bluesky, service: null } },
      [typed('string', 'null', 'credentials', 'service')],
    ],
    [{ platform: 'bluesky', credentials: bluesky, organizationId: null }, [typed('string', 'null', 'organizationId')]],
    [{ platform: 'bluesky', credentials: bluesky, username: 'a' }, [unknown([], 'username')]],
    [[], [typed('object', 'array')]],
    ['null', [typed('object', 'null')]],
    ['5', [typed('object', 'number')]],
  ]
  for (const [body, issues] of cases) {
    const reply = await ada.call('POST', '/accounts', body)
    const title = JSON.stringify(body)
    t.equal(reply.status, 400, title)
    t.equal(reply.body.error, 'Invalid request', title)
    t.same(new Set(reply.body.details), new Set(issues), title)
  }
  const long = { platform: 'bluesky', credentials: { ...bluesky, password: 'x'.repeat(2_049) } }
  t.hasStrict((await ada.call('POST', '/accounts', long)).body.details, [
    { code: 'too_big', maximum: 2_048, path: ['credentials', 'password'] },
  ])
})

t.test('every network with an adapter can be connected, and every example reaches its network', async (t) => {
  const platforms = CONNECT_VARIANTS.map(({ properties }) => properties.platform.const as PlatformId)
  for (const platform of Object.keys(networks)) t.ok(platforms.includes(platform as PlatformId), platform)
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
