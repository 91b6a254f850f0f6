import { sql } from 'kysely'
import t from 'tap'
import { SQLSTATE } from '../../db/sqlstate.ts'
import { deletePost } from '../../src/features/posts/delete.ts'
import { startService, startServiceWithPerson } from '../helpers/service.ts'
import { untilBlocked } from '../helpers/until.ts'

t.test('a serialisation failure or deadlock is retried', async (t) => {
  const { create, admin, db, id: userId, url, key, stored } = await startServiceWithPerson(t)
  const database = sql.ref(new URL(url).pathname.slice(1))

  await t.test('a real serialisation failure (40001)', async (t) => {
    const { id } = (await create()).body
    await sql`alter database ${database} set default_transaction_isolation = 'serializable'`.execute(admin)
    const service = await startService(t, url)
    const deleted = await admin.transaction().execute(async (transaction) => {
      await transaction.updateTable('posts').set({ caption: 'changed' }).where('id', '=', id).execute()
      const reply = service.send(key, 'DELETE', `/posts/${id}`)
      await untilBlocked(admin)
      return { reply }
    })
    t.strictSame(await deleted.reply, { status: 200, body: { success: true } })
    await sql`alter database ${database} reset default_transaction_isolation`.execute(admin)
  })

  await t.test('a real deadlock (40P01)', async (t) => {
    const { id } = (await create()).body
    const deleted = await admin.transaction().execute(async (transaction) => {
      // The service is the one that fails: it checks for deadlocks after a second. No request would wait that long.
      await sql`set local deadlock_timeout = '1min'`.execute(transaction)
      await sql`select from post_targets where post_id = ${id} for update`.execute(transaction)
      const reply = deletePost(db, { userId, id, keyId: null })
      await untilBlocked(admin)
      await sql`select from posts where id = ${id} for update`.execute(transaction)
      return { reply }
    })
    t.strictSame(await deleted.reply, { success: true })
    t.strictSame(await stored(), [])
  })

  await t.test('at most three times', async (t) => {
    await sql`create sequence attempts`.execute(admin)
    const failing = (times: number, code: string) =>
      sql`create or replace function fail() returns trigger language plpgsql as $$ begin
        if nextval('attempts') <= ${sql.lit(times)} then raise exception 'conflict' using errcode = ${sql.lit(code)}; end if;
        return new; end $$; alter sequence attempts restart`.execute(admin)
    await failing(0, SQLSTATE.SERIALIZATION_FAILURE)
    await sql`create trigger fail before insert on posts for each row execute function fail()`.execute(admin)
    for (const code of [SQLSTATE.SERIALIZATION_FAILURE, SQLSTATE.DEADLOCK_DETECTED]) {
      await failing(3, code)
      t.equal((await create(code)).status, 201, `${code} three times`)
      await failing(4, code)
      t.strictSame(await create('never'), { status: 500, body: { error: 'Failed to create post' } })
      const { rows } = await sql<{ n: number }>`select last_value as n from attempts`.execute(admin)
      t.equal(rows[0]?.n, 4, `${code}: four attempts and no more`)
    }
    t.strictSame(
      (await stored()).map(({ caption }) => caption).sort(),
      [SQLSTATE.SERIALIZATION_FAILURE, SQLSTATE.DEADLOCK_DETECTED],
      'each is stored once',
    )
  })
})
