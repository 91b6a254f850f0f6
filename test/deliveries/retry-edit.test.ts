import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const HOUR = 3_600_000
const refused: Step = { isAccepted: false, error: refusal() }

/** A post on one account, of which a worker has made the attempts that `steps` describe. */
async function createScene(t: Test, body: (account: string) => object = () => ({}), steps: Step[] = [refused]) {
  const mastodon = scriptedNetwork()
  mastodon.steps.push(...steps)
  const world = await createDeliveryWorld(t, { mastodon })
  const account = await world.connectAccount('mastodon')
  const id = await world.post({ accountIds: [account], caption: 'a', ...body(account) })
  await world.work()
  const retry = (edit?: unknown, headers?: Record<string, string>) =>
    world.ada.call('POST', `/posts/${id}/deliveries/${account}/retry`, edit, headers)
  return { ...world, mastodon, account, id, retry }
}

t.test('a refused delivery is retried with another caption and other fields', async (t) => {
  const { mastodon, retry, work, readDelivery, id } = await createScene(t)
  const { history } = await readDelivery(id)
  const { status, body } = await retry({ captionOverride: 'b', fields: { visibility: 'unlisted' } })
  t.equal(status, 202)
  const [{ delivery, ...target }] = body.targets
  t.hasStrict(target, { captionOverride: 'b', fields: { visibility: 'unlisted' }, threadParts: null })
  t.hasStrict(delivery, { state: 'queued', history })
  await work(HOUR)
  t.same(mastodon.posts, ['b'])
  t.same(mastodon.acts[1]!.fields, { visibility: 'unlisted' })
  t.not(mastodon.acts[0]!.token, mastodon.acts[1]!.token, 'no network takes it for the refused one')
})

t.test('a refused delivery is retried with other files, which stay once a part is out', async (t) => {
  const { ada, app, mastodon, retry, work, readDelivery, id } = await createScene(t)
  const file = (await upload(app, ada, [['file', await jpeg()]])).body.id
  t.hasStrict((await retry({ mediaIds: [file] })).body, { mediaIds: [], targets: [{ mediaIds: [file] }] })
  await work(HOUR)
  t.same(
    mastodon.acts.map(({ media }) => media.length),
    [0, 1],
  )
  t.equal((await readDelivery(id)).state, 'published')

  const thread = (account: string) => ({ postType: 'thread', threadParts: { [account]: ['one', 'two'] } })
  const second = await createScene(t, thread, [{ isAccepted: true }, refused])
  const other = (await upload(second.app, second.ada, [['file', await jpeg()]])).body.id
  t.hasStrict(await second.retry({ mediaIds: [other] }), { status: 400, body: { details: [{ path: ['mediaIds'] }] } })
})

t.test('the edit is a merge patch for one account of a post, also of a published one', async (t) => {
  const [mastodon, bluesky] = [scriptedNetwork(), scriptedNetwork()]
  const { ada, connectAccount, post, work } = await createDeliveryWorld(t, { mastodon, bluesky })
  const [first, second] = [await connectAccount('mastodon'), await connectAccount('bluesky')]
  mastodon.steps.push(refused, refused)
  const fields = { visibility: 'unlisted', own: { a: 1, b: 2 } }
  const id = await post({
    accountIds: [first, second],
    caption: 'a',
    accountOverrides: [{ accountId: first, captionOverride: 'b', fields }],
  })
  await work()
  const retry = (edit: object) => ada.call('POST', `/posts/${id}/deliveries/${first}/retry`, edit)
  const merged = await retry({ fields: { visibility: null, own: { b: null, c: 3 } } })
  t.hasStrict(merged.body, {
    status: 'published',
    targets: [{ captionOverride: 'b', fields: { own: { a: 1, c: 3 } } }],
  })
  await work(HOUR)
  const removed = await retry({ captionOverride: null, fields: null })
  t.hasStrict(removed.body.targets[0], { captionOverride: null, fields: null })
  await work(HOUR)
  t.same([mastodon.posts, bluesky.posts], [['a'], ['a']])
})

t.test('of a thread, only parts that are not published can change', async (t) => {
  const thread = (account: string) => ({ postType: 'thread', threadParts: { [account]: ['one', 'two', 'three'] } })
  const { mastodon, retry, work } = await createScene(t, thread, [{ isAccepted: true }, refused])
  for (const threadParts of [['1', 'two'], [], null, ['one!', 'b']]) {
    const { status, body } = await retry({ threadParts })
    t.equal(status, 400, JSON.stringify(threadParts))
    if (body.details) {
      t.strictSame(body.details[0], {
        code: 'custom',
        path: ['threadParts'],
        message: 'The first 1 element(s) are published and have to stay',
      })
    }
  }
  t.equal((await retry({ threadParts: ['one', 'b'] })).status, 202)
  await work(HOUR)
  t.same(mastodon.posts, ['one', 'b'])
})

