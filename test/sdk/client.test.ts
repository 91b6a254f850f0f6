import { inspect } from 'node:util'
import t from 'tap'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import {
  Conflict,
  Forbidden,
  InvalidRequest,
  LimitViolation,
  NotFound,
  NotSettled,
  Postroom,
  PostroomError,
  PreconditionFailed,
  responseOf,
  Unauthorized,
} from '../../src/clients/sdk/index.ts'
import { createNetworks } from '../../src/platforms/adapters.ts'
import { createWorld, type Options } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'
import { operationsOf, readDocument } from '../helpers/document.ts'
import { collectProblems } from '../helpers/problems.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptService } from '../helpers/scripted-service.ts'
import { SDK_CALLS } from '../helpers/sdk-calls.ts'

async function createScene(t: Teardown, options?: Options) {
  const world = await createWorld(t, options)
  const baseUrl = await world.app.listen({ host: '127.0.0.1', port: 0 })
  const ada = await world.user()
  return { ...world, ada, baseUrl, client: new Postroom({ key: ada.key, baseUrl }) }
}

t.test('there is a method for every operation, with its method, path, query and headers', async (t) => {
  const document = readDocument()
  t.strictSame(
    Object.keys(SDK_CALLS).sort(),
    operationsOf(document)
      .map(({ operationId }) => operationId)
      .sort(),
  )
  const { problems, check } = collectProblems()
  for (const { operationId, method, path, parameters = [], requestBody } of operationsOf(document)) {
    const sent: Request[] = []
    const fetch: typeof globalThis.fetch = async (url, init) => {
      sent.push(new Request(url, init))
      return Response.json({ data: [] })
    }
    const client = new Postroom({ key: 'pr_test', baseUrl: 'http://localhost:3000', fetch })
    const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name)
    const query = Object.fromEntries(named('query').map((name) => [name, ['a', 'b']]))
    const takesKey = named('header').includes('Idempotency-Key')
    const options = {
      ...(takesKey && { idempotencyKey: 'key' }),
      ...(named('header').includes('If-Match') && { ifMatch: 'tag' }),
    }
    const ids = named('path').map((name) => `${name}/é`)
    await SDK_CALLS[operationId]!(client, { body: { a: 1 }, query, options }, ...ids)

    const request = sent[0]!
    const { pathname, searchParams } = new URL(request.url)
    const line = [method, path.replaceAll(/\{(\w+)\}/g, '$1%2F%C3%A9')]
    check([request.method, pathname], line, operationId)
    const names = named('query').flatMap((name) => [name, name])
    check([...searchParams.keys()].sort(), names.sort(), `${operationId}: query`)
    const headers = ['authorization', 'idempotency-key', 'if-match'].map((name) => request.headers.get(name))
    const expected = ['Bearer pr_test', takesKey ? 'key' : null, options.ifMatch ?? null]
    check(headers, expected, `${operationId}: headers`)
    const type = requestBody && Object.keys(requestBody.content)[0]!
    check(request.headers.get('content-type')?.split(';')[0], type, `${operationId}: type`)
    if (type === 'application/json') check(await request.json(), { a: 1 }, `${operationId}: body`)
  }
  t.strictSame(problems, [])
})

