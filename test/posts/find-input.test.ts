import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { storeManyPosts } from '../helpers/many-posts.ts'
import { collectProblems } from '../helpers/problems.ts'
import { checkIssues, toRaw } from '../helpers/rejections.ts'

const { db, user } = await createWorld(t)
const ada = repeating(await user())
await storeManyPosts(db, ada, 30, 1)

t.test('each malformed parameter is a 400 with its path', async (t) => {
  const cases: [query: string, code: string, path: (string | number)[]][] = [
    ['status=failed', 'invalid_enum_value', ['status', 0]],
    ['status=draft&status=', 'invalid_enum_value', ['status', 1]],
    ['state=queued,failed', 'invalid_enum_value', ['state', 0]],
    ['errorCode=No%00', 'invalid_string', ['errorCode']],
    ['accountId=1', 'invalid_string', ['accountId']],
    ['platform=myspace', 'invalid_enum_value', ['platform']],
    ['platform=x&platform=bluesky', 'invalid_type', ['platform']],
    ['postType=', 'invalid_enum_value', ['postType']],
    ['scheduledFrom=2026-02-30T00:00:00Z', 'invalid_string', ['scheduledFrom']],
    ['scheduledBefore=now', 'invalid_string', ['scheduledBefore']],
    ['createdFrom=2026-01-01', 'invalid_string', ['createdFrom']],
    ['createdBefore=infinity', 'invalid_string', ['createdBefore']],
    ['updatedFrom=1', 'invalid_string', ['updatedFrom']],
    ['updatedBefore=', 'invalid_string', ['updatedBefore']],
    [`externalReference=${'a'.repeat(256)}`, 'too_big', ['externalReference']],
    ['externalReference=a%00', 'custom', ['externalReference']],
    ['sort=caption', 'invalid_enum_value', ['sort']],
    ['order=down', 'invalid_enum_value', ['order']],
    ['include=history', 'invalid_enum_value', ['include', 0]],
    ['include=targets&limit=101', 'too_big', ['limit']],
    ['status=draft&offset=1', 'custom', ['offset']],
    ['sort=createdAt&offset=1', 'custom', ['offset']],
  ]
  const { problems, check } = collectProblems()
  for (const [query, code, path] of cases) {
    checkIssues(check, toRaw(await ada.call('GET', `/posts?${query}`)), [{ code, path }], query.slice(0, 60))
  }
  t.strictSame(problems, [])
})

t.test('a status of deliveries or a state of posts names the filter that has it', async (t) => {
  for (const [query, advice] of [
    ['status=failed', 'Deliveries have it: state=failed'],
    ['state=scheduled', 'Posts have it: status=scheduled'],
  ] as const) {
    const { status, body } = await ada.call('GET', `/posts?${query}`)
    t.strictSame([status, body.details[0].message.endsWith(`. ${advice}`)], [400, true], query)
  }
})

t.test('a parameter that is almost a filter, or one of other APIs, is a 400, and any other is ignored', async (t) => {
  const { problems, check } = collectProblems()
  for (const [name, meant] of [
    ['statuss', 'status'],
    ['Status', 'status'],
    ['stat', 'state'],
    ['accountID', 'accountId'],
    ['account_id', 'accountId'],
    ['plattform', 'platform'],
    ['scheduled_from', 'scheduledFrom'],
    ['createBefore', 'createdBefore'],
    ['external_reference', 'externalReference'],
    ['includes', 'include'],
    ['sorts', 'sort'],
  ] as const) {
    const { status, body } = await ada.call('GET', `/posts?${name}=x`)
    const message = `Unrecognized parameter '${name}': did you mean '${meant}'?`
    check([status, body.details?.[0].message], [400, message], name)
  }
  for (const [name, stem] of [
    ['scheduledAfter', 'scheduled'],
    ['scheduledAt', 'scheduled'],
    ['scheduled_until', 'scheduled'],
    ['CreatedAfter', 'created'],
    ['updatedSince', 'updated'],
  ] as const) {
    const { status, body } = await ada.call('GET', `/posts?${name}=2027-01-15T09:30:00Z`)
    const message = `Unrecognized parameter '${name}': did you mean '${stem}From' or '${stem}Before'?`
    check([status, body.details?.[0].message], [400, message], name)
  }
  for (const [name, mend] of [
    ['page', "did you mean 'cursor' or 'offset'?"],
    ['page_token', "did you mean 'cursor' or 'offset'?"],
    ['per_page', "did you mean 'limit'?"],
    ['pageSize', "did you mean 'limit'?"],
    ['from', "did you mean 'scheduledFrom' or 'createdFrom' or 'updatedFrom'?"],
    ['since', "did you mean 'scheduledFrom' or 'createdFrom' or 'updatedFrom'?"],
    ['start', "did you mean 'scheduledFrom' or 'createdFrom' or 'updatedFrom'?"],
    ['date', "did you mean 'scheduledFrom' or 'createdFrom' or 'updatedFrom'?"],
    ['end', "did you mean 'scheduledBefore' or 'createdBefore' or 'updatedBefore'?"],
    ['to', "did you mean 'scheduledBefore' or 'createdBefore' or 'updatedBefore'?"],
    ['until', "did you mean 'scheduledBefore' or 'createdBefore' or 'updatedBefore'?"],
    ['sort_by', "did you mean 'sort'?"],
    ['direction', "did you mean 'order'?"],
    ['status_in', "did you mean 'status' or 'state'?"],
    ['status[]', "did you mean 'status'?"],
    ['networks', "did you mean 'platform'?"],
    ['account', "did you mean 'accountId'?"],
  ] as const) {
    const { status, body } = await ada.call('GET', `/posts?${name}=1`)
    check([status, body.details?.[0].message], [400, `Unrecognized parameter '${name}': ${mend}`], name)
  }
  for (const name of ['ids', 'fields', 'limits', 'cursors', 'x', 'limit[]']) {
    check((await ada.call('GET', `/posts?${name}=x`)).status, 200, name)
  }
  t.strictSame(problems, [])
})

