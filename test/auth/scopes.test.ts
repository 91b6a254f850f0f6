import t from 'tap'
import { EVENT_SCOPES } from '../../schemas/event-scopes.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Reply } from '../helpers/app.ts'
import { operationsOf, readDocument } from '../helpers/document.ts'
import { collectProblems } from '../helpers/problems.ts'
import { until } from '../helpers/until.ts'
import { createScene, type Requests, requestsOf } from '../openapi/scene.ts'

/** The scopes that a key has beside the one that it was given. */
const IMPLIED: Partial<Record<Scope, Scope>> = { 'posts:publish': 'posts:write' }

/** Any scope of an event allows them. The error names one of these scopes. */
const EVENT_OPERATIONS = ['listEvents', 'getEvent']
const eventScopes = new Set<Scope>(Object.values(EVENT_SCOPES))

const operations = operationsOf(readDocument()).map(({ operationId, 'x-required-scope': required }) =>
  EVENT_OPERATIONS.includes(operationId)
    ? { operationId, required: 'posts:read' as const, allows: (scope: Scope) => eventScopes.has(scope) }
    : {
        operationId,
        required,
        allows: (scope: Scope) => required === undefined || scope === required || IMPLIED[scope] === required,
      },
)

/** On a busy machine, a request may exceed its time limit. */
const carriedOut = (send: () => Promise<Reply>) =>
  until('the request is carried out', send, { isMet: ({ status }) => status !== 503 })

const lacks = ({ status, headers }: Reply) => status === 403 && headers['x-error-code'] === 'insufficient_scope'

t.test('each operation rejects keys with any scope but its own, and needs no other', async (t) => {
  const scene = await createScene(t)
  const requests = requestsOf(scene)
  const before = await scene.ada.call('GET', '/posts')
  const keys = new Map<Scope, string>()
  for (const scope of SCOPE_NAMES) {
    keys.set(
      scope,
      (await createKey(scene.db, { userId: scene.ada.id, name: null, expiresAt: null, scopes: [scope] })).key,
    )
  }
  const { problems, check } = collectProblems()

  // Rejected requests first: they change nothing, and the others may delete what they name.
  for (const isAllowed of [false, true]) {
    for (const { operationId, required, allows } of operations) {
      for (const [scope, key] of keys) {
        if (allows(scope) !== isAllowed) continue
        const reply = await carriedOut(() => requests[operationId as keyof Requests](key))
        const name = `${operationId} with ${scope}`
        check(lacks(reply), !isAllowed, `${name} is rejected`)
        if (isAllowed) continue
        const challenge = `Bearer error="insufficient_scope", scope="${required}"`
        check(reply.body, { error: `This API key lacks the scope ${required}` }, name)
        check(reply.headers['www-authenticate'], challenge, name)
      }
    }
    if (!isAllowed) t.strictSame((await scene.ada.call('GET', '/posts')).body, before.body, 'nothing was changed')
  }
  t.strictSame(problems, [])
})

t.test('a key without posts:publish writes, changes and deletes drafts, and nothing that is scheduled', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account('x')]
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes: ['posts:write'] })
  const write = (...[method, path, body]: Parameters<typeof ada.call>) =>
    carriedOut(() => call(app, key, method, path, body))
  const scheduled = { accountIds, caption: 'hi', scheduledAt: '2999-01-01T00:00:00Z' }

  t.ok(lacks(await write('POST', '/posts', scheduled)))
  t.strictSame((await ada.call('GET', '/posts')).body.data, [], 'nothing was stored')
  const draft = await write('POST', '/posts', { accountIds, caption: 'hi' })
  t.strictSame([draft.status, draft.body.status], [201, 'draft'])
  t.ok(lacks(await write('POST', `/posts/${draft.body.id}/publish`)))
  t.equal((await write('PATCH', `/posts/${draft.body.id}`, { caption: 'ho', scheduledAt: null })).status, 200)
  t.ok(lacks(await write('PATCH', `/posts/${draft.body.id}`, { scheduledAt: scheduled.scheduledAt })))
  t.equal((await write('DELETE', `/posts/${draft.body.id}`)).status, 200)

  const { body: post } = await ada.call('POST', '/posts', scheduled)
  t.ok(lacks(await write('DELETE', `/posts/${post.id}`)))
  for (const change of [{}, { caption: 'ho' }, { scheduledAt: null }]) {
    t.ok(lacks(await write('PATCH', `/posts/${post.id}`, change)))
  }
  t.equal((await ada.call('GET', `/posts/${post.id}`)).body.status, 'scheduled', 'it is still there')
  t.equal((await write('DELETE', '/posts/unknown')).status, 404)
  t.equal((await ada.call('DELETE', `/posts/${post.id}`)).status, 200, 'a key with every scope deletes it')
})

t.test('GET /key shows whose key it is and what it allows, for every key', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user('Ada')
  const expiresAt = new Date('2999-01-01T00:00:00Z')
  const { key, id, start } = await createKey(db, { userId: ada.id, name: 'agent', expiresAt, scopes: ['media:read'] })
  const { status, body } = await call(app, key, 'GET', '/key')
  t.equal(status, 200)
  const { createdAt, ...shown } = body
  t.match(createdAt, /^\d{4}-.*Z$/)
  t.strictSame(shown, {
    id,
    userId: ada.id,
    userName: 'Ada',
    name: 'agent',
    start,
    scopes: ['media:read'],
    accountIds: null,
    expiresAt: '2999-01-01T00:00:00.000Z',
    lastUsedAt: null,
    replaces: null,
    replacedBy: null,
  })
  t.match((await ada.call('GET', '/key')).body, { userId: ada.id, name: null, scopes: null, expiresAt: null })
})

t.test('a key loses a scope within a second', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const { key, id } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  const clock = { monotonic: performance.now() }
  t.intercept(performance, 'now', { value: () => clock.monotonic })
  t.equal((await call(app, key, 'GET', '/posts')).status, 200)
  await db
    .updateTable('apiKeys')
    .set({ scopes: ['media:read'] })
    .where('id', '=', id)
    .execute()
  clock.monotonic += 1_000
  t.ok(lacks(await call(app, key, 'GET', '/posts')))
})
