import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { CONNECT_EXAMPLES } from '../../schemas/connect.ts'
import type { Platform } from '../../schemas/platform-detail.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { NETWORKS } from '../../src/platforms/networks.ts'
import { call, createWorld } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { networks } from '../helpers/networks.ts'
import { collectProblems } from '../helpers/problems.ts'

t.test('every network is listed with each value and each source that posts are checked against', async (t) => {
  const { user } = await createWorld(t)
  const ada = repeating(await user())
  const { data } = (await ada.call('GET', '/platforms')).body as { data: Platform[] }
  t.strictSame(
    data.map(({ id }) => id),
    PLATFORM_IDS,
  )
  const { problems, check } = collectProblems()
  for (const shown of data) {
    const { id } = shown
    check((await ada.call('GET', `/platforms/${id}`)).body, shown, `${id} alone`)
    const { postTypes, fields, rateLimits, ...texts } = platforms[id]
    check(Object.keys(shown.postTypes), Object.keys(postTypes), `${id}: post types`)
    const properties = Object.keys((shown.fields as { properties: object }).properties)
    check(properties, Object.keys(fields), `${id}: fields`)
    check(shown.rateLimits.length, rateLimits.length, `${id}: rate limits`)
    check(shown.publishes, networks[id] !== undefined, `${id} publishes`)
    const { changes } = NETWORKS[id]
    check([shown.canDelete, shown.canEdit], [changes.remove.possible, changes.edit.possible], `${id}: changes`)
    const published = new Set(leavesOf(shown))
    const values = leavesOf([texts, postTypes, fields, rateLimits, changes]).filter(
      (leaf) => typeof leaf === 'number' || leaf.startsWith('https://'),
    )
    check(
      values.filter((leaf) => !published.has(leaf)),
      [],
      `${id} does not show`,
    )
    for (const [type, { delivery, firstComment }] of Object.entries(shown.postTypes)) {
      check(delivery !== null, shown.publishes, `${id} ${type} has a delivery`)
      const hasComment = delivery?.acts.some(({ act }) => act === 'comment') ?? firstComment !== undefined
      check(hasComment, firstComment !== undefined, `${id} ${type} has a comment`)
    }
  }
  t.strictSame(problems, [])
})

/** The numbers and texts inside `value`. */
function leavesOf(value: unknown): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value]
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return []
  return Object.values(value).flatMap(leavesOf)
}

t.test('what a network does after a lost response is told for each type of post', async (t) => {
  const { user } = await createWorld(t)
  const ada = repeating(await user())
  const { bluesky, linkedin, facebook, tiktok, youtube } = Object.fromEntries(
    ((await ada.call('GET', '/platforms')).body.data as Platform[]).map((platform) => [platform.id, platform]),
  )
  t.equal(bluesky!.postTypes.post!.delivery!.guarantee, 'exactly-once')
  const { guarantee, acts } = linkedin!.postTypes.video!.delivery!
  t.equal(guarantee, 'at-most-once', 'the weakest of all accounts')
  t.strictSame(
    acts.map(({ act, accounts, guarantee, ifAbsent }) => [act, accounts, guarantee, ifAbsent]),
    [
      ['files', 'members', 'at-most-once', undefined],
      ['files', 'organizations', 'reconcilable', 'unconfirmed'],
      ['comment', 'members', 'at-most-once', undefined],
      ['comment', 'organizations', 'reconcilable', 'unconfirmed'],
    ],
  )
  t.strictSame(
    facebook!.postTypes.post!.delivery!.acts.map(({ act, ifAbsent }) => [act, ifAbsent]),
    [
      ['text', 'unconfirmed'],
      ['files', 'sent again'],
      ['comment', 'sent again'],
    ],
  )
  t.strictSame(
    tiktok!.postTypes.post!.delivery!.acts.map(({ act, files, guarantee }) => [act, files, guarantee]),
    [
      ['files', 'images', 'at-most-once'],
      ['files', 'videos', 'exactly-once'],
    ],
  )
  t.strictSame(
    tiktok!.postTypes.video!.delivery!.acts.map(({ act, files, guarantee }) => [act, files, guarantee]),
    [['files', undefined, 'exactly-once']],
  )
  const outcomeOf = (platform: typeof tiktok) => platform!.postTypes.video!.delivery!.acts[0]!.onLostResponse
  for (const platform of [tiktok, youtube]) t.match(outcomeOf(platform), /queried for the upload/)
  t.match(bluesky!.postTypes.post!.delivery!.acts[0]!.onLostResponse, /The call is repeated/)
})

t.test('an ETag makes the second request a 304 without a body, and changes with the limits', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = repeating(await user())
  const account = await ada.account('mastodon')
  const etags = new Set<unknown>()
  const { problems, check } = collectProblems()
  for (const [path, cacheControl] of [
    ['/platforms', 'private, max-age=300'],
    ['/platforms/mastodon', 'private, max-age=300'],
    ['/platforms/x', 'private, max-age=300'],
    [`/accounts/${account}/limits`, 'private, no-cache'],
  ] as const) {
    const { headers } = await ada.call('GET', path)
    const etag = String(headers.etag)
    check(/^"[\w-]{43}"$/.test(etag), true, `${path}: ${etag} is a hash`)
    check(headers['cache-control'], cacheControl, path)
    etags.add(etag)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await ada.call('GET', path, undefined, { 'if-none-match': known })
      const { etag: same, 'cache-control': cached } = reply.headers
      check([reply.status, reply.body, same, cached], [304, '', etag, cacheControl], `${path} ${known}`)
    }
    const { status } = await ada.call('GET', path, undefined, { 'if-none-match': '"other"' })
    check(status, 200, `${path} with another ETag`)
  }
  t.strictSame(problems, [])
  t.equal(etags.size, 3, 'an account without limits of its own has those of its network')
  await db.updateTable('accounts').set({ textLengthMax: 5000 }).where('id', '=', account).execute()
  const { headers } = await ada.call('GET', `/accounts/${account}/limits`)
  t.notOk(etags.has(headers.etag))
})

