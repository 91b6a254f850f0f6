import t from 'tap'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { collectProblems } from '../helpers/problems.ts'

const FUTURE = '2030-01-01T00:00:00.000Z'
const LATER = '2031-01-01T00:00:00.000Z'

async function write(person: Person, body: object = {}) {
  const accounts = [await person.account('bluesky'), await person.account('mastodon')]
  const created = await person.call('POST', '/posts', { accountIds: accounts, caption: 'a', ...body })
  return { accounts, id: created.body.id as string, read: () => person.call('GET', `/posts/${created.body.id}`) }
}

/** The target of one account in the body of a response. */
// biome-ignore lint/suspicious/noExplicitAny: the body of a response
const targetOf = (body: any, account: string) =>
  body.targets.find(({ accountId }: { accountId: string }) => accountId === account)

t.test('each key of a patch changes that part of a post and nothing else', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { id, read } = await write(ada, { firstComment: 'c', scheduledAt: FUTURE })
  const media = [await ada.media(), await ada.media()]
  const { problems, check } = collectProblems()
  for (const [patch, expected = patch] of [
    [{ caption: 'b' }],
    [{ caption: '', mediaIds: media }],
    [{ mediaIds: [media[1], media[0], media[1]] }],
    [{ mediaIds: [], caption: 'b' }],
    [{ firstComment: null }],
    [{ firstComment: 'd' }],
    [{ postType: 'thread' }],
    [{ postType: 'post' }],
    [{ scheduledAt: LATER }],
    [{ scheduledAt: '2031-01-01T01:30:00.5+01:00' }, { scheduledAt: '2031-01-01T00:30:00.500Z' }],
  ] as [object, object?][]) {
    const { updatedAt: _, ...before } = (await read()).body
    const { status, body, headers } = await ada.call('PATCH', `/posts/${id}`, patch)
    const name = JSON.stringify(patch)
    const { warnings: _warnings, ...post } = body
    const { updatedAt, targets, ...after } = post
    check([status, { ...after, targets: [] }], [200, { ...before, ...expected, targets: [] }], name)
    const reread = await read()
    check([reread.body, reread.headers.etag], [post, headers.etag], `${name}: read again`)
    check(updatedAt > before.createdAt, true, `${name}: changed at ${updatedAt}, after ${before.createdAt}`)
  }
  t.strictSame(problems, [])
})

t.test('a time schedules a draft, and null makes a scheduled post a draft', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { id } = await write(ada)
  const deliveryOf = ({ body }: Awaited<ReturnType<Person['call']>>) => body.targets[0].delivery
  const scheduled = await ada.call('PATCH', `/posts/${id}`, { scheduledAt: FUTURE })
  t.hasStrict(scheduled.body, { status: 'scheduled', scheduledAt: FUTURE })
  t.hasStrict(deliveryOf(scheduled), { state: 'queued', nextAttemptAt: FUTURE })
  const draft = await ada.call('PATCH', `/posts/${id}`, { scheduledAt: null })
  t.hasStrict(draft.body, { status: 'draft', scheduledAt: null })
  t.hasStrict(deliveryOf(draft), { state: 'waiting', nextAttemptAt: null })
  const due = await ada.call('PATCH', `/posts/${id}`, { scheduledAt: '2020-01-01T00:00:00Z' })
  t.hasStrict(due.body, { status: 'scheduled', scheduledAt: '2020-01-01T00:00:00.000Z' })
  t.ok(Math.abs(Date.parse(deliveryOf(due).nextAttemptAt) - Date.parse(due.body.updatedAt)) < 1_000, 'due now')
})

t.test('overrides merge by account, and fields by key; accountOverrides replaces all', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const fields = { langs: ['en'], own: { a: 1, b: { c: 2 } } }
  const { id, accounts } = await write(ada, {})
  const [first, second] = accounts as [string, string]
  const patch = async (body: object) => {
    const reply = await ada.call('PATCH', `/posts/${id}`, body)
    t.equal(reply.status, 200, JSON.stringify([body, reply.body.error]))
    return [first, second].map((account) => {
      const { captionOverride, fields } = targetOf(reply.body, account)
      return [captionOverride, fields]
    })
  }
  t.strictSame(await patch({ overrides: { [first]: { captionOverride: 'b', fields }, [second]: {} } }), [
    ['b', fields],
    [null, null],
  ])
  t.strictSame(
    await patch({ overrides: { [first]: { fields: { own: { a: null, b: { d: 3 } } } }, [second]: { fields } } }),
    [
      ['b', { langs: ['en'], own: { b: { c: 2, d: 3 } } }],
      [null, fields],
    ],
  )
  t.strictSame(await patch({ overrides: { [first]: { captionOverride: null, fields: { own: 1, langs: null } } } }), [
    [null, { own: 1 }],
    [null, fields],
  ])
  t.strictSame(await patch({ overrides: { [first]: { fields: { own: null } }, [second]: { captionOverride: '' } } }), [
    [null, null],
    ['', fields],
  ])
  t.strictSame(await patch({ overrides: { [first]: { captionOverride: 'b', fields }, [second]: null } }), [
    ['b', fields],
    [null, null],
  ])
  t.strictSame(await patch({ overrides: { [first]: { fields: null } } }), [
    ['b', null],
    [null, null],
  ])
  t.strictSame(await patch({ accountOverrides: [{ accountId: second, captionOverride: 'c', fields: {} }] }), [
    [null, null],
    ['c', {}],
  ])
  t.strictSame(await patch({ overrides: null }), [
    [null, null],
    [null, null],
  ])
  t.strictSame(await patch({ accountOverrides: [{ accountId: first, fields }] }), [
    [null, fields],
    [null, null],
  ])
  t.strictSame(await patch({ accountOverrides: [] }), [
    [null, null],
    [null, null],
  ])
})

