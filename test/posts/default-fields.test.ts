import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account('pinterest', { username: 'ada', credentials: {} })
  const setDefaults = async (defaultFields: object | null, id = account) => {
    const { status } = await ada.call('PATCH', `/accounts/${id}`, { defaultFields })
    t.equal(status, 200)
  }
  const create = (body: object = {}) => ada.call('POST', '/posts', { accountIds: [account], ...body })
  const fieldsOf = async (id: string) =>
    (await ada.call('GET', `/posts/${id}`)).body.targets.map(({ fields }: { fields: unknown }) => fields)
  const created = async (body?: object) => fieldsOf((await create(body)).body.id)
  const override = (fields: object) => ({ accountOverrides: [{ accountId: account, fields }] })
  return { ...world, ada, account, setDefaults, create, created, fieldsOf, override }
}

t.test('a new post has the default fields that it does not replace or leave out', async (t) => {
  const { setDefaults, created, override } = await createScene(t)
  t.strictSame(await created(), [null])
  await setDefaults({ boardId: '1', boardSectionId: '2' })
  t.strictSame(await created(), [{ boardId: '1', boardSectionId: '2' }])
  t.strictSame(await created(override({ boardId: '3', title: 'A' })), [
    { boardId: '3', boardSectionId: '2', title: 'A' },
  ])
  t.strictSame(await created(override({ boardSectionId: null })), [{ boardId: '1' }])
})

t.test('each way to create a post adds them, and validation counts them', async (t) => {
  const { ada, account, setDefaults, fieldsOf, override } = await createScene(t)
  const scheduled = { accountIds: [account], caption: 'Hi', scheduledAt: '2030-01-01T00:00:00Z' }
  const rulesOf = async (body: object) => {
    const { body: validation } = await ada.call('POST', '/posts/validate', { ...scheduled, ...body })
    return validation.violations.map(({ rule, path }: { rule: string; path: unknown[] }) => [rule, path.at(-1)])
  }
  const missing = ['field_required', 'boardId']
  t.ok((await rulesOf({})).some((each: unknown[]) => String(each) === String(missing)))
  await setDefaults({ boardId: '1' })
  t.notOk((await rulesOf({})).some((each: unknown[]) => String(each) === String(missing)))
  t.ok((await rulesOf(override({ boardId: null }))).some((each: unknown[]) => String(each) === String(missing)))

  const draft = { accountIds: [account] }
  for (const mode of ['all', 'each']) {
    const { body } = await ada.call('POST', '/posts/batch', {
      mode,
      posts: [draft, { ...draft, ...override({ title: 'A' }) }],
    })
    const fields = await Promise.all(body.data.map(({ id }: { id: string }) => fieldsOf(id)))
    t.strictSame(fields, [[{ boardId: '1' }], [{ boardId: '1', title: 'A' }]])
  }
})

t.test(
  'a later change of the defaults changes no post, and a change of a post adds them to new accounts',
  async (t) => {
    const { ada, account, setDefaults, create, fieldsOf } = await createScene(t)
    const other = await ada.account('pinterest', { credentials: {} })
    await setDefaults({ boardId: '1' })
    await setDefaults({ boardId: '2' }, other)
    const { body: post } = await create()
    await setDefaults({ boardId: '9' })
    const update = async (body: object) => {
      t.equal((await ada.call('PATCH', `/posts/${post.id}`, body)).status, 200)
      return fieldsOf(post.id)
    }
    t.strictSame(await update({ caption: 'B' }), [{ boardId: '1' }])
    t.strictSame(await update({ accountOverrides: [] }), [null], 'an account that stays gets no defaults again')
    t.strictSame(await update({ accountIds: [account, other] }), [null, { boardId: '2' }])
  },
)

t.test('no create stores defaults that were replaced, whatever the process knows of the account', async (t) => {
  const { setDefaults, created, db } = await createScene(t)
  // The process has the account in its cache from here on.
  t.strictSame(await created(), [null])
  for (const boardId of ['1', '2', null, '3']) {
    await db
      .updateTable('accounts')
      .set({ defaultFields: boardId === null ? null : JSON.stringify({ boardId }) })
      .execute()
    t.strictSame(await created(), [boardId === null ? null : { boardId }])
  }
  await setDefaults(null)
  t.strictSame(await created(), [null])
})

t.test('a default that does not fit a post is named as one, in errors and in warnings', async (t) => {
  const { ada, media } = await createMediaScene(t)
  const account = await ada.account('linkedin', { username: 'ada', externalId: 'urn:li:person:1', credentials: {} })
  const defaultFields = { link: 'https://a.example', linkTitle: 'A' }
  t.equal((await ada.call('PATCH', `/accounts/${account}`, { defaultFields })).status, 200)
  const create = (body: object) => ada.call('POST', '/posts', { accountIds: [account], ...body })
  const refused = await create({ mediaIds: [media] })
  t.strictSame(
    [refused.status, refused.body.error],
    [400, 'linkedin (@ada): field link, a default of the account, cannot be combined with media'],
  )
  const own = (fields: object) => ({ accountOverrides: [{ accountId: account, fields }] })
  const { status, body } = await create({ mediaIds: [media], ...own({ link: null }) })
  t.equal(status, 201)
  t.match(body.warnings, [
    {
      code: 'unused_field',
      message: /^linkedin \(@ada\): field linkTitle, a default of the account, has no effect when/,
    },
  ])
  const both = await create({ mediaIds: [media], ...own({ link: 'https://b.example' }) })
  t.equal(both.body.error, 'linkedin (@ada): field link cannot be combined with media')
})

async function createMediaScene(t: Test) {
  const ada = await (await createWorld(t)).user()
  return { ada, media: await ada.media() }
}

t.test('the defaults of many accounts together add at most 1 MiB to a request', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const accountIds: string[] = []
  for (let index = 0; index < 300; index++) accountIds.push(await ada.account('sandbox'))
  await db
    .updateTable('accounts')
    .set({ defaultFields: JSON.stringify({ boardId: 'a'.repeat(4000) }) })
    .execute()
  const { status, body } = await ada.call('POST', '/posts', { accountIds, caption: 'Hi' })
  t.strictSame(
    [status, body.error],
    [413, 'The default fields of the accounts would add more than 1 MiB: send fewer accounts in one request'],
  )
  t.equal((await ada.call('POST', '/posts', { accountIds: accountIds.slice(0, 250), caption: 'Hi' })).status, 201)
})
