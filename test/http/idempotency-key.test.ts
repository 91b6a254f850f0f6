import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import t from 'tap'
import type { Db } from '../../db/client.ts'
import { disconnectAccount } from '../../db/queries/disconnect.ts'
import { sendOutcome, withIdempotencyKey } from '../../src/base/http/idempotency-key.ts'
import { ALL_RIGHTS } from '../../src/base/http/rights.ts'
import { assertOneResponse, createKeyedWorld, sendWithKey } from '../helpers/idempotency.ts'
import { collectProblems } from '../helpers/problems.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { sweepNow } from '../helpers/sweeps.ts'
import { form, jpeg } from '../helpers/upload.ts'

t.test('a repeated request creates one post and gets the same bytes', async (t) => {
  const { create, posts } = await createKeyedWorld(t)
  const body = { caption: 'hello', scheduledAt: '2030-01-01T00:00:00Z' }
  assertOneResponse(t, [
    await create(body),
    await create(body),
    await create({ postType: 'post', ...body, mediaIds: [] }),
  ])
  t.equal((await posts()).length, 1, 'the order of keys and explicit defaults do not matter')
})

t.test('requests without a key are not stored', async (t) => {
  const { app, ada, account, posts, storedKeys } = await createKeyedWorld(t)
  const body = { accountIds: [account] }
  const reply = () =>
    app.inject({ method: 'POST', url: '/api/v1/posts', headers: { authorization: `Bearer ${ada.key}` }, payload: body })
  t.equal((await reply()).statusCode, 201)
  t.equal((await reply()).headers['idempotent-replayed'], undefined)
  t.strictSame([(await posts()).length, await storedKeys()], [2, []])
})

t.test('a request without a key costs no transaction and no statement', async (t) => {
  const { app, ada } = await createKeyedWorld(t)
  const response = { 201: Type.Object({ id: Type.String() }) }
  const unused = () => t.fail('the database is used')
  const db = new Proxy({} as Db, { get: unused, has: unused })
  app.post('/api/v1/create', { schema: { operationId: 'create', response } }, async (_request, reply) => {
    const outcome = await withIdempotencyKey(db, reply, {
      identities: [null],
      commit: async (transaction) => {
        t.equal(transaction, db)
        return '1'
      },
      toResponse: (id) => ({ status: 201, body: { id } }),
    })
    return sendOutcome(reply, outcome)
  })
  const headers = { authorization: `Bearer ${ada.key}` }
  const reply = await app.inject({ method: 'POST', url: '/api/v1/create', headers })
  t.strictSame([reply.statusCode, reply.json()], [201, { id: '1' }])
})

t.test('a key with another body, or for another operation, is a 409', async (t) => {
  const { app, ada, create, posts } = await createKeyedWorld(t)
  const first = await create({ caption: 'one' })
  const conflicts = [
    await create({ caption: 'two' }),
    await create({ caption: 'one', accountOverrides: [], firstComment: 'a' }),
    await sendWithKey(app, ada, '/media/import', { url: 'http://127.0.0.1/a' }),
    await sendWithKey(app, ada, '/accounts', { platform: 'sandbox', credentials: { username: 'ada' } }),
    await sendWithKey(app, ada, '/media', await form([['file', await jpeg()]])),
  ]
  for (const { status, text, replayed } of conflicts) {
    t.equal(status, 409)
    t.strictSame(JSON.parse(text), { error: 'This Idempotency-Key was already used for another request' })
    t.equal(replayed, undefined)
  }
  t.same(await posts(), [{ id: first.body.id }])
  t.equal((await ada.call('GET', '/media')).body.data.length, 0)
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 1)
})

t.test('a key belongs to one operation, even if another one takes the same body', async (t) => {
  const { app, db, ada } = await createKeyedWorld(t)
  const body = Type.Object({ caption: Type.String() })
  const response = { 201: Type.Object({ id: Type.String() }) }
  for (const operationId of ['createOne', 'createOther']) {
    app.post(`/api/v1/${operationId}`, { schema: { operationId, body, response } }, async (request, reply) => {
      request.userId = ada.id
      request.rights = ALL_RIGHTS
      const outcome = await withIdempotencyKey(db, reply, {
        identities: [request.body],
        commit: async () => operationId,
        toResponse: (id) => ({ status: 201, body: { id } }),
      })
      return sendOutcome(reply, outcome)
    })
  }
  const createWith = (operationId: string) => sendWithKey(app, ada, `/${operationId}`, { caption: 'one' })
  assertOneResponse(t, [await createWith('createOne'), await createWith('createOne')])
  t.equal((await createWith('createOther')).status, 409)
})

