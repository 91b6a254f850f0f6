import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { newId } from '../../db/id.ts'
import { createWorld, type Person, type World } from '../helpers/app.ts'

/** Each part of a test is a request that a naive service answers wrongly, and what this one says. */
type Issue = { code: string; path: (string | number)[]; message?: string | RegExp }

interface Sent {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies have every shape here
  body: any
  text: string
}

/** The service, one user of it with an account and a file, and a way to send bytes as they are. */
async function createTarget(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user('ada')
  const account = await ada.account('bluesky')
  const media = await ada.media()

  async function send(method: string, url: string, payload?: unknown, headers: Record<string, string> = {}) {
    const reply = await world.app.inject({
      method: method as 'GET',
      url,
      headers: { authorization: `Bearer ${ada.key}`, ...headers },
      ...(payload !== undefined && {
        payload: typeof payload === 'string' || payload instanceof Buffer ? payload : JSON.stringify(payload),
      }),
    })
    const type = String(reply.headers['content-type'])
    const isJson = type.includes('json') && method !== 'HEAD'
    return { status: reply.statusCode, body: isJson ? reply.json() : undefined, text: reply.body }
  }
  const create = (payload: unknown, type = 'application/json') =>
    send('POST', '/api/v1/posts', payload, { 'content-type': type })
  return { ...world, ada, account, media, send, create }
}

/** Nothing but the documented keys, and no word about what is inside. */
function hasDocumentedShape(t: Test, { status, body, text }: Sent, name: string) {
  const keys = Object.keys(body ?? {}).filter((key) => key !== 'details')
  t.strictSame(keys, ['error'], `${name}: ${status} has error and at most details`)
  t.equal(typeof body.error, 'string', name)
  t.notMatch(
    text.slice(0, 5_000),
    /node_modules|\.ts:\d|FST_|SQLSTATE|\bselect\b .* from|insert into|"statusCode"/,
    name,
  )
  t.ok(text.length < 100_000, `${name}: an answer of ${text.length} characters`)
}

function isRefused(t: Test, reply: Sent, status: number, error: string | RegExp, name: string) {
  t.equal(reply.status, status, name)
  t.match(reply.body.error, error, name)
  t.notOk('details' in reply.body, `${name}: no details`)
  hasDocumentedShape(t, reply, name)
}

/** A 400 with exactly these issues, in this order. */
function hasIssues(t: Test, reply: Sent, issues: Issue[], name: string) {
  t.equal(reply.status, 400, name)
  t.equal(reply.body.error, 'Invalid request', name)
  const details: Issue[] = reply.body.details ?? []
  t.ok(details.length <= 20, `${name}: ${details.length} details`)
  t.strictSame(
    details.map(({ code, path }) => ({ code, path })),
    issues.map(({ code, path }) => ({ code, path })),
    name,
  )
  for (const [index, { message }] of issues.entries()) if (message) t.match(details[index]?.message, message, name)
  for (const { message } of details) t.type(message, 'string', name)
  hasDocumentedShape(t, reply, name)
}

async function count({ db }: World, table: string) {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)
  return rows[0]?.n
}

async function nothingIsStored(t: Test, world: World) {
  for (const table of ['posts', 'post_targets', 'post_media']) {
    t.equal(await count(world, table), 0, `nothing in ${table}`)
  }
}

async function isAlive(t: Test, ada: Person) {
  t.equal((await ada.call('GET', '/accounts')).status, 200, 'the next request is served')
}

