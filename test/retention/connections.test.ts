import t from 'tap'
import { createConnectionWorld } from '../connections/scene.ts'
import { DAY_MS, sweepNow } from '../helpers/sweeps.ts'

t.test('a sweep forgets the secrets of expired connections, and deletes connections after a day', async (t) => {
  const world = await createConnectionWorld(t)
  const { db, ada, open, connect, read, accounts } = world
  const ended = await connect()
  const { id } = await open()
  await db
    .updateTable('connections')
    .set({ expiresAt: new Date(Date.now() - 1) })
    .where('id', '=', id)
    .execute()
  t.equal((await sweepNow(world))?.connections, 0)
  const row = await db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  t.strictSame([row.state, row.data, row.dataKey, row.stateHash], ['expired', null, null, null])
  t.equal((await read(ended.id)).state, 'connected')

  await db
    .updateTable('connections')
    .set({ createdAt: new Date(Date.now() - DAY_MS) })
    .execute()
  t.equal((await ada.call('GET', `/connections/${ended.id}`)).status, 404, 'it cannot be read before the sweep either')
  t.equal((await sweepNow(world))?.connections, 2)
  t.equal((await accounts()).length, 1)
})
