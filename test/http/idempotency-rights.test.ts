import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { assertOneResponse, createKeyedWorld, sendWithKey, withKeysLocked } from '../helpers/idempotency.ts'
import { until, untilBlocked } from '../helpers/until.ts'

const LATER = '2999-01-01T00:00:00Z'

interface Rights {
  scopes?: Scope[]
  accountIds?: string[]
}

async function createScene(t: Test) {
  const world = await createKeyedWorld(t)
  const { app, db, ada, account } = world
  const keyWith = (rights: Rights) => createKey(db, { userId: ada.id, name: null, expiresAt: null, ...rights })
  const send = (key: { key: string }, body: object = {}) =>
    until('the request is carried out', () => sendWithKey(app, key, '/posts', { accountIds: [account], ...body }), {
      isMet: ({ status }) => status !== 503,
    })
  return { ...world, keyWith, send }
}

t.test('a key for drafts takes no Idempotency-Key of a key that publishes', async (t) => {
  const { ada, account, keyWith, send, posts } = await createScene(t)
  const occupants: Rights[] = [
    { scopes: ['posts:write'] },
    { scopes: ['posts:write', 'posts:read', 'media:write'] },
    { accountIds: [account] },
    { scopes: ['posts:publish'], accountIds: [account] },
  ]
  for (const rights of occupants) {
    const reply = await send(await keyWith(rights), { caption: JSON.stringify(rights) })
    t.strictSame([reply.status, reply.replayed], [201, undefined], JSON.stringify(rights))
  }
  const wanted = { caption: 'the news', scheduledAt: LATER }
  assertOneResponse(t, [await send(ada, wanted), await send(ada, wanted)])
  t.equal((await posts()).length, occupants.length + 1)
})

t.test('nor does a key that publishes take one of another that may publish elsewhere', async (t) => {
  const { ada, account, keyWith, send } = await createScene(t)
  t.equal((await send(ada, { caption: 'everything' })).status, 201)
  const limited = await keyWith({ scopes: ['posts:publish'], accountIds: [account] })
  const wanted = { caption: 'mine', scheduledAt: LATER }
  assertOneResponse(t, [await send(limited, wanted), await send(limited, wanted)])
})

t.test('keys that allow the same share Idempotency-Keys, such as a key and its successor', async (t) => {
  const { app, ada, account, keyWith, send, posts } = await createScene(t)
  const scopes: Scope[] = ['posts:read', 'posts:write']
  const first = await keyWith({ scopes, accountIds: [account] })
  const same = await keyWith({ scopes: [...scopes].reverse(), accountIds: [account] })
  const rotated = await app.inject({
    method: 'POST',
    url: `/api/v1/keys/${first.id}/rotate`,
    headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
    payload: '{}',
  })
  t.equal(rotated.statusCode, 201)
  assertOneResponse(t, [await send(first), await send(same), await send(rotated.json())])
  t.equal((await posts()).length, 1)
})

t.test('a key with every scope in its list shares those of a key without a list', async (t) => {
  const { ada, keyWith, send } = await createScene(t)
  const every = await keyWith({ scopes: SCOPE_NAMES.filter((scope) => scope !== 'admin') })
  assertOneResponse(t, [await send(ada), await send(every)])
})

/** Reduces stored responses to the columns that an earlier version writes. */
const forgetRights = (db: Db) => sql`update idempotency_keys set rights = null`.execute(db)

t.test('a response that an earlier version has stored for a limited key is replayed', async (t) => {
  const { db, keyWith, send, posts } = await createScene(t)
  const author = await keyWith({ scopes: ['posts:write'] })
  const first = await send(author)
  await forgetRights(db)
  assertOneResponse(t, [first, await send(author)])
  t.equal((await send(author, { caption: 'another' })).status, 409)
  t.equal((await posts()).length, 1)
})

t.test('a response for a limited key stands where an earlier version finds it', async (t) => {
  const { keyWith, send, storedKeys } = await createScene(t)
  await send(await keyWith({ scopes: ['posts:write'] }))
  t.notMatch((await storedKeys())[0]!.key, / /)
})

t.test('an earlier version replaces an expired response of other rights', async (t) => {
  const { db, ada, keyWith, send, posts } = await createScene(t)
  const author = await keyWith({ scopes: ['posts:write'] })
  const first = await send(ada)
  // The statement of an earlier version: it does not know the rights.
  await sql`update idempotency_keys set created_at = now() + interval '1 ms'`.execute(db)
  assertOneResponse(t, [first, await send(author)])
  t.equal((await posts()).length, 1)
})

t.test('a request with a key that other rights use is replayed after the other response has expired', async (t) => {
  const { db, account, ada, keyWith, send, posts } = await createScene(t)
  const author = await keyWith({ scopes: ['posts:write'] })
  const pass = (hours: number) =>
    sql`
      update idempotency_keys
      set created_at = created_at - ${hours} * interval '1 hour', rights_at = rights_at - ${hours} * interval '1 hour'`.execute(
      db,
    )
  await send(ada, { caption: 'everything' })
  await pass(23)
  const first = await send(author)
  await pass(2)
  assertOneResponse(t, [first, await send(author)])
  const mediaIds = [await ada.media()]
  const withFile = await send(author, { mediaIds, accountIds: [account] })
  t.equal(withFile.status, 409, 'nor does a request that takes a transaction')
  t.equal((await posts()).length, 2)
})

t.test('a key for everything does not get the response of a limited key, nor the reverse', async (t) => {
  const { ada, keyWith, send, posts } = await createScene(t)
  const author = await keyWith({ scopes: ['posts:write'] })
  const drafts = [await send(author), await send(author)]
  const others = [await send(ada), await send(ada)]
  assertOneResponse(t, drafts)
  assertOneResponse(t, others)
  t.equal((await posts()).length, 2)
})

t.test('a post of a limited key is written in one statement', async (t) => {
  const { app, account, db, keyWith, send } = await createScene(t)
  const author = await keyWith({ scopes: ['posts:write'] })
  // A post for an account that is not known yet takes a second statement.
  await send(author)
  await withKeysLocked(db, async () => {
    const sent = sendWithKey(app, author, '/posts', { accountIds: [account] }, 'second')
    t.teardown(() => sent)
    const [pid] = await untilBlocked(db)
    const { rows } = await sql`
      select query_start = xact_start as is_alone from pg_stat_activity where pid = ${pid}`.execute(db)
    t.strictSame(rows, [{ isAlone: true }])
  })
})
