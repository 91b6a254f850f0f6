import t from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { createLastUse } from '../../src/features/auth/last-use.ts'
import { call, createWorld, type World } from '../helpers/app.ts'

const readLastUse = async (db: World['db'], id: string) =>
  (await db.selectFrom('apiKeys').select('lastUsedAt').where('id', '=', id).executeTakeFirstOrThrow()).lastUsedAt

t.test('a process stores when keys were last used, before it stops at the latest', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const make = () => createKey(db, { userId: ada.id, name: null, expiresAt: null })
  const [used, unused] = [await make(), await make()]
  t.equal((await call(app, used.key, 'GET', '/accounts')).status, 200)
  await app.close()
  t.ok((await readLastUse(db, used.id)) instanceof Date)
  t.equal(await readLastUse(db, unused.id), null)
})

t.test('the last use of a key is written at most once a minute', async (t) => {
  const { db, user } = await createWorld(t)
  const { id } = await createKey(db, { userId: (await user()).id, name: null, expiresAt: null })
  const lastUse = createLastUse(db, (error) => t.fail(String(error)))
  const use = async () => {
    lastUse.note(id)
    await lastUse.flush()
    return (await readLastUse(db, id))!.getTime()
  }
  const first = await use()
  t.equal(await use(), first, 'a second use within the minute')
  const set = (lastUsedAt: Date) => db.updateTable('apiKeys').set({ lastUsedAt }).where('id', '=', id).execute()
  const old = new Date(first - 3_600_000)
  await set(old)
  await lastUse.flush()
  t.strictSame(await readLastUse(db, id), old, 'nothing was noted since')
  t.ok((await use()) >= first)
})

t.test('a use that cannot be stored fails no request', async (t) => {
  const errors: unknown[] = []
  const { db, user } = await createWorld(t)
  const { id } = await createKey(db, { userId: (await user()).id, name: null, expiresAt: null })
  const broken = new Proxy(db, {
    get: (target, name) =>
      name === 'executeQuery' ? () => Promise.reject(new Error('broken')) : Reflect.get(target, name, target),
  })
  const lastUse = createLastUse(broken, (error) => errors.push(error))
  lastUse.note(id)
  await lastUse.flush()
  t.match(errors, [{ message: 'broken' }])
})
