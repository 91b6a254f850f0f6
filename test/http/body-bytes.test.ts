import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { describeMistake } from '../../src/base/http/json-mistake.ts'
import { collectProblems } from '../helpers/problems.ts'
import {
  assertAlive,
  assertIssues,
  assertNothingStored,
  assertRejected,
  checkIssues,
  checkRejected,
  countRows,
  createTarget,
  type ExpectedIssue,
} from '../helpers/rejections.ts'

t.test('NUL and lone surrogates, which Postgres cannot store, are rejected with their path', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  const { problems, check } = collectProblems()
  for (const [bad, name] of [
    ['\0', 'NUL'],
    ['a\0b', 'NUL inside'],
    ['\ud83d', 'a high surrogate'],
    ['\ude00', 'a low surrogate'],
    ['\ude00\ud83d', 'surrogates in the wrong order'],
  ] as const) {
    const shown = bad.toWellFormed()
    const fields = (value: unknown) => ({ accountOverrides: [{ accountId: account, fields: value }] })
    const places: [body: object, path: ExpectedIssue['path']][] = [
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
      const reply = await create({ accountIds: [account], ...body })
      checkIssues(check, reply, [{ code: 'custom', path }], `${name} in ${path}`)
    }
  }
  t.strictSame(problems, [])
  const accepted = await create({ accountIds: [account], caption: '😀 \u0001 \uffff \u{10ffff}' })
  t.equal(accepted.status, 201, 'surrogate pairs, control characters and noncharacters are accepted')
})

t.test('a body that is not UTF-8, or not JSON, is rejected', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  const good = JSON.stringify({ accountIds: [account], caption: 'é' })
  const unreadable: [name: string, body: string | Buffer, message: string][] = [
    ['latin 1', Buffer.from(good, 'latin1'), 'Request body is not valid UTF-8'],
    ['an overlong NUL', Buffer.from('7b22c080223a317d', 'hex'), 'Request body is not valid UTF-8'],
    ['an encoded surrogate', Buffer.from('22eda08022', 'hex'), 'Request body is not valid UTF-8'],
    ['UTF-16', Buffer.from(`\ufeff${good}`, 'utf16le'), 'Request body is not valid UTF-8'],
    [
      'UTF-16 without a mark',
      Buffer.from(JSON.stringify({}), 'utf16le'),
      'Request body is not valid JSON: line 1, column 2: U+0000, expected a key in double quotes or }',
    ],
    ['gzip', gzipSync(good), 'Request body is not valid UTF-8'],
    ['empty', '', 'Request body is empty'],
    ...(
      [
        [`\ufeff${good}`, '1, column 1: a byte order mark: send UTF-8 without it'],
        ['{', '1, column 2: the body ends, expected a key in double quotes or }'],
        ['hello', '1, column 1: h, expected a value'],
        [' ', '1, column 2: the body ends, expected a value'],
        ['{"accountIds":["a"],}', '1, column 21: } after a comma: remove the comma'],
        ['{\n  "accountIds": [\n    "a",\n  ]\n}', '4, column 3: ] after a comma: remove the comma'],
        ["{'a':1}", `1, column 2: ' in place of ": keys and texts need double quotes`],
        ['{a:1}', '1, column 2: a, expected a key in double quotes or }'],
        ['{"a" 1}', '1, column 6: 1, expected :'],
        ['{"a":1 "b":2}', '1, column 8: ", expected , or the end of the object or list'],
        ['{"a":“b”}', '1, column 6: U+201C, expected a value'],
        ['{"accountIds":["a"]', '1, column 20: the body ends, expected , or the end of the object or list'],
        ['{"a":"b', '1, column 8: the body ends within a text: it was cut off, or a " is missing'],
        [`${good}x`, `1, column ${good.length + 1}: x, expected the end of the body`],
        [good + good, `1, column ${good.length + 1}: {, expected the end of the body`],
        [`/* */${good}`, '1, column 1: /, expected a value'],
        ['{"a":NaN}', '1, column 6: N, expected a value'],
        ['{"a":01}', '1, column 7: 1, expected , or the end of the object or list'],
        ['{"a":"\n"}', '1, column 7: U+000A in a text: escape it, a line break as \\n'],
        ['{"a":"\\x41"}', '1, column 7: unknown escape: write \\ as \\\\'],
        ['{"a":"\\u12"}', '1, column 7: unknown escape: write \\ as \\\\'],
        ['undefined', '1, column 1: u, expected a value'],
        ['accountIds=a', '1, column 1: a, expected a value'],
      ] as const
    ).map(([text, mistake]): [string, string, string] => [
      JSON.stringify(text),
      text,
      `Request body is not valid JSON: line ${mistake}`,
    ]),
  ]
  const { problems, check } = collectProblems()
  for (const [name, body, message] of unreadable) {
    checkIssues(check, await create(body), [{ code: 'invalid_json', path: [], message }], name)
  }
  t.strictSame(problems, [])
  await assertNothingStored(t, target)
})

