import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { listPosts } from '../../db/queries/posts/list.ts'
import { readConfig } from '../../src/run/config/config.ts'
import { openDatabase } from '../../src/run/runtime/database.ts'
import { createWorld } from '../helpers/app.ts'
import { createDatabase } from '../helpers/database.ts'

t.test('every foreign key has an index, so that a deletion never scans a referencing table', async (t) => {
  const db = connect({ url: await createDatabase(t), poolMax: 1 })
  t.teardown(() => db.destroy())
  const { rows } = await sql<{ name: string; indexed: boolean }>`
    select con.conname as name, exists (
      select from pg_index i
      where i.indrelid = con.conrelid
        and (i.indkey::int2[])[0:cardinality(con.conkey) - 1] @> con.conkey
        and con.conkey @> (i.indkey::int2[])[0:cardinality(con.conkey) - 1]
    ) as indexed
    from pg_constraint con where con.contype = 'f'`.execute(db)
  t.ok(rows.length >= 10)
  for (const { name, indexed } of rows) t.ok(indexed, name)
})

t.test('the primary key of every table of posts starts with the user', async (t) => {
  const db = connect({ url: await createDatabase(t), poolMax: 1 })
  t.teardown(() => db.destroy())
  const { rows } = await sql<{ name: string; first: string }>`
    select c.relname as name, a.attname as first
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where i.indisprimary and c.relname in ('posts', 'post_targets', 'post_media', 'media', 'idempotency_keys')`.execute(
    db,
  )
  t.equal(rows.length, 5)
  for (const { name, first } of rows) t.equal(first, 'user_id', name)
})

t.test('an API call prepares one statement to read and one to write, under fixed names', async (t) => {
  const { db, user } = await createWorld(t, { poolMax: 1 })
  const ada = await user()
  const accountIds = [await ada.account()]
  const { body } = await ada.call('POST', '/posts', { accountIds })
  const names = async () => {
    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements order by name`.execute(db)
    return rows.map(({ name }) => name)
  }
  t.strictSame(await names(), ['find_key', 'insert_posts_after_lookout', 'read_post_subjects'])
  await ada.call('GET', '/posts')
  await ada.call('GET', '/accounts')
  await ada.call('DELETE', `/posts/${body.id}`)
  t.strictSame(await names(), [
    'delete_unpublished_post',
    'find_key',
    'insert_posts_after_lookout',
    'list_accounts',
    'list_posts',
    'read_post_subjects',
  ])
})

t.test('with DATABASE_PREPARED_STATEMENTS=off, no statement has a name', async (t) => {
  const url = await createDatabase(t)
  for (const [setting, expected] of [
    ['on', ['list_posts']],
    ['off', []],
  ] as const) {
    const env = { DATABASE_URL: url, DATABASE_POOL_MAX: '1', DATABASE_PREPARED_STATEMENTS: setting }
    const { db, close } = await openDatabase(readConfig(env), { purpose: 'test' })
    t.strictSame(await listPosts(db, { userId: newId(), limit: 1, offset: 0, cursor: newId() }), [])
    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(db)
    t.strictSame(
      rows.map(({ name }) => name),
      expected,
      setting,
    )
    await close()
  }
})