t.test('each error has its class, status, code, request id and words', async (t) => {
  const { client, ada, baseUrl } = await createScene(t)
  const account = await ada.account('x')
  const { id } = await client.posts.create({ accountIds: [account] })
  const failed = (call: () => PromiseLike<unknown>) =>
    Promise.resolve(call()).then(
      () => t.fail('it should have failed') as never,
      (error: PostroomError) => error,
    )
  const cases: [typeof PostroomError, number, string, RegExp, () => PromiseLike<unknown>][] = [
    [
      InvalidRequest,
      400,
      'invalid_request',
      /^Invalid request: accountIds: Required$/,
      () => client.posts.create({} as never),
    ],
    [
      LimitViolation,
      400,
      'platform_limit',
      /^x \(@ada\): caption is 281 /,
      () => client.posts.create({ accountIds: [account], caption: 'a'.repeat(281) }),
    ],
    [
      Unauthorized,
      401,
      'invalid_api_key',
      /^Invalid API key$/,
      () => new Postroom({ key: 'pr_wrong', baseUrl }).posts.list(),
    ],
    [
      Forbidden,
      403,
      'no_access',
      /^You have no access to these accountIds: b$/,
      () => client.posts.create({ accountIds: ['b'] }),
    ],
    [NotFound, 404, 'post_not_found', /^Post not found$/, () => client.posts.get('b')],
    [PreconditionFailed, 412, 'precondition_failed', /./, () => client.posts.delete(id, { ifMatch: '"0"' })],
  ]
  const { problems, check } = collectProblems()
  for (const [Class, status, code, message, call] of cases) {
    const error = await failed(call)
    check(error.constructor, Class, code)
    check(error instanceof PostroomError && error instanceof Error, true, `${code}: instance`)
    check([error.name, error.status, error.code], [Class.name, status, code], code)
    check(message.test(error.message), true, `${code}: "${error.message}" matches ${message}`)
    check(/^\S+$/.test(String(error.requestId)), true, `${code}: ${error.requestId} is an id`)
    check(error.requestId, error.response?.headers.get('x-request-id'), `${code}: request id`)
  }
  t.strictSame(problems, [])
  const invalid = (await failed(() => client.posts.create({} as never))) as InvalidRequest
  t.match(invalid.details, [{ code: 'invalid_type', path: ['accountIds'] }])
  const options = { idempotencyKey: 'one' }
  await client.posts.create({ accountIds: [account] }, options)
  const reused = await failed(() => client.posts.create({ accountIds: [account], caption: 'b' }, options))
  t.equal(reused.constructor, Conflict)
  t.equal(reused.code, 'idempotency_key_reused')
})

t.test('a response that is not of Postroom is an error that says so', async (t) => {
  const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' }
  const proxy = await scriptService(t, [page], { maxRetries: 0 })
  await t.rejects(proxy.client.posts.get('a'), { name: 'ServerError', status: 502, body: null, code: null })
  const redirect = { status: 301, headers: { location: 'https://postroom.example/api/v1/posts' } }
  const moved = await scriptService(t, [redirect])
  await t.rejects(moved.client.posts.create({ accountIds: ['a'] }), {
    name: 'PostroomError',
    message: /responded with 301 to https:\/\/postroom\.example\/api\/v1\/posts: check baseUrl$/,
  })
  t.equal(moved.seen.length, 1, 'it is not followed')
  const portal = await scriptService(t, [{ status: 200, body: '<html>Log in</html>' }])
  await t.rejects(portal.client.posts.get('a'), { name: 'PostroomError', message: /did not send JSON$/ })
})

t.test('loops read every item of all pages once, with and without filters', async (t) => {
  const { client, ada } = await createScene(t)
  const accountIds = [await ada.account()]
  const ids: string[] = []
  for (let index = 0; index < 7; index++) ids.unshift((await client.posts.create({ accountIds })).id)
  const read = async (query: Parameters<typeof client.posts.list>[0]) => {
    const found: string[] = []
    for await (const { id } of client.posts.list(query)) found.push(id)
    return found
  }
  t.strictSame(await read({ limit: 3 }), ids)
  t.strictSame(await read({ limit: 3, offset: 2 }), ids.slice(2))
  t.strictSame(await read({ limit: 2, status: ['draft', 'scheduled'], order: 'asc' }), ids.toReversed())
  t.strictSame(await read({ status: ['published'] }), [])

  const list = client.posts.list({ limit: 3 })
  const page = await list
  t.strictSame([page.data.length, page.limit, page.nextCursor], [3, 3, ids[2]])
  const sizes: number[] = []
  for await (const { data } of list.pages()) sizes.push(data.length)
  t.strictSame(sizes, [3, 3, 1])
  const accounts: string[] = []
  for await (const { id } of client.accounts.list()) accounts.push(id)
  t.strictSame(accounts, accountIds, 'a list without pages ends as well')
})

