import t from 'tap'
import { BLUESKY_SERVER, MASTODON_SERVER } from '../../schemas/text-forms.ts'
import { LOCAL_TIME } from '../../schemas/time.ts'
import { HEADER_NAME, RESERVED_HEADER } from '../../schemas/webhook-headers.ts'
import { PATTERN_MESSAGES } from '../../src/base/http/pattern-messages.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { json, operationsOf, readDocument } from '../helpers/document.ts'
import { collectProblems } from '../helpers/problems.ts'
import { assertIssues, checkIssues, createTarget } from '../helpers/rejections.ts'

t.test('limit and offset accept only digits, and a cursor only an id', async (t) => {
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
  const { problems, check } = collectProblems()
  for (const [query, code, path] of refused) {
    checkIssues(check, await send('GET', `/api/v1/posts?${query}`), [{ code, path: [path] }], query.slice(0, 40))
  }
  t.strictSame(problems, [])
  assertIssues(
    t,
    await send('GET', '/api/v1/posts?limit=a&offset=b'),
    [
      { code: 'invalid_type', path: ['limit'] },
      { code: 'invalid_type', path: ['offset'] },
    ],
    'both',
  )
})

t.test('a text of the wrong form gets a message that says what is right, without a regular expression', async (t) => {
  const { send } = await createTarget(t)
  const cursor = 'Must be the nextCursor of an earlier response'
  for (const [path, name, message] of [
    ['posts', 'cursor', cursor],
    ['deliveries', 'cursor', cursor],
    ['events', 'after', `${cursor}, or 'now'`],
    ['media', 'cursor', cursor],
    ['deliveries', 'accountId', 'Must be an id, such as 01982d8f-4a6b-7c31-9e5d-2f8a1b3c4d5e'],
    ['deliveries', 'errorCode', "Must be the code of an error, such as 'unauthorized'"],
  ]) {
    const { body } = await send('GET', `/api/v1/${path}?${name}=-`)
    t.equal(body.details[0].message, message, `${path} ${name}`)
  }
  const patterns = new Set<string>()
  JSON.stringify(readDocument(), (key, value) => {
    if (key === 'pattern') patterns.add(value)
    return value
  })
  t.ok(patterns.size > 0)
  t.strictSame(
    new Set([...patterns].filter((pattern) => !PATTERN_MESSAGES[pattern])),
    new Set([LOCAL_TIME, BLUESKY_SERVER, MASTODON_SERVER, HEADER_NAME, RESERVED_HEADER]),
    'every pattern has a message, except for those whose texts have messages of their own',
  )
})

t.test('large offsets are accepted, and unknown parameters are ignored', async (t) => {
  const { send } = await createTarget(t)
  const { problems, check } = collectProblems()
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
    check([status, body], [200, { data: [], limit, offset, nextCursor: null }], query.slice(0, 40))
  }
  t.strictSame(problems, [])
})

const EMPTY_FORM = { type: 'multipart/form-data; boundary=x', body: '--x--\r\n' }

t.test('operations reject unknown query parameters, but for those that the document names', async (t) => {
  const { db, send, ada } = await createTarget(t)
  const admin = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: ['admin'] })
  const lenient: string[] = []
  for (const operation of operationsOf(readDocument())) {
    const { operationId, method, path, requestBody } = operation
    const [example] = Object.values(json(requestBody ?? { content: {} })?.examples ?? {})
    const { key } = operation['x-required-scope'] === 'admin' ? admin : ada
    const { body } = await send(method, `${path.replace(/\{\w+\}/g, 'x')}?zzzz=1`, example?.value ?? EMPTY_FORM.body, {
      authorization: `Bearer ${key}`,
      'content-type': example ? 'application/json' : EMPTY_FORM.type,
    })
    const issues: { code: string; keys?: string[] }[] = body.details ?? []
    if (!issues.some(({ keys }) => keys?.includes('zzzz'))) lenient.push(operationId)
  }
  t.strictSame(lenient.sort(), ['createPost', 'deletePost', 'listAccounts', 'listPosts'])
  const { info } = readDocument() as { info: { description: string } }
  const rule = info.description.split('\n').find((line) => line.includes('rejects unknown query parameters')) ?? ''
  t.strictSame(
    lenient.filter((operationId) => !rule.includes(`\`${operationId}\``)),
    [],
    'the document names all of them',
  )
})

t.test('pages for browsers, callbacks of networks, probes and documents accept any query', async (t) => {
  const { app } = await createTarget(t)
  for (const path of [
    '/connect/x',
    '/connect/callback',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs/',
  ]) {
    const plain = await app.inject({ method: 'GET', url: path })
    const extended = await app.inject({ method: 'GET', url: `${path}?zzzz=1` })
    t.equal(extended.statusCode, plain.statusCode, path)
  }
})