t.test('bodies are never coerced', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  const wrong = (name: string, body: object, ...issues: [path: Issue['path'], message: string, code?: string][]) =>
    create({ accountIds: [account], ...body }).then((reply) =>
      hasIssues(
        t,
        reply,
        issues.map(([path, message, code = 'invalid_type']) => ({ code, path, message })),
        name,
      ),
    )
  const expected = (type: string, received: string) => `Expected ${type}, received ${received}`

  await wrong('a string for a list', { accountIds: 'a' }, [['accountIds'], expected('array', 'string')])
  await wrong(
    'items of other types',
    { accountIds: [1, null, account, true, {}, []] },
    [['accountIds', 0], expected('string', 'number')],
    [['accountIds', 1], expected('string', 'null')],
    [['accountIds', 3], expected('string', 'boolean')],
    [['accountIds', 4], expected('string', 'object')],
    [['accountIds', 5], expected('string', 'array')],
  )
  await wrong('no accounts', { accountIds: [] }, [
    ['accountIds'],
    'Array must contain at least 1 element(s)',
    'too_small',
  ])
  await wrong('a list as an object', { accountIds: { 0: account } }, [['accountIds'], expected('array', 'object')])
  await wrong('a number for the caption', { caption: 5 }, [['caption'], expected('string', 'number')])
  await wrong('null for the caption', { caption: null }, [['caption'], expected('string', 'null')])
  await wrong('null for the comment', { firstComment: null }, [['firstComment'], expected('string', 'null')])
  await wrong('null for the type', { postType: null }, [['postType'], expected('string', 'null')])
  await wrong('null for the time', { scheduledAt: null }, [['scheduledAt'], expected('string', 'null')])
  await wrong('a number for the time', { scheduledAt: 1767225600 }, [['scheduledAt'], expected('string', 'number')])
  await wrong('null for media', { mediaIds: null }, [['mediaIds'], expected('array', 'null')])
  await wrong('null for overrides', { accountOverrides: null }, [['accountOverrides'], expected('array', 'null')])
  await wrong('an override that is a string', { accountOverrides: ['x'] }, [
    ['accountOverrides', 0],
    expected('object', 'string'),
  ])
  await wrong('fields that are a list', { accountOverrides: [{ accountId: account, fields: [] }] }, [
    ['accountOverrides', 0, 'fields'],
    expected('object', 'array'),
  ])
  await wrong('thread parts that are a string', { threadParts: { [account]: 'one' } }, [
    ['threadParts', account],
    expected('array', 'string'),
  ])
  await wrong('a thread part that is null', { threadParts: { [account]: ['one', null] } }, [
    ['threadParts', account, 1],
    expected('string', 'null'),
  ])
  await wrong('an unknown type', { postType: 'POST' }, [['postType'], /received 'POST'/ as never, 'invalid_enum_value'])

  for (const body of ['null', '1', '"a"', '[]', 'true']) {
    hasIssues(t, await create(body), [{ code: 'invalid_type', path: [], message: /^Expected object/ }], `body ${body}`)
  }
  hasIssues(t, await create('{}'), [{ code: 'invalid_type', path: ['accountIds'], message: 'Required' }], 'body {}')
  await nothingIsStored(t, target)
})

t.test('query integers are digits and nothing else, and a cursor is one of ours', async (t) => {
  const { send } = await createTarget(t)
  const refused: [query: string, code: string, path: string][] = [
    ...['Infinity', '1e1', '0x10', '%2010', '10%20', '+10', '%2B10', '10.0', '', 'NaN', 'null', '1_0', '1n', '%D9%A3']
      .concat(['%00', '1%00', '%ff', '%zz', '-', '-0', '1;offset=2', '9'.repeat(400), '💥'])
      .map((text): [string, string, string] => [`limit=${text}`, 'invalid_type', 'limit']),
    ['limit', 'invalid_type', 'limit'],
    ['limit=1&limit=2', 'invalid_type', 'limit'],
    ['limit=0', 'too_small', 'limit'],
    ['limit=-1', 'too_small', 'limit'],
    ['limit=101', 'too_big', 'limit'],
    ['limit=9007199254740993', 'too_big', 'limit'],
    ['offset=-1', 'too_small', 'offset'],
    ['offset=1.5', 'invalid_type', 'offset'],
    ['offset=', 'invalid_type', 'offset'],
    ['offset=9007199254740992', 'too_big', 'offset'],
    ['offset=9007199254740993', 'too_big', 'offset'],
    ['offset=9223372036854775808', 'too_big', 'offset'],
    [`offset=${'9'.repeat(5_000)}`, 'invalid_type', 'offset'],
    ...['', 'a', 'null', '0196f0ae', '0196F0AE-7C15-7B38-9A60-2D84E1F7C539', '0196f0ae7c157b389a602d84e1f7c539', '%00']
      .concat(['0196f0ae-7c15-7b38-9a60-2d84e1f7c539%0A', '{0196f0ae-7c15-7b38-9a60-2d84e1f7c539}', 'a'.repeat(5_000)])
      .map((text): [string, string, string] => [`cursor=${text}`, 'invalid_string', 'cursor']),
    ['cursor=a&cursor=b', 'invalid_type', 'cursor'],
    ['cursor=0196f0ae-7c15-7b38-9a60-2d84e1f7c539&offset=1', 'custom', 'offset'],
  ]
  for (const [query, code, path] of refused) {
    hasIssues(t, await send('GET', `/api/v1/posts?${query}`), [{ code, path: [path] }], query.slice(0, 40))
  }
  hasIssues(
    t,
    await send('GET', '/api/v1/posts?limit=a&offset=b'),
    [
      { code: 'invalid_type', path: ['limit'] },
      { code: 'invalid_type', path: ['offset'] },
    ],
    'both',
  )
})