t.test('a malformed key is rejected before anything is written', async (t) => {
  const { app, ada, account, posts, storedKeys } = await createKeyedWorld(t)
  const image = await form([['file', await jpeg()]])
  const issue = {
    code: 'invalid_string',
    validation: 'regex',
    path: ['Idempotency-Key'],
    message: 'Must be 1 to 255 visible ASCII characters',
  }
  const requests: [path: string, body: object][] = [
    ['/posts', { accountIds: [account] }],
    ['/accounts', { platform: 'sandbox', credentials: { username: 'ada' } }],
    ['/media', image],
    ['/media/import', { url: 'http://127.0.0.1/a' }],
  ]
  const { problems, check } = collectProblems()
  for (const [path, body] of requests) {
    for (const key of ['', ' ', 'a b', 'a\tb', 'é', '\x7f', 'a'.repeat(256), ['a', 'b']]) {
      const { status, body: error } = await sendWithKey(app, ada, path, body, key)
      check([status, error], [400, { error: 'Invalid request', details: [issue] }], `${path} ${key}`)
    }
  }
  t.strictSame(problems, [])
  t.strictSame([await posts(), await storedKeys()], [[], []])
  for (const key of ['!', '~', 'a'.repeat(255), `"a,b";'--\\`]) {
    assertOneResponse(t, [
      await sendWithKey(app, ada, ...requests[0]!, key),
      await sendWithKey(app, ada, ...requests[0]!, key),
    ])
  }
})

t.test('a key belongs to one user', async (t) => {
  const { app, create, user, posts } = await createKeyedWorld(t)
  const bob = await user()
  const first = await create()
  const other = await sendWithKey(app, bob, '/posts', { accountIds: [await bob.account()] })
  t.strictSame([other.status, other.replayed], [201, undefined])
  t.not(other.body.id, first.body.id)
  t.equal((await posts()).length, 2)
})

t.test('a rejected or failed request leaves its key free for the corrected request', async (t) => {
  const { db, create, posts, storedKeys } = await createKeyedWorld(t)
  for (const body of [
    { caption: 5 },
    { caption: 'a'.repeat(1_000) },
    { accountIds: ['0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'] },
  ]) {
    const { status } = await create(body)
    t.ok(status === 400 || status === 403, `${status}`)
  }
  await sql`alter table post_targets rename to away`.execute(db)
  t.equal((await create()).status, 500)
  await sql`alter table away rename to post_targets`.execute(db)
  t.strictSame([await posts(), await storedKeys()], [[], []])
  const corrected = await create()
  t.strictSame([corrected.status, corrected.replayed], [201, undefined])
})

t.test('the stored response has the warnings of the first one', async (t) => {
  const { db, account, create } = await createKeyedWorld(t)
  await create({}, 'known')
  t.notOk('warnings' in (await create({}, 'ready')).body)
  const attention = JSON.stringify({ code: 'unauthorized', message: 'No', since: '2026-01-01T00:00:00Z' })
  await db.updateTable('accounts').set({ attention }).where('id', '=', account).execute()
  const replies = [await create({}, 'unready'), await create({}, 'unready')]
  assertOneResponse(t, replies)
  t.match(replies[0]!.body, { warnings: [{ code: 'account_attention', accountId: account }] })
  const unused = [1, 2].map(() => create({ threadParts: { [account]: ['one'] } }, 'unused'))
  assertOneResponse(t, await Promise.all(unused))
  t.match((await unused[0]!).body, { warnings: [{ code: 'unused_thread_parts' }, { code: 'account_attention' }] })
})

t.test('a replay does not depend on anything that has changed since', async (t) => {
  const { db, account, create, ada } = await createKeyedWorld(t)
  const first = await create({ caption: 'hello' })
  await ada.call('DELETE', `/posts/${first.body.id}`)
  await disconnectAccount(db, account)
  assertOneResponse(t, [first, await create({ caption: 'hello' })])
  t.equal((await create({}, 'other')).status, 403, 'a new request is checked')
})

t.test('a key can be used again after 24 hours', async (t) => {
  const { db, create, posts, storedKeys } = await createKeyedWorld(t)
  const first = await create({ caption: 'one' })
  const age = (hours: number) =>
    sql`update idempotency_keys set created_at = now() - make_interval(hours => ${hours})`.execute(db)
  await age(23)
  assertOneResponse(t, [first, await create({ caption: 'one' })])
  await age(25)
  const second = await create({ caption: 'two' })
  t.strictSame([second.status, second.replayed], [201, undefined])
  assertOneResponse(t, [second, await create({ caption: 'two' })])
  t.equal((await create({ caption: 'one' })).status, 409)
  t.strictSame([(await posts()).length, (await storedKeys()).length], [2, 1])
})

t.test('a worker deletes expired keys, and no others', async (t) => {
  const world = await createDeliveryWorld(t, {})
  const { db, ada, app } = world
  const account = await ada.account()
  const fresh = await sendWithKey(app, ada, '/posts', { accountIds: [account] })
  await sql`
    insert into idempotency_keys (user_id, key, request_hash, status, body, created_at)
    select ${ada.id}::uuid, 'old ' || n, '', 201, '{}', now() - interval '25 hours'
    from generate_series(1, 2500) n`.execute(db)
  t.equal((await sweepNow(world))?.idempotencyKeys, 2500)
  t.equal((await db.selectFrom('idempotencyKeys').select('key').execute()).length, 1)
  assertOneResponse(t, [fresh, await sendWithKey(app, ada, '/posts', { accountIds: [account] })])
})
