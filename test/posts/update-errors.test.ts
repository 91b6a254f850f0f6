import t from 'tap'
import { createWorld, type Person } from '../helpers/app.ts'

const UNKNOWN_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

async function write(person: Person, body: object = {}) {
  const account = await person.account('x', { username: 'ada' })
  const created = await person.call('POST', '/posts', { accountIds: [account], caption: 'a', ...body })
  return { account, path: `/posts/${created.body.id}` }
}

t.test('a patch with an invalid shape is rejected with details, and changes nothing', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { account, path } = await write(ada)
  const before = (await ada.call('GET', path)).body
  const parts = (accountId: string) => ({ threadParts: { [accountId]: ['a'] } })
  const cases: [body: unknown, code: string, path: unknown[]][] = [
    [{ caption: null }, 'invalid_type', ['caption']],
    [{ postType: null }, 'invalid_type', ['postType']],
    [{ postType: 'poem' }, 'invalid_enum_value', ['postType']],
    [{ mediaIds: null }, 'invalid_type', ['mediaIds']],
    [{ mediaIds: [null] }, 'invalid_type', ['mediaIds', 0]],
    [{ accountIds: null }, 'invalid_type', ['accountIds']],
    [{ accountIds: [] }, 'too_small', ['accountIds']],
    [{ accountOverrides: null }, 'invalid_type', ['accountOverrides']],
    [{ firstComment: 5 }, 'invalid_type', ['firstComment']],
    [{ scheduledAt: 5 }, 'invalid_type', ['scheduledAt']],
    [{ scheduledAt: '2030-01-01T00:00:00' }, 'invalid_string', ['scheduledAt']],
    [{ scheduledAt: '2030-02-30T00:00:00Z' }, 'invalid_string', ['scheduledAt']],
    [{ overrides: [] }, 'invalid_type', ['overrides']],
    [{ overrides: { [account]: { caption: 'a' } } }, 'unrecognized_keys', ['overrides', account]],
    [{ overrides: { [account]: { fields: 5 } } }, 'invalid_type', ['overrides', account, 'fields']],
    [{ overrides: { [UNKNOWN_ID]: null } }, 'custom', ['overrides', UNKNOWN_ID]],
    [{ overrides: {}, accountOverrides: [] }, 'custom', ['overrides']],
    [{ accountOverrides: [{ accountId: UNKNOWN_ID }] }, 'custom', ['accountOverrides', 0, 'accountId']],
    [
      { accountOverrides: [{ accountId: account }, { accountId: account }] },
      'custom',
      ['accountOverrides', 1, 'accountId'],
    ],
    [parts(UNKNOWN_ID), 'custom', ['threadParts', UNKNOWN_ID]],
    [{ accountIds: [UNKNOWN_ID], ...parts(account) }, 'custom', ['threadParts', account]],
    [{ status: 'draft' }, 'unrecognized_keys', []],
    [{ scheduleAt: null }, 'unrecognized_keys', []],
    [[], 'invalid_type', []],
    ['[1', 'invalid_json', []],
    ['', 'invalid_json', []],
  ]
  for (const [body, code, issuePath] of cases) {
    const reply = await ada.call('PATCH', path, body)
    const [issue] = reply.body.details ?? [{}]
    t.strictSame([reply.status, issue.code, issue.path], [400, code, issuePath], JSON.stringify(body))
  }
  t.strictSame((await ada.call('GET', path)).body, before)
})

t.test('a patch is JSON, with the type of JSON or of a merge patch', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { path } = await write(ada)
  const send = (type: string, body: object = { caption: type }) =>
    ada.call('PATCH', path, body, { 'content-type': type })
  for (const type of [
    'application/json',
    'application/merge-patch+json',
    'application/merge-patch+json;charset=utf-8',
  ]) {
    t.hasStrict(await send(type), { status: 200, body: { caption: type } }, type)
  }
  for (const type of ['text/plain', 'application/json-patch+json', 'application/x-www-form-urlencoded']) {
    t.hasStrict(await send(type), { status: 400, body: { details: [{ code: 'invalid_content_type' }] } }, type)
  }
  const create = await ada.call(
    'POST',
    '/posts',
    { accountIds: [] },
    { 'content-type': 'application/merge-patch+json' },
  )
  t.hasStrict(create, { status: 400, body: { details: [{ code: 'invalid_content_type' }] } }, 'only for patches')
})

t.test('a changed post is checked as a new one is', async (t) => {
  const { user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const { account, path } = await write(ada, { scheduledAt: '2030-01-01T00:00:00Z' })
  const instagram = await ada.account('instagram', { username: 'ada' })
  const before = (await ada.call('GET', path)).body
  const [foreign, media] = [await bob.account(), await bob.media()]
  const noAccess = (what: string) => `You have no access to these ${what}`
  const cases: [patch: object, status: number, error: string][] = [
    [{ caption: 'a'.repeat(281) }, 400, 'x (@ada): caption is 281 characters long, at most 280 are allowed'],
    [
      { overrides: { [account]: { captionOverride: 'a'.repeat(281) } } },
      400,
      'x (@ada): caption is 281 characters long, at most 280 are allowed',
    ],
    [{ accountIds: [account, instagram] }, 400, 'instagram (@ada): post has no media file, at least 1 is required'],
    [{ accountIds: [account, foreign] }, 403, noAccess(`accountIds: ${foreign}`)],
    [{ accountIds: ['none'] }, 403, noAccess('accountIds: none')],
    [{ mediaIds: [media, UNKNOWN_ID] }, 403, noAccess(`mediaIds: ${media}, ${UNKNOWN_ID}`)],
  ]
  for (const [patch, status, error] of cases) {
    const reply = await ada.call('PATCH', path, patch)
    t.strictSame([reply.status, reply.body], [status, { error }], JSON.stringify(patch))
  }
  t.strictSame((await ada.call('GET', path)).body, before)
  t.equal((await ada.call('PATCH', path, { accountIds: [instagram], scheduledAt: null })).status, 200, 'as a draft')
  t.equal((await ada.call('PATCH', path, { scheduledAt: '2030-01-01T00:00:00Z' })).status, 400, 'which is incomplete')
})

t.test('a post for an account that the user can no longer post to is changed only without it', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { account, path } = await write(ada)
  const other = await ada.account()
  t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  t.equal((await ada.call('PATCH', path, { caption: 'b' })).status, 403)
  t.equal((await ada.call('PATCH', path, { caption: 'b', accountIds: [other] })).status, 200)
})

t.test('another user’s post is not found, and nothing of it is shown', async (t) => {
  const { user } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const { path } = await write(ada)
  for (const unknown of [path, `/posts/${UNKNOWN_ID}`, '/posts/none', '/posts/%00']) {
    for (const patch of [{}, { caption: 'a'.repeat(10_000) }, { accountIds: [UNKNOWN_ID] }]) {
      const reply = await bob.call('PATCH', unknown, patch)
      t.strictSame([reply.status, reply.body], [404, { error: 'Post not found' }])
    }
  }
})

t.test('patches cannot add up to a post that is larger than a body may be', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { account, path } = await write(ada)
  const fill = (key: string) =>
    ada.call('PATCH', path, { overrides: { [account]: { fields: { [key]: 'a'.repeat(600_000) } } } })
  t.equal((await fill('one')).status, 200)
  t.hasStrict(await fill('two'), { status: 413, body: { error: 'Post would be larger than 1 MiB' } })
  t.equal((await fill('one')).status, 200)
})