t.test('the error of a list is caught where the list is used', async (t) => {
  const page = { status: 200, body: { data: [1, 2], nextCursor: 'next' } }
  const refused = { status: 403, headers: { 'x-error-code': 'insufficient_scope' }, body: { error: 'no' } }
  const { client, seen } = await scriptService(t, [page, refused], { maxRetries: 0 })
  const items: unknown[] = []
  try {
    for await (const item of client.posts.list()) items.push(item)
    t.fail('the second page is refused')
  } catch (error) {
    t.ok(error instanceof Forbidden)
    t.match(error, { name: 'Forbidden', status: 403, code: 'insufficient_scope' })
  }
  t.strictSame(items, [1, 2], 'the items before it have been read')

  const ended: string[] = []
  const caught = await client.posts
    .list()
    .finally(() => ended.push('list'))
    .catch((error) => error)
  t.ok(caught instanceof Forbidden)
  t.ok((await client.posts.list().catch((error) => error)) instanceof Forbidden)
  t.strictSame(ended, ['list'])
  t.equal(seen.length, 4, 'each use has sent one request')
})

t.test('the stack of an error of a list leads to its caller, from each page', async (t) => {
  const { baseUrl, client, ada, app } = await createScene(t)
  for (let number = 0; number < 2; number++) await ada.call('POST', '/posts', { accountIds: [await ada.account()] })
  const read = new Postroom({ key: 'pr_test', baseUrl })
  async function awaitsPage() {
    await read.posts.list()
  }
  async function loopsOverItems() {
    for await (const _ of read.posts.list());
  }
  async function fallsOverSecondPage() {
    for await (const _ of client.posts.list({ limit: 1 })) await app.close()
  }
  for (const caller of [awaitsPage, loopsOverItems, fallsOverSecondPage]) {
    const { stack } = await caller().then(
      () => ({ stack: 'no error' }),
      (error: Error) => error,
    )
    t.match(stack, `at async ${caller.name} (`)
  }
})

t.test('a loop that is left early asks for no more pages', async (t) => {
  const { client, seen } = await scriptService(t, [{ status: 200, body: { data: [1, 2], nextCursor: 'next' } }])
  for await (const _ of client.posts.list()) break
  for await (const _ of client.events.follow()) break
  t.equal(seen.length, 2)
})

t.test('many posts are created from an array, and an error has those that were rejected', async (t) => {
  const { client, ada } = await createScene(t)
  const accountIds = [await ada.account('x')]
  const right = { accountIds, caption: 'right' }
  const wrong = { accountIds, caption: 'a'.repeat(1000) }
  t.match(await client.posts.createMany([right, right]), { data: [{ index: 0 }, { index: 1 }], rejected: [] })
  t.match(await client.posts.createMany([right, wrong], { mode: 'each' }), {
    data: [{ index: 0 }],
    rejected: [{ index: 1, code: 'platform_limit' }],
  })
  t.match(await client.posts.createMany({ mode: 'each', posts: [right] }), { data: [{ index: 0 }] })
  t.match(await client.posts.validateMany([right, wrong], { mode: 'each' }), {
    create: { status: 200 },
    data: [{ create: { status: 201 } }, { create: { status: 400 } }],
  })
  const error = await client.posts.createMany([right, wrong]).catch((error) => error)
  t.ok(error instanceof LimitViolation)
  t.match(error.rejected, [{ index: 1, code: 'platform_limit', violations: [{ rule: 'caption_length' }] }])
  t.strictSame((await client.posts.get('unknown').catch((error) => error)).rejected, [])
})