t.test('large offsets are fine, and so are parameters that nobody knows', async (t) => {
  const { send } = await createTarget(t)
  for (const [query, limit, offset] of [
    ['offset=2147483648', 25, 2147483648],
    ['offset=9007199254740991', 25, Number.MAX_SAFE_INTEGER],
    ['limit=100&offset=0', 100, 0],
    [`limit=${'0'.repeat(5_000)}7`, 7, 0],
    ['limit[]=1', 25, 0],
    ['__proto__=1&__proto__[limit]=2&constructor=3&toString=4', 25, 0],
    ['&&&=&%=%00&%zz=%ff', 25, 0],
    [`x=${'y'.repeat(12_000)}`, 25, 0],
  ] as const) {
    const { status, body } = await send('GET', `/api/v1/posts?${query}`)
    t.equal(status, 200, query.slice(0, 40))
    t.strictSame(body, { data: [], limit, offset, nextCursor: null }, query.slice(0, 40))
  }
})

t.test('what Postgres cannot store is refused where it stands', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  for (const [bad, name] of [
    ['\0', 'NUL'],
    ['a\0b', 'NUL inside'],
    ['\ud83d', 'a high surrogate'],
    ['\ude00', 'a low surrogate'],
    ['\ude00\ud83d', 'surrogates in the wrong order'],
  ] as const) {
    const shown = bad.toWellFormed()
    const fields = (value: unknown) => ({ accountOverrides: [{ accountId: account, fields: value }] })
    const places: [body: object, path: Issue['path']][] = [
      [{ accountIds: [account, bad] }, ['accountIds', 1]],
      [{ caption: bad }, ['caption']],
      [{ firstComment: bad }, ['firstComment']],
      [{ postType: bad }, ['postType']],
      [{ scheduledAt: `2027-01-15T09:30:00Z${bad}` }, ['scheduledAt']],
      [{ mediaIds: [bad] }, ['mediaIds', 0]],
      [
        { accountOverrides: [{ accountId: account, captionOverride: bad }] },
        ['accountOverrides', 0, 'captionOverride'],
      ],
      [{ accountOverrides: [{ accountId: bad }] }, ['accountOverrides', 0, 'accountId']],
      [fields({ a: bad }), ['accountOverrides', 0, 'fields', 'a']],
      [fields({ a: [{ b: bad }] }), ['accountOverrides', 0, 'fields', 'a', 0, 'b']],
      [fields({ [bad]: 1 }), ['accountOverrides', 0, 'fields', shown]],
      [fields({ a: { [bad]: 1 } }), ['accountOverrides', 0, 'fields', 'a', shown]],
      [{ threadParts: { [account]: ['one', bad] } }, ['threadParts', account, 1]],
      [{ threadParts: { [bad]: ['one'] } }, ['threadParts', shown]],
      [{ [bad]: 1 }, [shown]],
    ]
    for (const [body, path] of places) {
      hasIssues(t, await create({ accountIds: [account], ...body }), [{ code: 'custom', path }], `${name} in ${path}`)
    }
  }
  const accepted = await create({ accountIds: [account], caption: '😀 \u0001 \uffff \u{10ffff}' })
  t.equal(accepted.status, 201, 'pairs of surrogates and other odd characters are text')
})