t.test('accounts have the order of the list', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { id, accounts } = await write(ada, { scheduledAt: FUTURE })
  const [first, second] = accounts as [string, string]
  const added = await ada.account('sandbox')
  for (const accountIds of [
    [second, first],
    [added, second, first],
    [first, added],
    [first, second, added],
  ]) {
    const { status, body } = await ada.call('PATCH', `/posts/${id}`, { accountIds })
    const order = body.targets.map(({ accountId }: { accountId: string }) => accountId)
    t.strictSame([status, order], [200, accountIds])
  }
})

t.test('thread parts merge by account', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { id, accounts } = await write(ada, { postType: 'thread' })
  const [first, second] = accounts as [string, string]
  const partsAfter = async (threadParts: object | null) => {
    const { body } = await ada.call('PATCH', `/posts/${id}`, { threadParts })
    return [first, second].map((account) => targetOf(body, account).threadParts)
  }
  t.strictSame(await partsAfter({ [first]: ['a', 'b'] }), [['a', 'b'], null])
  t.strictSame(await partsAfter({ [second]: ['c'] }), [['a', 'b'], ['c']])
  t.strictSame(await partsAfter({ [first]: null }), [null, ['c']])
  t.strictSame(await partsAfter({}), [null, ['c']])
  t.strictSame(await partsAfter(null), [null, null])
})

t.test('accounts that stay keep their delivery, removed ones lose theirs, and new ones get one', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const { id, accounts, read } = await write(ada, { scheduledAt: FUTURE })
  const [first, second] = accounts as [string, string]
  const added = await ada.account('sandbox')
  const targets = db.updateTable('postTargets').where('accountId', '=', first)
  const error = JSON.stringify({ code: 'rate_limited', message: 'a', retryable: true })
  await targets.set({ attempts: 3, failures: 3, error, captionOverride: 'b' }).execute()
  const kept = targetOf((await read()).body, first)
  const { status, body } = await ada.call('PATCH', `/posts/${id}`, { accountIds: [first, added, first] })
  t.equal(status, 200)
  t.equal(body.targets.length, 2)
  t.strictSame(targetOf(body, first), kept)
  t.hasStrict(targetOf(body, added), { platform: 'sandbox', delivery: { state: 'queued', nextAttemptAt: FUTURE } })
  t.equal(targetOf(body, second), undefined)
  t.equal((await ada.call('PATCH', `/posts/${id}`, { accountIds: [second] })).status, 200)
  t.strictSame(
    (await read()).body.targets.map(({ accountId }: { accountId: string }) => accountId),
    [second],
  )
})

t.test('a patch that changes nothing writes nothing', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const override = { captionOverride: 'b', fields: { a: { b: 1 } } }
  const { id, accounts, read } = await write(ada, { scheduledAt: FUTURE })
  const [first] = accounts as [string]
  await ada.call('PATCH', `/posts/${id}`, { overrides: { [first]: override } })
  await db.updateTable('postTargets').set({ state: 'failed' }).execute()
  const before = await read()
  const rows = await db.selectFrom('postTargets').selectAll().orderBy('accountId').execute()
  for (const patch of [
    {},
    { caption: 'a', firstComment: null, postType: 'post', mediaIds: [], accountIds: accounts },
    { scheduledAt: FUTURE, overrides: { [first]: { fields: { a: { b: 1 }, c: null } } }, threadParts: null },
    { accountOverrides: [{ accountId: first, ...override }], threadParts: {} },
  ]) {
    const reply = await ada.call('PATCH', `/posts/${id}`, patch)
    const { warnings: _, ...post } = reply.body
    t.strictSame([reply.status, post, reply.headers.etag], [200, before.body, before.headers.etag])
  }
  t.strictSame(await db.selectFrom('postTargets').selectAll().orderBy('accountId').execute(), rows)
})

t.test('a post can be changed exactly as long as it can be deleted', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const messages: Record<number, string> = {
    400: 'Cannot edit published post',
    409: 'Cannot edit post while it is being published',
  }
  const states = ['waiting', 'queued', 'failed', 'missed', 'publishing', 'unconfirmed', 'published']
  const { problems, check } = collectProblems()
  for (const state of states) {
    const isOut = state === 'unconfirmed' || state === 'published'
    for (const patch of [{ caption: 'b' }, { scheduledAt: LATER }, { scheduledAt: null }, { accountIds: 'others' }]) {
      const { id, accounts } = await write(ada, state === 'waiting' ? {} : { scheduledAt: FUTURE })
      const targets = db.updateTable('postTargets').where('postId', '=', id)
      await targets.set({ state }).where('accountId', '=', accounts[0]!).execute()
      if (isOut) await db.updateTable('posts').set({ status: 'published' }).where('id', '=', id).execute()
      const body = patch.accountIds ? { accountIds: [accounts[1], await ada.account('sandbox')] } : patch
      const { status, body: answer } = await ada.call('PATCH', `/posts/${id}`, body)
      const expected = isOut ? 400 : state === 'publishing' ? 409 : 200
      const name = `${state}, ${JSON.stringify(patch)}`
      check([status, answer.error], [expected, messages[expected]], name)
      check((await ada.call('DELETE', `/posts/${id}`)).status, expected, `${name}: deleted`)
    }
  }
  t.strictSame(problems, [])
  const { id } = await write(ada)
  await markPostPublished(db, id)
  t.equal((await ada.call('PATCH', `/posts/${id}`, {})).status, 400, 'nor by an empty patch')
})
