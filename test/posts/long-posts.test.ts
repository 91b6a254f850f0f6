import { Readable } from 'node:stream'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { readPool } from '../../db/client.ts'
import { Connection } from '../../db/connection.ts'
import { POST_ACCOUNTS_MAX } from '../../schemas/create-post.ts'
import { WARNINGS_MAX } from '../../schemas/warning.ts'
import type { AccountTarget } from '../../src/features/posts/load.ts'
import { findWarnings } from '../../src/features/posts/warnings.ts'
import { createTextCache } from '../../src/platforms/rules/text-cache.ts'
import { createWorld } from '../helpers/app.ts'
import { postFor } from '../helpers/limits.ts'
import { collectProblems } from '../helpers/problems.ts'
import { until } from '../helpers/until.ts'

/** Counts the UTF-16 units whose graphemes are found, in all and in the turn of the event loop with most. */
function countSegmented() {
  const { segment } = Intl.Segmenter.prototype
  const counted = { total: 0, mostInTurn: 0 }
  let inTurn = 0
  let isCounting = true
  const nextTurn = () => {
    inTurn = 0
    if (isCounting) setImmediate(nextTurn)
  }
  nextTurn()
  Intl.Segmenter.prototype.segment = function (text) {
    counted.total += text.length
    inTurn += text.length
    counted.mostInTurn = Math.max(counted.mostInTurn, inTurn)
    return segment.call(this, text)
  }
  return {
    counted,
    stop() {
      isCounting = false
      Intl.Segmenter.prototype.segment = segment
    },
  }
}

/** Their limits are in graphemes, each in another way. */
const NETWORKS = ['bluesky', 'mastodon', 'threads'] as const

t.test('each text of a request is measured once in each unit', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds = await Promise.all([...NETWORKS, ...NETWORKS].map((network) => ada.account(network)))
  const caption = '👨🏻‍🚀é'.repeat(2_000)
  const post = { accountIds, caption }
  const requests: [path: string, body: object, headers?: Record<string, string>][] = [
    ['/posts', post],
    ['/posts', post, { 'idempotency-key': 'one' }],
    ['/posts?strict=true', post, { 'idempotency-key': 'two' }],
    ['/posts/validate', post],
    ['/posts/batch', { posts: Array(5).fill(post) }, { 'idempotency-key': 'three' }],
    ['/posts/batch/validate', { posts: Array(5).fill(post) }],
  ]
  const { problems, check } = collectProblems()
  for (const [path, body, headers] of requests) {
    const { counted, stop } = countSegmented()
    const { status } = await ada.call('POST', path, body, headers)
    stop()
    check(status, path.endsWith('validate') ? 200 : 400, path)
    check(counted.total, NETWORKS.length * caption.length, `${path}: the units that were measured`)
  }
  t.strictSame(problems, [])
})

t.test('each text that leads to warnings is measured once, however many files and accounts repeat it', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const networks = ['bluesky', 'telegram'] as const
  const accountIds = await Promise.all(
    networks.flatMap((network) => Array.from({ length: 5 }, () => ada.account(network))),
  )
  const mediaIds = Array<string>(50).fill(await ada.media({ kind: 'image' }))
  const caption = 'A\u030A🌊'.repeat(200)
  const altText = '👨🏻‍🚀é'.repeat(2_500)
  const accountOverrides = accountIds.map((accountId) => ({ accountId, fields: { altText } }))
  const { normalize } = String.prototype
  let normalized = 0
  String.prototype.normalize = function (form?: string) {
    if (String(this) === caption) normalized++
    return normalize.call(this, form)
  }
  const { counted, stop } = countSegmented()
  const { status, body } = await ada.call('POST', '/posts/validate', {
    accountIds,
    mediaIds,
    caption,
    accountOverrides,
  })
  stop()
  String.prototype.normalize = normalize
  const codes = new Set(body.warnings.map(({ code }: { code: string }) => code))
  t.equal(status, 200)
  t.strictSame([...codes], ['unknown_field', 'altered_text', 'text_cut', 'account_attention'])
  t.equal(counted.total, caption.length + altText.length, 'the units that were measured')
  t.equal(normalized, 1, 'how often the caption was normalized')
})

t.test('a title that is cut from the caption is counted without its graphemes', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds = await Promise.all(Array.from({ length: 5 }, () => ada.account('youtube')))
  const { counted, stop } = countSegmented()
  const { body } = await ada.call('POST', '/posts', { accountIds, caption: '🌊'.repeat(1_000) })
  stop()
  t.equal(body.warnings.filter(({ code }: { code: string }) => code === 'text_cut').length, accountIds.length)
  t.equal(counted.total, 0)
})