t.test('bytes that are not UTF-8, or not JSON, are refused', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  const good = JSON.stringify({ accountIds: [account], caption: 'é' })
  const unreadable: [name: string, body: string | Buffer, message: string][] = [
    ['latin 1', Buffer.from(good, 'latin1'), 'Request body is not valid UTF-8'],
    ['an overlong NUL', Buffer.from('7b22c080223a317d', 'hex'), 'Request body is not valid UTF-8'],
    ['an encoded surrogate', Buffer.from('22eda08022', 'hex'), 'Request body is not valid UTF-8'],
    ['UTF-16', Buffer.from(`\ufeff${good}`, 'utf16le'), 'Request body is not valid UTF-8'],
    ['UTF-16 without a mark', Buffer.from(JSON.stringify({}), 'utf16le'), 'Request body is not valid JSON'],
    ['gzip', gzipSync(good), 'Request body is not valid UTF-8'],
    ['a byte order mark', `\ufeff${good}`, 'Request body is not valid JSON'],
    ['empty', '', 'Request body is empty'],
    ...['{', 'hello', ' ', '{"accountIds":["a"],}', "{'a':1}", `${good}x`, good + good, `/* */${good}`, '{"a":NaN}']
      .concat(['{"a":01}', '{"a":"\n"}', '{"a":"\\x41"}', '{"a":"\\u12"}', 'undefined', 'accountIds=a'])
      .map((text): [string, string, string] => [JSON.stringify(text), text, 'Request body is not valid JSON']),
  ]
  for (const [name, body, message] of unreadable) {
    hasIssues(t, await create(body), [{ code: 'invalid_json', path: [], message }], name)
  }
  await nothingIsStored(t, target)
})

t.test('what no body can be is told apart from a body that is missing', async (t) => {
  const target = await createTarget(t)
  const { create, send, account } = target
  const good = { accountIds: [account] }
  for (const type of [
    ...[
      'text/plain',
      'text/json',
      'application/jsonx',
      'application/vnd.api+json',
      'application/x-www-form-urlencoded',
    ],
    ...[
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'application/json, text/plain',
      'application/json\ta',
    ],
    ...['', ' ', ';', '/', 'json', '*/*', 'application/*', 'application/json/x', 'ap\u00e9/json', 'x'.repeat(10_000)],
  ]) {
    const issue = { code: 'invalid_content_type', path: [], message: 'Content-Type must be application/json' }
    hasIssues(t, await create(good, type), [issue], `Content-Type ${JSON.stringify(type.slice(0, 40))}`)
  }
  const issue = { code: 'invalid_content_type', path: [] }
  hasIssues(t, await send('POST', '/api/v1/posts', JSON.stringify(good)), [issue], 'no Content-Type')
  hasIssues(
    t,
    await send('POST', '/api/v1/posts'),
    [{ code: 'invalid_json', path: [], message: 'Request body is empty' }],
    'neither type nor body',
  )
  await nothingIsStored(t, target)

  for (const type of ['APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json;charset=UTF-8;']) {
    t.equal((await create(good, type)).status, 201, type)
  }
})