t.test('the refusal of a list separated by commas says how to send it', async (t) => {
  for (const query of [
    '/posts?status=draft,scheduled',
    '/posts?include=media,%20targets',
    '/deliveries?state=failed,queued',
  ]) {
    const { status, body } = await ada.call('GET', query)
    const mend = /\. Send each as a value of its own: in a query, repeat the parameter$/
    t.match([status, body.details[0].message], [400, mend], query)
  }
  const { body } = await ada.call('GET', '/deliveries?start=2027-01-15T09:30:00Z')
  t.match(body.details[0].message, / 'start'(?!\. Did you mean 'state')/)
})

t.test('a cursor continues its own query only', async (t) => {
  const next = async (query: string) => (await ada.call('GET', `/posts?limit=2&${query}`)).body.nextCursor
  const plain = await next('')
  const filtered = await next('status=published')
  t.match(plain, /^[0-9a-f-]{36}$/)
  t.match(filtered, /^[\w-]{60,400}$/)
  const refused = [
    `cursor=${filtered}`,
    `status=published&cursor=${plain}`,
    `status=draft&cursor=${filtered}`,
    `status=published&order=asc&cursor=${filtered}`,
    `status=published&sort=updatedAt&cursor=${filtered}`,
    `status=published&platform=x&cursor=${filtered}`,
    `status=published&cursor=${'A'.repeat(100)}`,
    `status=published&cursor=${filtered.slice(0, -4)}`,
    ...forgeries(filtered).map((cursor) => `status=published&cursor=${cursor}`),
  ]
  const { problems, check } = collectProblems()
  for (const query of refused) {
    const reply = toRaw(await ada.call('GET', `/posts?${query}`))
    checkIssues(check, reply, [{ code: 'custom', path: ['cursor'] }], query.slice(0, 60))
  }
  t.strictSame(problems, [])
  for (const query of [
    `status=published&limit=5&cursor=${filtered}`,
    `include=deliveries&status=published&cursor=${filtered}`,
  ]) {
    t.equal(
      (await ada.call('GET', `/posts?${query}`)).status,
      200,
      'the length of a page and what it includes may change',
    )
  }
})

/** The cursor with other values in it. */
function forgeries(cursor: string): string[] {
  const [version, hash, , id] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  return [
    [version + 1, hash, null, id],
    [version, 'x', null, id],
    [version, hash, 'infinity', id],
    [version, hash, '2026-01-01', id],
    [version, hash, 5, id],
    [version, hash, null, `${id}'`],
    [version, hash, null],
    [version, hash, null, id, id],
    { version, hash, id },
  ].map((value) => Buffer.from(JSON.stringify(value).padEnd(60)).toString('base64url'))
}

t.test('a property that other APIs have names ours', async (t) => {
  const post = { accountIds: [await ada.account('x')] }
  const override = { accountId: post.accountIds[0] }
  for (const [body, meant] of [
    [{ ...post, text: 'a' }, 'caption'],
    [{ ...post, overrides: {} }, 'accountOverrides'],
    [{ ...post, publish_at: '2030-01-15T09:30:00Z' }, 'scheduledAt'],
    [{ ...post, mediaUrls: [] }, 'mediaIds'],
    [{ accounts: [] }, 'accountIds'],
    [{ ...post, accountOverrides: [{ ...override, caption: 'a' }] }, 'captionOverride'],
  ] as const) {
    const { status, body: error } = await ada.call('POST', '/posts', body)
    const messages = error.details.map(({ message }: { message: string }) => message).join()
    t.match([status, messages], [400, new RegExp(`Did you mean '${meant}'\\?`)])
  }
})
