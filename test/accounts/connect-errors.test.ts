import { mock } from 'node:test'
import t from 'tap'
import { CONNECT_EXAMPLES } from '../../schemas/connect.ts'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { createWorld } from '../helpers/app.ts'
import { countAccounts, createNetworksWorld, createStubWorld, profile } from '../helpers/connect.ts'
import { collectProblems } from '../helpers/problems.ts'
import { startFakeNetworks } from '../networks/fakes/all.ts'
import { reset } from '../networks/fakes/network.ts'

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
    [{ credentials: { ...of('telegram').body.credentials, chatId: '@nowhere' } }, /^telegram: .*chat not found$/],
    [{ credentials: { webhookUrl: 'https://discord.com/api/webhooks/1/wrong' } }, /^discord: discord\.com: /],
  ]
  const { problems, check } = collectProblems()
  for (const [body, message] of wrong) {
    const platform = String(message).slice(2).split(':')[0]
    const reply = await ada.call('POST', '/accounts', { platform, ...body })
    check([reply.status, Object.keys(reply.body)], [400, ['error']], `${message}`)
    check(message.test(reply.body.error), true, `"${reply.body.error}" matches ${message}`)
    check(reply.body.error.includes('wrong'), false, `"${reply.body.error}" shows a secret`)
  }
  t.strictSame(problems, [])
  t.equal(await countAccounts(world), 0)
})

t.test('an unreachable or failing network is a 502, and nothing is stored', async (t) => {
  const world = await createNetworksWorld(t)
  const { ada, connectable } = world
  const { problems, check } = collectProblems()
  for (const { body, network, firstCall } of connectable) {
    const cases = [reset, { status: 503 }, { status: 429 }, { status: 200, body: '<html>' }]
    for (const [index, instead] of cases.entries()) {
      network.faults.push({ on: firstCall, instead })
      const reply = await ada.call('POST', '/accounts', body)
      const name = `${body.platform} ${index}`
      check([reply.status, Object.keys(reply.body)], [502, ['error']], name)
      check(
        reply.body.error?.startsWith(`${body.platform}: `),
        true,
        `${name}: "${reply.body.error}" names the network`,
      )
    }
  }
  t.strictSame(problems, [])
  const elsewhere = { instance: 'https://mastodon.invalid', accessToken: 'a' }
  t.strictSame((await ada.call('POST', '/accounts', { platform: 'mastodon', credentials: elsewhere })).body, {
    error: 'mastodon: mastodon.invalid does not resolve to a public address: check its spelling (ENOTFOUND)',
  })
  t.equal(await countAccounts(world), 0)
})

t.test('a private address gets the same error as a name that does not exist', async (t) => {
  const { user } = await createWorld(t, { fetch: createPublicClient().fetch })
  const ada = await user()
  const { problems, check } = collectProblems()
  for (const host of ['127.0.0.1', '[::1]', '169.254.169.254', '10.0.0.1']) {
    for (const [platform, credentials] of [
      ['mastodon', { instance: `https://${host}`, accessToken: 'a' }],
      ['bluesky', { service: `https://${host}`, identifier: 'a', password: 'b' }],
    ] as const) {
      const { status, body } = await ada.call('POST', '/accounts', { platform, credentials })
      const expected = [
        502,
        { error: `${platform}: ${host} does not resolve to a public address: check its spelling (ENOTFOUND)` },
      ]
      check([status, body], expected, `${platform} ${host}`)
    }
  }
  t.strictSame(problems, [])
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
  const options = Object.keys(CONNECT_EXAMPLES)
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
  const notOneOf = (received: string, advice = '') => ({
    code: 'invalid_enum_value',
    received,
    options,
    path: ['platform'],
    message: `Invalid enum value. Expected ${options.map((name) => `'${name}'`).join(' | ')}, received '${received}'${advice}`,
  })
  const elsewhere = (platform: string) => `. Accounts of ${platform} are connected with POST /api/v1/connections`
  const misformed = (key: string, message: string) => ({
    code: 'invalid_string',
    validation: 'regex',
    path: ['credentials', key],
    message,
  })
  const bluesky = { identifier: 'a', password: 'b' }
  const cases: [body: unknown, issues: unknown[]][] = [
    [{}, [required('string', 'platform')]],
    [{ credentials: bluesky }, [required('string', 'platform')]],
    [{ platform: 5, credentials: bluesky }, [typed('string', 'number', 'platform')]],
    [{ platform: null }, [typed('string', 'null', 'platform')]],
    [{ platform: 'instagram', credentials: 5 }, [notOneOf('instagram', elsewhere('instagram'))]],
    [{ platform: 'Twitter', credentials: {} }, [notOneOf('Twitter', elsewhere('x'))]],
    [
      { platform: 'telegram', credentials: { botToken: 'wrong', chatId: 'lighthouses' } },
      [
        misformed('botToken', 'Must be the token of a bot, such as 123456:ABC-DEF1234'),
        misformed('chatId', 'Must be the @name or the number of a chat'),
      ],
    ],
    [
      { platform: 'discord', credentials: { webhookUrl: 'https://discord.example/api/webhooks/1/wrong' } },
      [misformed('webhookUrl', 'Must have the form https://discord.com/api/webhooks/ID/TOKEN')],
    ],
    [
      { platform: 'sandbox', credentials: { username: 'two words' } },
      [misformed('username', 'Must be 1 to 64 letters, digits, underscores, full stops and hyphens')],
    ],
    [{ platform: 'bsky', credentials: bluesky }, [notOneOf('bsky', ". Did you mean 'bluesky'?")]],
    [{ platform: 'mastadon', credentials: {} }, [notOneOf('mastadon', ". Did you mean 'mastodon'?")]],
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
  const { problems, check } = collectProblems()
  for (const [body, issues] of cases) {
    const reply = await ada.call('POST', '/accounts', body)
    const title = JSON.stringify(body)
    check([reply.status, reply.body.error], [400, 'Invalid request'], title)
    check(new Set(reply.body.details), new Set(issues), `${title}: details`)
  }
  t.strictSame(problems, [])
  const long = { platform: 'bluesky', credentials: { ...bluesky, password: 'x'.repeat(2_049) } }
  t.hasStrict((await ada.call('POST', '/accounts', long)).body.details, [
    { code: 'too_big', maximum: 2_048, path: ['credentials', 'password'] },
  ])
})