t.test('nesting, numbers and keys that change or break on their way are refused', async (t) => {
  const target = await createTarget(t)
  const { create, account, ada } = target
  /** A body with this text as the `fields` of its override. */
  const withFields = (text: string) =>
    create(`{"accountIds":["${account}"],"accountOverrides":[{"accountId":"${account}","fields":${text}}]}`)
  const nested = (levels: number) => '{"a":'.repeat(levels) + 1 + '}'.repeat(levels)
  const inFields = ['accountOverrides', 0, 'fields']

  for (const [name, text] of [
    ['33 levels', nested(33)],
    ['5,000 levels', nested(5_000)],
    ['5,000 lists', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
  ] as const) {
    const reply = await withFields(text)
    t.equal(reply.status, 400, name)
    t.match(reply.body.details, [{ code: 'custom', message: 'Nested too deeply: fields may be 32 levels deep' }], name)
    t.equal(reply.body.details.length, 1, name)
    hasDocumentedShape(t, reply, name)
  }
  for (const text of ['['.repeat(500_000) + ']'.repeat(500_000), '{"a":'.repeat(150_000) + 1 + '}'.repeat(150_000)]) {
    const reply = await create(text)
    t.match(reply, { status: 400, body: { details: [{ code: 'custom' }] } }, 'a megabyte of brackets')
    hasDocumentedShape(t, reply, 'a megabyte of brackets')
  }

  for (const number of ['9007199254740992', '-9007199254740993', '12345678901234567890', '1e400', '-1e400', '1e300']) {
    const issue = { code: 'custom', path: [...inFields, 'n'], message: /2\^53/ }
    hasIssues(t, await withFields(`{"n":${number}}`), [issue], number)
  }

  const unknown = (path: Issue['path']) => [{ code: 'unrecognized_keys', path }]
  hasIssues(t, await create(`{"accountIds":["${account}"],"__proto__":{"caption":"x"}}`), unknown([]), '__proto__')
  hasIssues(t, await create(`{"__proto__":null,"accountIds":["${account}"]}`), unknown([]), '__proto__ null')
  hasIssues(t, await withFields('{"__proto__":{"a":1}}'), unknown(inFields), '__proto__ in fields')
  hasIssues(t, await withFields('{"a":[{"__proto__":1}]}'), unknown([...inFields, 'a', 0]), '__proto__ further down')
  const poisoned = '{"constructor":{"prototype":{"a":1}}}'
  hasIssues(t, await withFields(poisoned), unknown(inFields), 'constructor.prototype in fields')
  hasIssues(t, await create(poisoned), unknown([]), 'constructor.prototype')
  t.equal(({} as Record<string, unknown>).a, undefined, 'no prototype was changed')
  await nothingIsStored(t, target)

  t.equal((await withFields(nested(32))).status, 201, '32 levels')
  t.equal((await withFields('{"n":9007199254740991,"m":-9007199254740991,"x":0.1,"y":1.5e15}')).status, 201, 'numbers')
  t.equal((await withFields('{"constructor":1,"toString":2,"length":3,"":4,"a\\nb":5}')).status, 201, 'odd keys')
  await isAlive(t, ada)
})

t.test('keys that nobody knows are refused: no mass assignment, no silent draft', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  const unknown = async (body: object, path: Issue['path'], keys: string[]) => {
    const reply = await create({ accountIds: [account], ...body })
    hasIssues(t, reply, [{ code: 'unrecognized_keys', path }], keys.join())
    t.strictSame(reply.body.details[0].keys, keys)
  }
  await unknown({ userId: newId() }, [], ['userId'])
  await unknown({ status: 'published' }, [], ['status'])
  await unknown({ id: newId() }, [], ['id'])
  await unknown({ createdAt: '2020-01-01T00:00:00Z', updatedAt: null }, [], ['createdAt', 'updatedAt'])
  await unknown({ scheduledat: '2027-01-15T09:30:00Z' }, [], ['scheduledat'])
  await unknown({ constructor: 1 }, [], ['constructor'])
  await unknown({ toString: 'x' }, [], ['toString'])
  await unknown(
    { accountOverrides: [{ accountId: account, caption: 'x', status: 'draft' }] },
    ['accountOverrides', 0],
    ['caption', 'status'],
  )
  await nothingIsStored(t, target)
})

t.test('an answer stays small, however much is wrong', async (t) => {
  const target = await createTarget(t)
  const { create, account, ada } = target
  const long = 'k'.repeat(1_000_000)
  const good = { accountIds: [account] }
  const bodies: [name: string, body: unknown][] = [
    ['500,000 bad items', `{"accountIds":[${'1,'.repeat(499_999)}1]}`],
    ['300,000 bad overrides', { ...good, accountOverrides: Array(300_000).fill({}) }],
    ['200,000 bad media', { ...good, mediaIds: Array(200_000).fill(null) }],
    ['bad strings', { ...good, mediaIds: Array(100_000).fill('\0') }],
    ['70,000 unknown keys', { ...good, ...Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [i, i])) }],
    ['a long unknown key', { ...good, [long]: 1 }],
    ['a long key that cuts an emoji', { ...good, [`${'k'.repeat(99)}😀${'k'.repeat(99)}`]: 1 }],
    [
      'long unknown keys',
      { ...good, ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i + 'k'.repeat(50_000), 1])) },
    ],
    [
      'much wrong below a long key',
      { ...good, accountOverrides: [{ accountId: account, fields: { [long.slice(9_000)]: Array(200).fill(1e300) } }] },
    ],
    ['much wrong in thread parts of a long key', { ...good, threadParts: { [long.slice(9_000)]: Array(200).fill(1) } }],
    ['a long type', { ...good, postType: long }],
    ['a long time', { ...good, scheduledAt: long }],
    ['15,000 overrides of one account', { ...good, accountOverrides: Array(15_000).fill({ accountId: account }) }],
    ['15,000 overrides of others', { ...good, accountOverrides: Array(15_000).fill({ accountId: newId() }) }],
  ]
  for (const [name, body] of bodies) {
    const reply = await create(body)
    t.match(reply, { status: 400, body: { error: 'Invalid request' } }, name)
    t.ok(reply.body.details?.length > 0 && reply.body.details.length <= 20, `${name}: 20 details at most`)
    t.ok(reply.text.isWellFormed(), name)
    hasDocumentedShape(t, reply, name)
  }
  const ids: [name: string, body: object][] = [
    ['26,000 unknown accounts', { accountIds: Array.from({ length: 26_000 }, newId) }],
    ['26,000 unknown media', { ...good, mediaIds: Array.from({ length: 26_000 }, newId) }],
    ['100,000 ids that are none', { accountIds: Array.from({ length: 100_000 }, (_, i) => `${i}`) }],
    ['250,000 times the same', { accountIds: Array(250_000).fill('a') }],
    ['a long id', { accountIds: [long] }],
    ['ids to trip over', { accountIds: ['constructor', '__proto__', '', "'; drop table posts; --", 'a\nb', '\u2028'] }],
    ['other spellings of an id', { accountIds: [account.toUpperCase(), `{${account}}`, ` ${account}`] }],
  ]
  for (const [name, body] of ids) {
    const reply = await create(body)
    // Too many files are a limit of the network, too, which is judged first.
    t.ok(reply.status === 403 || (reply.status === 400 && name.includes('media')), `${name}: ${reply.status}`)
    t.notOk('details' in reply.body, name)
    hasDocumentedShape(t, reply, name)
  }
  await nothingIsStored(t, target)
  await isAlive(t, ada)
})

