import t from 'tap'
import { newId } from '../../db/id.ts'
import { MEDIA_IDS_MAX } from '../../schemas/media.ts'
import { collectProblems } from '../helpers/problems.ts'
import { assertAlive, assertNothingStored, checkErrorShape, createTarget } from '../helpers/rejections.ts'

t.test('an error response stays small, however many mistakes the request has', async (t) => {
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
    ['a long key whose excerpt would end within an emoji', { ...good, [`${'k'.repeat(99)}😀${'k'.repeat(99)}`]: 1 }],
    [
      'long unknown keys',
      { ...good, ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i + 'k'.repeat(50_000), 1])) },
    ],
    [
      'many mistakes below a long key',
      { ...good, accountOverrides: [{ accountId: account, fields: { [long.slice(9_000)]: Array(200).fill(1e300) } }] },
    ],
    [
      'many mistakes in thread parts of a long key',
      { ...good, threadParts: { [long.slice(9_000)]: Array(200).fill(1) } },
    ],
    ['26,000 unknown media', { ...good, mediaIds: Array.from({ length: 26_000 }, newId) }],
    ['26,000 media of one part', withThreadMedia(account, [Array.from({ length: 26_000 }, newId)])],
    ['a long type', { ...good, postType: long }],
    ['a long time', { ...good, scheduledAt: long }],
    ['15,000 overrides of one account', { ...good, accountOverrides: Array(15_000).fill({ accountId: account }) }],
    ['15,000 overrides of others', { ...good, accountOverrides: Array(15_000).fill({ accountId: newId() }) }],
  ]
  const { problems, check } = collectProblems()
  for (const [name, body] of bodies) {
    const reply = await create(body)
    check([reply.status, reply.body.error], [400, 'Invalid request'], name)
    const count = reply.body.details?.length
    check(count > 0 && count <= 20, true, `${name}: ${count} details, at most 20`)
    check(reply.text.isWellFormed(), true, `${name} is well-formed`)
    checkErrorShape(check, reply, name)
  }
  const ids: [name: string, body: object][] = [
    ['26,000 unknown accounts', { accountIds: Array.from({ length: 26_000 }, newId) }],
    ['200 unknown media', { ...good, mediaIds: Array.from({ length: MEDIA_IDS_MAX }, newId) }],
    ['100,000 invalid ids', { accountIds: Array.from({ length: 100_000 }, (_, i) => `${i}`) }],
    ['one id 250,000 times', { accountIds: Array(250_000).fill('a') }],
    ['a long id', { accountIds: [long] }],
    [
      'ids with a special meaning elsewhere',
      { accountIds: ['constructor', '__proto__', '', "'; drop table posts; --", 'a\nb', '\u2028'] },
    ],
    ['other spellings of an id', { accountIds: [account.toUpperCase(), `{${account}}`, ` ${account}`] }],
  ]
  for (const [name, body] of ids) {
    const reply = await create(body)
    // Too many files also break a limit of the network, which is checked first.
    if (reply.status !== 400 || !name.includes('media')) check(reply.status, 403, name)
    check('details' in reply.body, false, `${name}: details`)
    checkErrorShape(check, reply, name)
  }
  t.strictSame(problems, [])
  await assertNothingStored(t, target)
  await assertAlive(t, ada)
})

const withThreadMedia = (accountId: string, threadMedia: string[][]) => ({
  accountIds: [accountId],
  postType: 'thread',
  accountOverrides: [{ accountId, threadMedia }],
})

t.test('a caption of 1 MB in any script gets a response', async (t) => {
  const { create, account, ada } = await createTarget(t)
  const { problems, check } = collectProblems()
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
    if (reply.status === 400) checkErrorShape(check, reply, text)
    else check(reply.status, 201, JSON.stringify(text))
  }
  t.strictSame(problems, [])
  await assertAlive(t, ada)
})

t.test('a body has at most 20,000 keys', async (t) => {
  const { create, account, ada } = await createTarget(t)
  const withKeys = (count: number) => ({
    accountIds: [account],
    accountOverrides: [
      { accountId: account, fields: Object.fromEntries(Array.from({ length: count }, (_, i) => [i, 1])) },
    ],
  })
  const refused = await create(withKeys(20_000))
  const message = 'Request body has more than 20000 keys'
  t.hasStrict(refused, { status: 400, body: { details: [{ code: 'custom', path: [], message }] } })
  t.equal((await create(withKeys(19_000))).status, 201)
  const colons = await create({ ...withKeys(1), firstComment: `:"\\":{`.repeat(30_000) })
  t.match(colons.body.error, 'first comment', 'colons in texts are no keys')
  await assertAlive(t, ada)
})