t.test('the limits of an account are those that its posts are checked against', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = repeating(await user())
  const account = await ada.account('mastodon')
  await db.updateTable('accounts').set({ textLengthMax: 5000 }).where('id', '=', account).execute()
  const shown = (await ada.call('GET', `/accounts/${account}/limits`)).body as Platform
  const { thread } = shown.postTypes
  for (const text of [thread!.caption, thread!.firstComment, thread!.thread]) {
    t.hasStrict(text, { max: 5000, unit: 'mastodon', maxSource: null })
  }
  const validated = await ada.call('POST', '/posts/validate', { accountIds: [account], caption: 'a'.repeat(5001) })
  t.hasStrict(validated.body.violations[0], { rule: 'caption_length', limit: { max: 5000 }, source: null })
  const network = (await ada.call('GET', '/platforms/mastodon')).body as Platform
  t.hasStrict(network.postTypes.post!.caption, { max: 500, maxSource: undefined })
})

t.test('accounts of others, disconnected ones and those that a key does not list have no limits', async (t) => {
  const { app, db, user } = await createWorld(t)
  const [ada, bob] = [repeating(await user()), repeating(await user())]
  const [own, unlisted, foreign, gone] = [
    await ada.account('x'),
    await ada.account('x', { username: 'b' }),
    await bob.account('x'),
    await ada.account('x', { username: 'c' }),
  ]
  await ada.call('DELETE', `/accounts/${gone}`)
  const { key } = await createKey(db, {
    userId: ada.id,
    name: null,
    expiresAt: null,
    scopes: ['accounts:read' as const],
    accountIds: [own],
  })
  const limited = repeating({ ...ada, call: (method, path) => call(app, key, method, path) })
  const codeOf = async (person: typeof ada, path: string) => {
    const { status, headers } = await person.call('GET', path)
    return headers['x-error-code'] ?? status
  }
  t.equal(await codeOf(ada, `/accounts/${own}/limits`), 200)
  t.equal(await codeOf(limited, `/accounts/${own}/limits`), 200)
  t.equal(await codeOf(ada, `/accounts/${unlisted}/limits`), 200)
  t.equal(await codeOf(limited, `/accounts/${unlisted}/limits`), 'account_not_found')
  for (const id of [foreign, gone, 'unknown']) {
    t.equal(await codeOf(ada, `/accounts/${id}/limits`), 'account_not_found', id)
  }
  t.equal(await codeOf(limited, '/platforms'), 200)
  for (const id of ['none', 'constructor', 'X']) {
    t.equal(await codeOf(limited, `/platforms/${id}`), 'platform_not_found', id)
  }
})

t.test('another name of a network leads to its id, and the name of none does not', async (t) => {
  const ada = repeating(await (await createWorld(t)).user())
  const { problems, check } = collectProblems()
  for (const [name, id] of [
    ['twitter', 'x'],
    ['X', 'x'],
    ['x-twitter', 'x'],
    ['ig', 'instagram'],
    ['FB', 'facebook'],
    ['gmb', 'google_business'],
    ['google-business', 'google_business'],
    ['myspace'],
    ['constructor'],
  ] as [string, string?][]) {
    const hint = id ? `: the id of this network is ${id}` : ''
    check((await ada.call('GET', `/platforms/${name}`)).body.error, `Platform not found${hint}`, name)
    const { body } = await ada.call('GET', `/posts?platform=${name}`)
    check(body.details[0].message.split('. ')[2], id && `Did you mean '${id}'?`, `a filter on ${name}`)
  }
  t.strictSame(problems, [])
})

t.test('the ways to connect are those that the service offers', async (t) => {
  const { user } = await createWorld(t)
  const ada = repeating(await user())
  const { data } = (await ada.call('GET', '/platforms')).body as { data: Platform[] }
  const { problems, check } = collectProblems()
  for (const { id, connect, publishes } of data) {
    const [credentials, oauth] = (['credentials', 'oauth'] as const).map((name) =>
      connect.find(({ method }) => method === name),
    )
    check(connect.length > 0, publishes, `${id} can be connected`)
    const example = CONNECT_EXAMPLES[id] as { credentials: object } | undefined
    check(credentials !== undefined, example !== undefined, `${id} takes credentials`)
    if (credentials && example) {
      const validate = new Ajv2020().compile(credentials.credentials!)
      check(validate(example.credentials), true, `${id}: the example is valid`)
      check(validate({}), false, `${id}: no credentials are valid`)
      check(validate({ ...example.credentials, unknown: 'a' }), false, `${id}: an unknown property is valid`)
    }
    check(oauth?.scopes, networks[id]?.oauth?.scopes, `${id}: scopes`)
    check(oauth?.requiredScopes, networks[id]?.oauth?.requiredScopes, `${id}: required scopes`)
  }
  t.strictSame(problems, [])
  const hints = data.flatMap(({ id, connect }) => connect.flatMap(({ hint }) => (hint ? [[id, hint]] : [])))
  t.strictSame(
    hints.filter(([, hint]) => hint !== 'ignored'),
    [
      ['bluesky', 'optional'],
      ['mastodon', 'required'],
    ],
  )
})

t.test('the schema of each network is JSON Schema that a strict validator compiles', async (t) => {
  const { user } = await createWorld(t)
  const ada = repeating(await user())
  const { data } = (await ada.call('GET', '/platforms')).body as { data: Platform[] }
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } })
  for (const { id, fields } of data) t.ok(ajv.compile(fields), id)
})