t.test('a time is RFC 3339 with a zone, in the years 1970 to 9999', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  for (const text of [
    ...['2026-01-01T00:00:60Z', '2026-12-31T23:59:60Z', '0000-01-01T00:00:00Z', '1969-12-31T23:59:59Z'],
    ...['2026-01-01 00:00:00Z', 'infinity', '-infinity', 'now', 'today', 'epoch', 'Jan 1 2026', '2026-02-30T00:00:00Z'],
    ...['2026-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z', '2026-00-10T00:00:00Z'],
    ...['2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z'],
    ...['2026-01-01T00:00:00', '2026-01-01', '2026-01-01T00:00Z', '2026-01-01T00Z', '20260101T000000Z', '2026-W01-1'],
    ...['2026-01-01T00:00:00+1', '2026-01-01T00:00:00+01', '2026-01-01T00:00:00+0100', '2026-01-01T00:00:00+24:00'],
    ...['2026-01-01T00:00:00+01:60', '2026-01-01T00:00:00 Z', '2026-01-01T00:00:00.Z', '2026-01-01T00:00:00,5Z'],
    ...['10000-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', '9999-12-31T23:59:59-00:01'],
    ...['1970-01-01T00:00:00+00:01', ' 2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z\n', '2026-01-01T00:00:00Z[UTC]'],
    ...['２０２６-01-01T00:00:00Z', '2026-01-01T00:00:00−01:00', '1767225600', '1767225600000', '', ' ', 'null'],
    ...["2026-01-01T00:00:00Z'; drop table posts; --", '9'.repeat(100_000)],
  ]) {
    const reply = await create({ accountIds: [account], scheduledAt: text })
    hasIssues(
      t,
      reply,
      [{ code: 'invalid_string', path: ['scheduledAt'], message: /^Invalid datetime/ }],
      text.slice(0, 50),
    )
  }
  const naive = await create({ accountIds: [account], scheduledAt: '2026-01-01T00:00:00' })
  t.match(naive.body.details[0].message, /time zone/, 'a naive time is told that it is one')
  await nothingIsStored(t, target)

  for (const [text, stored] of [
    ['2027-01-15T09:30:00Z', '2027-01-15T09:30:00.000Z'],
    ['2027-01-15t09:30:00z', '2027-01-15T09:30:00.000Z'],
    ['2027-01-15T09:30:00+05:30', '2027-01-15T04:00:00.000Z'],
    ['2027-01-15T09:30:00-23:59', '2027-01-16T09:29:00.000Z'],
    ['2027-01-15T09:30:00-00:00', '2027-01-15T09:30:00.000Z'],
    ['2027-01-15T09:30:00.5Z', '2027-01-15T09:30:00.500Z'],
    ['2027-01-15T09:30:00.123456789Z', '2027-01-15T09:30:00.123Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    const { status, body } = await create({ accountIds: [account], caption: 'x', scheduledAt: text })
    t.match({ status, body }, { status: 201, body: { status: 'scheduled' } }, text)
    const { data } = (await target.ada.call('GET', '/posts?limit=1')).body
    t.match(data[0], { id: body.id, scheduledAt: stored }, text)
  }
  t.equal(await count(target, 'posts'), 10)
})

t.test('a body may have a mebibyte and no more', async (t) => {
  const target = await createTarget(t)
  const { create, send, account, ada } = target
  const good = JSON.stringify({ accountIds: [account] })
  const padded = (size: number) => good + ' '.repeat(size - good.length)
  for (const size of [1024 * 1024 + 1, 5_000_000]) {
    isRefused(t, await create(padded(size)), 413, 'Request body is larger than 1 MiB', `${size} bytes`)
  }
  const type = await create('x'.repeat(5_000_000), 'text/plain')
  hasIssues(t, type, [{ code: 'invalid_content_type', path: [] }], 'a large body of another type')
  await nothingIsStored(t, target)
  const { status } = await send('POST', '/api/v1/posts', 'x'.repeat(5_000_000), { authorization: 'Bearer x' })
  t.equal(status, 401, 'the key is looked at first')
  t.equal((await create(padded(1024 * 1024))).status, 201, 'exactly a mebibyte')
  await isAlive(t, ada)
})

t.test('a large text is judged quickly enough to leave the service alive', async (t) => {
  const { create, account, ada } = await createTarget(t)
  for (const text of [
    'x',
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    'ex.am ',
    'e\u0301',
    '\u0301',
    'http://',
    '@a',
    '@',
    '#',
    'a.',
    ' ',
    '\n',
    'a@b.',
    '(',
  ]) {
    const size = Math.floor(1_040_000 / Buffer.byteLength(JSON.stringify(text).slice(1, -1)))
    const reply = await create({ accountIds: [account], caption: text.repeat(size) })
    t.ok(reply.status === 400 || reply.status === 201, `${JSON.stringify(text)}: ${reply.status}`)
    if (reply.status === 400) hasDocumentedShape(t, reply, text)
  }
  await isAlive(t, ada)
})

t.test('DELETE ignores what comes as a body, whatever it says it is', async (t) => {
  const target = await createTarget(t)
  const { send, create, account } = target
  for (const [name, payload, headers] of [
    ['JSON without a body', undefined, { 'content-type': 'application/json' }],
    ['JSON and nothing', '', { 'content-type': 'application/json' }],
    ['JSON that is none', '{', { 'content-type': 'application/json' }],
    ['another type', 'hello', { 'content-type': 'text/plain' }],
    ['no type', 'hello', {}],
    ['a type that is none', 'hello', { 'content-type': ';;' }],
    ['bytes', Buffer.from([0, 255]), { 'content-type': 'application/json' }],
    ['three megabytes', ' '.repeat(3_000_000), { 'content-type': 'application/json' }],
    ['__proto__', '{"__proto__":1}', { 'content-type': 'application/json' }],
  ] as const) {
    const { id } = (await create({ accountIds: [account] })).body
    const deleted = await send('DELETE', `/api/v1/posts/${id}`, payload, headers)
    t.strictSame({ status: deleted.status, body: deleted.body }, { status: 200, body: { success: true } }, name)
    isRefused(t, await send('DELETE', `/api/v1/posts/${id}`, payload, headers), 404, 'Post not found', `${name}, again`)
  }
  t.equal(await count(target, 'posts'), 0)
})

t.test('a post id of any form is 404, and takes nothing with it', async (t) => {
  const target = await createTarget(t)
  const { send, create, account } = target
  const { id } = (await create({ accountIds: [account] })).body
  for (const text of [
    ...['%00', 'abc', 'x'.repeat(200), 'x'.repeat(5_000), 'x'.repeat(12_000), '%2F', '%2e%2e%2fposts', '%F0%9F%98%80'],
    ...[
      '00000000-0000-0000-0000-000000000000',
      newId(),
      id.toUpperCase(),
      id.replaceAll('-', ''),
      `{${id}}`,
      `${id}%00`,
    ],
    ...[
      `${id}%20`,
      `${id}%0A`,
      `%20${id}`,
      `${id},${id}`,
      `${id};x`,
      "'",
      '%27%20or%201=1',
      '*',
      ':id',
      '__proto__',
      '',
    ],
  ]) {
    isRefused(t, await send('DELETE', `/api/v1/posts/${text}`), 404, 'Post not found', text.slice(0, 60))
  }
  for (const text of ['%', '%zz', '%c0%80', '%ff', '%ED%A0%80', '%2e%2e', 'x/y', `${id}/`, 'x'.repeat(17_000)]) {
    isRefused(t, await send('DELETE', `/api/v1/posts/${text}`), 404, 'Not found', text.slice(0, 60))
  }
  t.equal(await count(target, 'posts'), 1)
})

t.test('unknown routes and methods are 404', async (t) => {
  const target = await createTarget(t)
  const { send } = target
  const urls = [
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/posts',
    '/API/V1/POSTS',
    '//api/v1/posts',
    '/api/v1/posts//x',
  ]
  for (const url of [
    ...urls,
    '/%00',
    '/%zz',
    '/.env',
    '/api/v1/accounts/x/y',
    '/docs/static/nope.js',
    '/docs/x',
    '*',
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      const reply = await send(method, url, undefined, { 'content-type': 'text/plain' })
      isRefused(t, reply, 404, 'Not found', `${method} ${url}`)
    }
    t.strictSame(await send('HEAD', url), { status: 404, body: undefined, text: '' }, `HEAD ${url}`)
  }
  for (const [url, known] of [
    ['/api/v1/posts', 'GET POST'],
    ['/api/v1/posts/x', 'GET DELETE'],
    ['/api/v1/posts/x/publish', 'POST'],
    ['/api/v1/posts/x/deliveries/y/retry', 'POST'],
    ['/api/v1/sandbox/calls', 'GET'],
    ['/api/v1/accounts', 'GET POST'],
    ['/api/v1/accounts/x', 'DELETE'],
    ['/healthz', 'GET'],
    ['/readyz', 'GET'],
    ['/metrics', 'GET'],
    ['/openapi.json', 'GET'],
  ] as const) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      if (known.includes(method)) continue
      for (const payload of [undefined, '{', 'x'.repeat(2_000_000)]) {
        const reply = await send(method, url, payload, { 'content-type': 'application/json' })
        isRefused(t, reply, 404, 'Not found', `${method} ${url}`)
      }
    }
  }
  await nothingIsStored(t, target)
})

