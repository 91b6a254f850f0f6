import { randomBytes } from 'node:crypto'
import t from 'tap'
import { newId } from '../../db/id.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { createWorld } from '../helpers/app.ts'

t.test('a user has at most 500 active keys, however many requests create them at a time', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const stored = Array.from({ length: 495 }, () => ({
    id: newId(),
    userId: ada.id,
    hash: randomBytes(32),
    start: 'pr_',
  }))
  await db.insertInto('apiKeys').values(stored).execute()
  await createKey(db, { userId: ada.id, name: null, expiresAt: new Date(0) })
  const create = () => ada.call('POST', '/keys', { name: 'one more', scopes: ['posts:read'] })
  const replies = await Promise.all(Array.from({ length: 8 }, create))
  t.strictSame(replies.map(({ status }) => status).sort(), [...Array(4).fill(201), ...Array(4).fill(409)])
  const refused = replies.find(({ status }) => status === 409)!
  t.strictSame(refused.body, { error: 'The user has 500 active keys, and cannot have more: revoke one first' })
  t.equal(refused.headers['x-error-code'], 'api_key_limit')
  const { id } = replies.find(({ status }) => status === 201)!.body
  t.equal((await ada.call('POST', `/keys/${id}/rotate`, {})).headers['x-error-code'], 'api_key_limit')
  t.equal((await ada.call('DELETE', `/keys/${id}`)).status, 200)
  t.equal((await create()).status, 201)
  t.equal((await (await user()).call('POST', '/keys', { name: 'a', scopes: ['posts:read'] })).status, 201)
})