t.test('the search for warnings ends when there are enough', (t) => {
  const accounts = Array.from({ length: 2_000 }, (_, index) => ({ id: `${index}`, username: 'ada' }))
  const { problems, check } = collectProblems()
  // The third value: how many kinds of warnings are looked for before, in the texts of all accounts.
  for (const [platform, captionOverride, before] of [
    ['telegram', 'A\u030A', 0],
    ['youtube', 'a'.repeat(101), 1],
    ['threads', '’'.repeat(200), 2],
  ] as const) {
    const owners = accounts.map((account) => ({ ...account, platform }))
    const { targets, ...post } = postFor(
      owners,
      {},
      owners.map(() => ({ captionOverride })),
    )
    let readCount = 0
    const counted = targets.map((target) => ({
      ...target,
      get caption() {
        readCount++
        return captionOverride
      },
    }))
    const loaded = { ...post, targets: counted as unknown as AccountTarget[], media: [] }
    const warnings = findWarnings({ ...loaded, inaccessible: { accountIds: [], mediaIds: [] } }, createTextCache())
    check(warnings.length, WARNINGS_MAX + 1, `${platform}: warnings`)
    check(warnings.at(-1)!.path, ['accountOverrides', WARNINGS_MAX, 'captionOverride'], `${platform}: the last path`)
    const forWarnings = readCount - before * accounts.length
    check(forWarnings < accounts.length / 4, true, `${platform}: ${forWarnings} captions were read for its warnings`)
  }
  t.strictSame(problems, [])
  t.end()
})

t.test('a long post is checked in pieces, between which other requests are served', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds = await Promise.all(Array.from({ length: 20 }, () => ada.account('threads')))
  const accountOverrides = accountIds.map((accountId, index) => ({
    accountId,
    captionOverride: `${index} ${'👨🏻‍🚀é'.repeat(2_500)}`,
  }))
  const { problems, check } = collectProblems()
  for (const path of ['/posts/validate', '/posts']) {
    const { counted, stop } = countSegmented()
    await ada.call('POST', path, { accountIds, accountOverrides })
    stop()
    const share = counted.mostInTurn / counted.total
    check(share < 0.5, true, `${path}: ${counted.mostInTurn} of ${counted.total} units were measured in one turn`)
  }
  t.strictSame(problems, [])
})

t.test('a post has at most 2,000 accounts', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  await sql`
    insert into accounts (id, platform, username, user_id)
    select gen_random_uuid(), 'sandbox', number::text, ${ada.id} from generate_series(1, 2001) as number`.execute(db)
  const accounts = await db.selectFrom('accounts').select('id').execute()
  const accountIds = accounts.map(({ id }) => id)
  for (const path of ['/posts', '/posts/validate']) {
    const send = () => ada.call('POST', path, { accountIds, caption: 'a' })
    const { status, body } = await until('the request is carried out', send, { isMet: ({ status }) => status !== 503 })
    t.strictSame([status, body.details?.map(({ path }: { path: string[] }) => path)], [400, [['accountIds']]], path)
    t.equal(body.details?.[0].message, `The post has 2001 accounts: at most ${POST_ACCOUNTS_MAX} are allowed`, path)
  }
})

/** Counts the statements that read what a post is checked against. */
function countChecks(t: Test) {
  const { run } = Connection.prototype
  let count = 0
  Connection.prototype.run = function (statement, values) {
    if (statement.name === 'read_post_subjects') count++
    return run.call(this, statement, values) as never
  }
  t.teardown(() => {
    Connection.prototype.run = run
  })
  return () => count
}

t.test('a post is checked once, however long it is and whether its length is announced', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account('sandbox')]
  const post = (body: object, { key, padding = '' }: { key?: string; padding?: string } = {}) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/posts',
      headers: {
        authorization: `Bearer ${ada.key}`,
        'content-type': 'application/json',
        ...(key && { 'idempotency-key': key }),
      },
      // A stream has no Content-Length.
      payload: Readable.from([JSON.stringify({ accountIds, ...body }) + padding]),
    })
  t.equal((await post({})).statusCode, 201)
  const checks = countChecks(t)
  t.equal((await post({}, { padding: ' '.repeat(20_000) })).statusCode, 201)
  t.equal(checks(), 1, 'a long one')
  t.equal((await post({ caption: 'a' })).statusCode, 201)
  t.equal((await post({ caption: 'a' }, { key: 'one' })).statusCode, 201)
  t.equal(checks(), 1, 'a short one for a known account needs no statement for it')
})

t.test('a long post that is changed is measured while its request holds no connection', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const accountIds = await Promise.all(Array.from({ length: 20 }, () => ada.account('mastodon')))
  const accountOverrides = accountIds.map((accountId, index) => ({
    accountId,
    captionOverride: `${index} ${'👨🏻‍🚀é'.repeat(40)}`,
  }))
  const { body: post } = await ada.call('POST', '/posts', { accountIds, accountOverrides })
  const { segment } = Intl.Segmenter.prototype
  const inUse: number[] = []
  Intl.Segmenter.prototype.segment = function (text) {
    inUse.push(readPool(db).inUse)
    return segment.call(this, text)
  }
  t.teardown(() => {
    Intl.Segmenter.prototype.segment = segment
  })
  const { status } = await ada.call('PATCH', `/posts/${post.id}`, { firstComment: '👨🏻‍🚀'.repeat(40) })
  t.equal(status, 200)
  t.ok(inUse.length > 0, 'texts are measured')
  t.strictSame([...new Set(inUse)], [0])
})
