import { sql } from 'kysely'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { SQLSTATE } from '../../db/sqlstate.ts'
import { createDatabase } from '../helpers/database.ts'

const TEXTS = ['', ' ', 'plain', `it's`, '"', '\\', '\\"', '{a,b}', 'NULL', 'null', 'ü 🎣', 'two\nlines', null]

t.test('values arrive as they were given: names on and off, within a transaction and without', async (t) => {
  const echo = prepared<
    {
      texts: (string | null)[]
      text: string
      bytes: Buffer
      time: Date
      yes: boolean
      count: number
      json: string
      none: null
    },
    Record<string, unknown>
  >('test_echo', (db, value) =>
    db.selectNoFrom([
      sql`${value('texts')}::text[]`.as('texts'),
      sql`${value('text')}::text`.as('text'),
      sql`${value('bytes')}::bytea`.as('bytes'),
      sql`${value('time')}::timestamptz`.as('time'),
      sql`${value('yes')}::boolean`.as('yes'),
      sql`${value('count')}::integer`.as('count'),
      sql`${value('json')}::jsonb`.as('someJson'),
      sql`${value('none')}::text`.as('none'),
    ]),
  )
  const url = await createDatabase(t)
  for (const preparedStatements of [true, false]) {
    const db = connect({ url, poolMax: 1, preparedStatements })
    t.teardown(() => db.destroy())
    for (const text of TEXTS.filter((text) => text !== null)) {
      const values = { texts: TEXTS, text, bytes: Buffer.from([0, 255, 92]), time: new Date(1_700_000_000_123) }
      const all = { ...values, yes: false, count: -7, json: '{"a_b":[1]}', none: null }
      const { json, ...expected } = { ...all, someJson: { a_b: [1] } }
      t.strictSame(await echo(db, all), [expected])
      t.strictSame(await db.transaction().execute((db) => echo(db, all)), [expected])
    }
  }
})

t.test('a table that changes under a process that runs changes its rows, and breaks nothing', async (t) => {
  const readAll = prepared<object, { v: unknown }>('test_read_all', (db) =>
    db.selectFrom('changing' as never).selectAll(),
  )
  const url = await createDatabase(t)
  for (const preparedStatements of [true, false]) {
    const db = connect({ url, poolMax: 2, preparedStatements })
    t.teardown(() => db.destroy())
    await sql`create table changing as select 7 as v`.execute(db)
    t.strictSame(await Promise.all([readAll(db, {}), readAll(db, {})]), [[{ v: 7 }], [{ v: 7 }]])
    await sql`alter table changing alter column v type text using 'seven'`.execute(db)
    for (let reads = 0; reads < 3; reads++) t.strictSame(await readAll(db, {}), [{ v: 'seven' }])
    await sql`alter table changing add column w integer default 8, drop column v`.execute(db)
    t.strictSame(await readAll(db, {}), [{ w: 8 }])
    await sql`drop table changing`.execute(db)
  }
})

t.test('a statement that fails leaves its connection as good as it was', async (t) => {
  const divide = prepared<{ by: number }, { result: number }>('test_divide', (db, value) =>
    db.selectNoFrom(sql<number>`12 / ${value('by')}::integer`.as('result')),
  )
  const db = connect({ url: await createDatabase(t), poolMax: 1 })
  t.teardown(() => db.destroy())
  for (let round = 0; round < 3; round++) {
    await t.rejects(divide(db, { by: 0 }), { code: SQLSTATE.DIVISION_BY_ZERO })
    t.strictSame(await divide(db, { by: 3 }), [{ result: 4 }])
  }
  const pid = () => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  t.strictSame((await pid()).rows, (await pid()).rows)
})
