import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/auth/create-key.ts'
import { assertOneResponse, createKeyedWorld, sendWithKey } from '../helpers/idempotency.ts'
import { until } from '../helpers/until.ts'

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

t.test('a response that an earlier version has stored for a limited key is replayed', async (t) => {
  const { db, keyWith, send, storedKeys } = await createScene(t)
  const author = await keyWith({ scopes: ['posts:write'] })
  const first = await send(author)
  // Without what the key allows, which earlier versions did not store.
  await sql`update idempotency_keys set key = split_part(key, ' ', 2)`.execute(db)
  assertOneResponse(t, [first, await send(author)])
  t.equal((await send(author, { caption: 'another' })).status, 201, 'and keeps it from nothing else')
  t.equal((await storedKeys()).length, 2)
})