t.test('a change can be bound to the version that was read', async (t) => {
  const { client, ada } = await createScene(t)
  const { id } = await client.posts.create({ accountIds: [await ada.account()] }, { idempotencyKey: 'one' })
  const post = await client.posts.get(id)
  const ifMatch = responseOf(post)!.headers.get('etag')!
  const changed = await client.posts.update(id, { caption: 'first' }, { ifMatch })
  t.equal(changed.caption, 'first')
  await t.rejects(client.posts.update(id, { caption: 'second' }, { ifMatch }), { name: 'PreconditionFailed' })
  const repeated = await client.posts.create({ accountIds: [post.targets[0]!.accountId] }, { idempotencyKey: 'one' })
  t.equal(repeated.id, id)
  t.equal(responseOf(repeated)!.headers.get('idempotent-replayed'), 'true')
})

t.test(
  'waitUntilSettled returns the outcome of each account, and gives up for a draft or at its deadline',
  async (t) => {
    const world = await createDeliveryWorld(t, (db) => createNetworks(sandboxStore(db)))
    const baseUrl = await world.app.listen({ host: '127.0.0.1', port: 0 })
    const client = new Postroom({ key: world.ada.key, baseUrl })
    const account = await world.ada.account('sandbox', { credentials: { username: 'ada' } })
    const id = await world.post({ accountIds: [account], caption: 'hi' })
    const late = await client.posts.waitUntilSettled(id, { timeoutMs: 50 }).catch((error) => error)
    t.ok(late instanceof NotSettled)
    t.equal(late.post.targets[0].delivery.state, 'queued')

    const waiting = client.posts.waitUntilSettled(id)
    await world.work()
    const post = await waiting
    t.equal(post.status, 'published')
    t.equal(post.targets[0]!.delivery.state, 'published')

    const draft = await client.posts.create({ accountIds: [account] })
    await t.rejects(client.posts.waitUntilSettled(draft.id), { name: 'NotSettled', message: /is a draft/ })
    await t.rejects(client.posts.waitUntilSettled('nonsense'), { name: 'NotFound' })
  },
)

t.test('an id that would lead to another path, and a key that cannot be one, are TypeErrors', async (t) => {
  const { client, seen } = await scriptService(t, [{ status: 200 }])
  for (const id of ['', '.', '..', undefined, null])
    await t.rejects(client.posts.delete(id as string), TypeError, `${id}`)
  await t.rejects(client.media.content(''), TypeError)
  await t.rejects(async () => {
    for await (const _ of client.webhooks.deliveries('')) t.fail('it has no items')
  }, TypeError)
  await t.rejects(client.uploads.create('file.jpg' as never), TypeError)
  t.equal(seen.length, 0)
  for (const key of ['', 'pr_a b', 'pr_a\n', undefined]) t.throws(() => new Postroom({ key: key as string }), TypeError)
  t.throws(() => new Postroom({ key: 'pr_a', baseUrl: 'localhost' }), TypeError)
  await t.rejects(client.posts.create({ accountIds: ['a'] }, { idempotencyKey: 'a\nb' }), TypeError)
})

t.test('baseUrl may end with a slash or with the path of the API', async (t) => {
  const { baseUrl, seen } = await scriptService(t, [{ status: 200, body: { data: [] } }])
  for (const end of ['', '/', '/api/v1', '/api/v1/', '/below']) {
    await new Postroom({ key: 'pr_a', baseUrl: `${baseUrl}${end}` }).accounts.list()
  }
  t.strictSame(
    seen.map(({ url }) => url),
    [...Array(4).fill('/api/v1/accounts'), '/below/api/v1/accounts'],
  )
})

t.test('the key does not show when a client is printed', async (t) => {
  const client = new Postroom({ key: 'pr_secret' })
  t.notMatch(inspect(client, { depth: 5, showHidden: true }), 'pr_secret')
  t.notMatch(JSON.stringify(client), 'pr_secret')
})
