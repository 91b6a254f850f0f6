import t from 'tap'
import { newId } from '../../db/id.ts'
import { collectProblems } from '../helpers/problems.ts'
import {
  assertAlive,
  assertErrorShape,
  assertIssues,
  assertNothingStored,
  checkIssues,
  countRows,
  createTarget,
  type ExpectedIssue,
} from '../helpers/rejections.ts'

t.test('a body is never coerced: every wrong type is a 400 with its path', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  const wrong = (
    name: string,
    body: object,
    ...issues: [path: ExpectedIssue['path'], message: string | RegExp, code?: string][]
  ) =>
    create({ accountIds: [account], ...body }).then((reply) =>
      assertIssues(
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
  await wrong('an unknown type', { postType: 'POST' }, [['postType'], /received 'POST'/, 'invalid_enum_value'])

  const { problems, check } = collectProblems()
  for (const body of ['null', '1', '"a"', '[]', 'true']) {
    const issue = { code: 'invalid_type', path: [], message: /^Expected object/ }
    checkIssues(check, await create(body), [issue], `body ${body}`)
  }
  t.strictSame(problems, [])
  assertIssues(t, await create('{}'), [{ code: 'invalid_type', path: ['accountIds'], message: 'Required' }], 'body {}')
  await assertNothingStored(t, target)
})

t.test('deep nesting, inexact numbers and keys that change a prototype are rejected', async (t) => {
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
    t.hasStrict(
      reply.body.details,
      [{ code: 'custom', message: 'Nested too deeply: fields may be 32 levels deep' }],
      name,
    )
    t.equal(reply.body.details.length, 1, name)
    assertErrorShape(t, reply, name)
  }
  for (const text of ['['.repeat(500_000) + ']'.repeat(500_000), '{"a":'.repeat(150_000) + 1 + '}'.repeat(150_000)]) {
    const reply = await create(text)
    t.hasStrict(reply, { status: 400, body: { details: [{ code: 'custom' }] } }, 'a megabyte of brackets')
    assertErrorShape(t, reply, 'a megabyte of brackets')
  }

  const { problems, check } = collectProblems()
  for (const number of ['9007199254740992', '-9007199254740993', '12345678901234567890', '1e400', '-1e400', '1e300']) {
    const issue = { code: 'custom', path: [...inFields, 'n'], message: /2\^53/ }
    checkIssues(check, await withFields(`{"n":${number}}`), [issue], number)
  }
  t.strictSame(problems, [])

  const unknown = (path: ExpectedIssue['path']) => [{ code: 'unrecognized_keys', path }]
  assertIssues(t, await create(`{"accountIds":["${account}"],"__proto__":{"caption":"x"}}`), unknown([]), '__proto__')
  assertIssues(t, await create(`{"__proto__":null,"accountIds":["${account}"]}`), unknown([]), '__proto__ null')
  assertIssues(t, await withFields('{"__proto__":{"a":1}}'), unknown(inFields), '__proto__ in fields')
  assertIssues(
    t,
    await withFields('{"a":[{"__proto__":1}]}'),
    unknown([...inFields, 'a', 0]),
    '__proto__ at a deeper level',
  )
  const poisoned = '{"constructor":{"prototype":{"a":1}}}'
  assertIssues(t, await withFields(poisoned), unknown(inFields), 'constructor.prototype in fields')
  assertIssues(t, await create(poisoned), unknown([]), 'constructor.prototype')
  t.equal(({} as Record<string, unknown>).a, undefined, 'no prototype was changed')
  await assertNothingStored(t, target)

  t.equal((await withFields(nested(32))).status, 201, '32 levels')
  t.equal((await withFields('{"n":9007199254740991,"m":-9007199254740991,"x":0.1,"y":1.5e15}')).status, 201, 'numbers')
  t.equal((await withFields('{"constructor":1,"toString":2,"length":3,"":4,"a\\nb":5}')).status, 201, 'odd keys')
  await assertAlive(t, ada)
})

t.test('unknown keys are rejected, so that a misspelt scheduledAt makes no draft', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  const unknown = async (body: object, path: ExpectedIssue['path'], keys: string[]) => {
    const reply = await create({ accountIds: [account], ...body })
    assertIssues(t, reply, [{ code: 'unrecognized_keys', path }], keys.join())
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
  await assertNothingStored(t, target)
})

t.test('a time is RFC 3339 with a zone, in the years 1970 to 9999', async (t) => {
  const target = await createTarget(t)
  const { create, account } = target
  const { problems, check } = collectProblems()
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
    const issue = { code: 'invalid_string', path: ['scheduledAt'], message: /^Invalid datetime/ }
    checkIssues(check, reply, [issue], text.slice(0, 50))
  }
  t.strictSame(problems, [])
  const naive = await create({ accountIds: [account], scheduledAt: '2026-01-01T00:00:00' })
  t.match(naive.body.details[0].message, /time zone/, 'the message says that the zone is missing')
  await assertNothingStored(t, target)

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
    t.hasStrict({ status, body }, { status: 201, body: { status: 'scheduled' } }, text)
    const { data } = (await target.ada.call('GET', '/posts?limit=1')).body
    t.hasStrict(data[0], { id: body.id, scheduledAt: stored }, text)
  }
  t.equal(await countRows(target, 'posts'), 10)
})