t.test('the files of Swagger UI give no error of their own form', async (t) => {
  const { send } = await createTarget(t)
  const file = '/docs/static/swagger-ui.css'
  isRefused(t, await send('GET', '/docs/static/%00'), 403, 'Forbidden', 'NUL')
  isRefused(t, await send('GET', `/docs/static/${'x'.repeat(5_000)}`), 403, 'Forbidden', 'a long name')
  isRefused(t, await send('GET', '/docs/static/..%2f..%2fpackage.json'), 404, 'Not found', 'a way out')
  isRefused(
    t,
    await send('GET', file, undefined, { range: 'bytes=99999999-' }),
    416,
    'Range Not Satisfiable',
    'a range',
  )
  isRefused(t, await send('GET', file, undefined, { 'if-match': '"x"' }), 412, 'Precondition Failed', 'a precondition')
})

t.test('whatever stands in Authorization, the answer is one of three', async (t) => {
  const { send, ada } = await createTarget(t)
  const list = (authorization: string) => send('GET', '/api/v1/accounts', undefined, { authorization })
  for (const text of ['', ' ', 'Bearer', 'Bearer ', 'Basic YTpi', ada.key, `Bearer\t${ada.key}`, `Token ${ada.key}`]) {
    isRefused(t, await list(text), 401, 'Missing API key', JSON.stringify(text))
  }
  for (const text of [
    'x',
    'x'.repeat(10_000),
    'pr_',
    'é',
    '\u0080',
    `${ada.key} x`,
    `${ada.key},`,
    `${ada.key}A`,
    "' or 1=1",
  ]) {
    isRefused(t, await list(`Bearer ${text}`), 401, 'Invalid API key', JSON.stringify(text.slice(0, 40)))
  }
  for (const text of [`bearer ${ada.key}`, `BEARER   ${ada.key}  `])
    t.equal((await list(text)).status, 200, text.slice(0, 8))
})