t.test('an edit is checked as a new post for this account is', async (t) => {
  const { ada, retry, readDelivery, id, account } = await createScene(t)
  const before = await readDelivery(id)
  t.hasStrict(await retry({ captionOverride: 'a'.repeat(501) }), { status: 400 })
  t.hasStrict(await retry({ captionOverride: '' }), { status: 400 }, 'nothing to publish')
  t.hasStrict(await retry({ fields: { visibility: 'nobody' } }), { status: 400 })
  t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  t.hasStrict(await retry({ captionOverride: 'b' }), {
    status: 403,
    body: { error: `You have no access to these accountIds: ${account}` },
  })
  t.strictSame(await readDelivery(id), before)
})

t.test('content that may be published cannot change, nor can a published post by its first comment', async (t) => {
  const lost = await createScene(t, undefined, [{ isAccepted: true, error: lostResponse() }])
  t.hasStrict(await lost.retry({ captionOverride: 'b' }), {
    status: 409,
    headers: { 'x-error-code': 'delivery_unconfirmed' },
    body: { error: 'The content may have been published and cannot change: retry it without changes' },
  })
  t.equal((await lost.retry({ captionOverride: null })).status, 202, 'without a change')

  const comment = await createScene(t, () => ({ firstComment: 'c' }), [{ isAccepted: true }, refused])
  t.hasStrict(await comment.retry({ captionOverride: 'b' }), { status: 409, body: { error: 'Delivery is published' } })
  t.equal((await comment.retry()).status, 202)
})

t.test('a retry without a body, with an empty one, or with an empty object changes no content', async (t) => {
  const { app, ada, mastodon, retry, work, account, id } = await createScene(t)
  const url = `/api/v1/posts/${id}/deliveries/${account}/retry`
  const authorization = `Bearer ${ada.key}`
  for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }]) {
    for (const body of [{}, { payload: '' }]) {
      const { statusCode } = await app.inject({ method: 'POST', url, headers: { authorization, ...headers }, ...body })
      t.equal(statusCode, 202, JSON.stringify([headers, body]))
    }
  }
  t.equal((await retry({})).status, 202)
  await work(HOUR)
  t.same(mastodon.posts, ['a'])
  t.equal(mastodon.acts[0]!.token, mastodon.acts[1]!.token)
})

t.test('an invalid edit is rejected with details', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account()
  const { body } = await ada.call('POST', '/posts', { accountIds: [account], caption: 'a' })
  const retry = (edit: unknown, headers = {}) =>
    ada.call('POST', `/posts/${body.id}/deliveries/${account}/retry`, edit, headers)
  for (const [edit, code, path] of [
    [{ captionOverride: 5 }, 'invalid_type', ['captionOverride']],
    [{ fields: [] }, 'invalid_type', ['fields']],
    [{ threadParts: [1] }, 'invalid_type', ['threadParts', 0]],
    [{ mediaIds: '' }, 'invalid_type', ['mediaIds']],
    [{ caption: 'b' }, 'unrecognized_keys', []],
    [[], 'invalid_type', []],
    ['{', 'invalid_json', []],
  ] as const) {
    t.hasStrict(await retry(edit), { status: 400, body: { details: [{ code, path }] } }, JSON.stringify(edit))
  }
  const type = { 'content-type': 'text/plain' }
  t.hasStrict(await retry({}, type), { status: 400, body: { details: [{ code: 'invalid_content_type' }] } })
})

t.test('an edit with If-Match is not made to a post that has changed', async (t) => {
  const { ada, retry, id } = await createScene(t)
  const read = () => ada.call('GET', `/posts/${id}`)
  const before = await read()
  t.equal((await retry({ captionOverride: 'b' }, { 'if-match': '"other"' })).status, 412)
  t.strictSame((await read()).body, before.body)
  t.equal((await retry({ captionOverride: 'b' }, { 'if-match': String(before.headers.etag) })).status, 202)
})

t.test('a post does not grow by the edits of its deliveries, one after the other', async (t) => {
  const mastodon = scriptedNetwork()
  mastodon.steps.push(refused, refused)
  const { db, ada, connectAccount, post, work } = await createDeliveryWorld(t, { mastodon })
  const accountIds = [await connectAccount('mastodon'), await connectAccount('mastodon')]
  const id = await post({ accountIds, caption: 'a' })
  await work()
  const retry = (accountId: string | undefined, fields: object) =>
    ada.call('POST', `/posts/${id}/deliveries/${accountId}/retry`, { fields })
  const [first, second] = accountIds
  const long = 'a'.repeat(700_000)
  t.equal((await retry(first, { own: long })).status, 202)
  const refusal = await retry(second, { own: long })
  t.strictSame([refusal.status, refusal.headers['x-error-code']], [413, 'body_too_large'])
  t.equal((await retry(second, { own: 'short' })).status, 202)

  const edit = JSON.stringify({ state: 'failed', content: { captionOverride: null, fields: { own: long } } })
  await db.updateTable('postTargets').set({ edit, state: 'failed', fields: null }).execute()
  t.equal((await retry(second, { own: long })).status, 413, 'a failed edit of another delivery counts')
})