t.test('every text that JSON.parse refuses has a mistake at a place within it', (t) => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom('', ...'{}[],:"\\1e-.tn \n\u00e9'), (json, at, character) => {
      const index = at % (json.length + 1)
      const text = json.slice(0, index) + character + json.slice(index + 1)
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      if (isJson) return
      const [, line, column] = /^line (\d+), column (\d+): ./.exec(describeMistake(text)) ?? []
      const length = text.split('\n')[Number(line) - 1]?.length ?? -1
      if (Number(column) < 1 || Number(column) > length + 1)
        throw new Error(`${JSON.stringify(text)}: ${line}, ${column}`)
    }),
  )
  t.end()
})

t.test('another content type and a missing body have different errors', async (t) => {
  const target = await createTarget(t)
  const { create, send, account } = target
  const good = { accountIds: [account] }
  const { problems, check } = collectProblems()
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
    checkIssues(check, await create(good, type), [issue], `Content-Type ${JSON.stringify(type.slice(0, 40))}`)
  }
  t.strictSame(problems, [])
  const issue = { code: 'invalid_content_type', path: [] }
  assertIssues(t, await send('POST', '/api/v1/posts', JSON.stringify(good)), [issue], 'no Content-Type')
  assertIssues(
    t,
    await send('POST', '/api/v1/posts'),
    [{ code: 'invalid_json', path: [], message: 'Request body is empty' }],
    'neither type nor body',
  )
  await assertNothingStored(t, target)

  for (const type of ['APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json;charset=UTF-8;']) {
    t.equal((await create(good, type)).status, 201, type)
  }
})

t.test('a body may have at most 1 MiB', async (t) => {
  const target = await createTarget(t)
  const { create, send, account, ada } = target
  const good = JSON.stringify({ accountIds: [account] })
  const padded = (size: number) => good + ' '.repeat(size - good.length)
  for (const size of [1024 * 1024 + 1, 5_000_000]) {
    assertRejected(t, await create(padded(size)), 413, 'Request body is larger than 1 MiB', `${size} bytes`)
  }
  const type = await create('x'.repeat(5_000_000), 'text/plain')
  assertIssues(t, type, [{ code: 'invalid_content_type', path: [] }], 'a large body of another type')
  await assertNothingStored(t, target)
  const { status } = await send('POST', '/api/v1/posts', 'x'.repeat(5_000_000), { authorization: 'Bearer x' })
  t.equal(status, 401, 'the key is checked first')
  t.equal((await create(padded(1024 * 1024))).status, 201, 'exactly 1 MiB')
  await assertAlive(t, ada)
})

t.test('DELETE ignores a body of any type', async (t) => {
  const target = await createTarget(t)
  const { send, create, account } = target
  const { problems, check } = collectProblems()
  for (const [name, payload, headers] of [
    ['JSON without a body', undefined, { 'content-type': 'application/json' }],
    ['JSON and an empty body', '', { 'content-type': 'application/json' }],
    ['invalid JSON', '{', { 'content-type': 'application/json' }],
    ['another type', 'hello', { 'content-type': 'text/plain' }],
    ['no type', 'hello', {}],
    ['an invalid type', 'hello', { 'content-type': ';;' }],
    ['bytes', Buffer.from([0, 255]), { 'content-type': 'application/json' }],
    ['three megabytes', ' '.repeat(3_000_000), { 'content-type': 'application/json' }],
    ['__proto__', '{"__proto__":1}', { 'content-type': 'application/json' }],
  ] as const) {
    const { id } = (await create({ accountIds: [account] })).body
    const deleted = await send('DELETE', `/api/v1/posts/${id}`, payload, headers)
    check([deleted.status, deleted.body], [200, { success: true }], name)
    const again = await send('DELETE', `/api/v1/posts/${id}`, payload, headers)
    checkRejected(check, again, 404, 'Post not found', `${name}, again`)
  }
  t.strictSame(problems, [])
  t.equal(await countRows(target, 'posts'), 0)
})
