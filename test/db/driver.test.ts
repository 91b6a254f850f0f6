import { createRequire } from 'node:module'
import { sql } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { connect } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { SQLSTATE } from '../../db/sqlstate.ts'
import { isDatabaseUnavailable, QUERY_READ_TIMEOUT } from '../../db/unavailable.ts'
import { createDatabase } from '../helpers/database.ts'

const TEXTS = ['', ' ', 'plain', `it's`, '"', '\\', '\\"', '{a,b}', 'NULL', 'null', 'ü 🎣', 'two\nlines', null]

t.test('values arrive unchanged, with and without statement names, inside and outside a transaction', async (t) => {
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

t.test('a prepared statement returns the new columns after its table changes', async (t) => {
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

t.test('a connection stays usable after a statement fails on it', async (t) => {
  const divide = prepared<{ by: number }, { result: number }>('test_divide', (db, value) =>
    db.selectNoFrom(sql<number>`12 / ${value('by')}::integer`.as('result')),
  )
  const db = connect({ url: await createDatabase(t), poolMax: 1 })
  t.teardown(() => db.destroy())
  const backend = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows
  const before = await backend()
  for (let round = 0; round < 3; round++) {
    await t.rejects(divide(db, { by: 0 }), { code: SQLSTATE.DIVISION_BY_ZERO })
    t.strictSame(await divide(db, { by: 3 }), [{ result: 4 }])
  }
  t.strictSame(await backend(), before, 'the connection is the same')
})

// db/driver.ts and db/unavailable.ts rely on the parts of node-postgres below, which its documentation does not
// promise. If one of these assertions fails after an update of pg, adapt those files first.
const { version } = createRequire(import.meta.url)('pg/package.json') as { version: string }
const changed = (what: string) => `pg ${version}: ${what}`

interface WireConnection
  extends Record<'parse' | 'bind' | 'describe' | 'execute' | 'sync', (message?: object) => void> {
  stream: { write: unknown; destroy(error?: Error): void }
  parsedStatements: Record<string, string>
}

type Client = pg.Client & { _ending: boolean; connection: WireConnection }

async function openClient(t: Test): Promise<Client> {
  const client = new pg.Client(await createDatabase(t))
  client.on('error', () => {})
  await client.connect()
  t.teardown(() => client.end())
  return client as Client
}

/**
 * Runs `text` as a query object of our own, and returns the last argument of each method that node-postgres called on
 * it.
 */
async function submit(client: Client, name: string, text: string, query_timeout?: number) {
  const calls: Record<string, unknown> = {}
  const record = (method: string) => (argument: unknown) => {
    calls[method] = argument
  }
  await new Promise<void>((resolve) => {
    const callback = (error: unknown) => {
      calls.callback = error
      resolve()
    }
    const query = {
      name,
      text,
      query_timeout,
      callback,
      submit(connection: WireConnection) {
        calls.submit = connection
        connection.parse({ name, text })
        connection.bind({ statement: name, values: [] })
        connection.describe({ type: 'P' })
        connection.execute({})
        connection.sync()
      },
      handleRowDescription: record('handleRowDescription'),
      handleDataRow: record('handleDataRow'),
      handleCommandComplete: record('handleCommandComplete'),
      handleError: (error: unknown) => query.callback(error),
      handleReadyForQuery: () => query.callback(null),
    }
    client.query(query)
    calls.isWrapped = query.callback !== callback
  })
  return calls
}

t.test('the connection of node-postgres has the members that the driver uses', async (t) => {
  const { connection } = await openClient(t)
  t.type(connection, 'object', changed('Client has no `connection`'))
  t.type(connection.stream?.write, 'function', changed('Connection has no `stream.write`'))
  t.type(connection.stream?.destroy, 'function', changed('Connection has no `stream.destroy`'))
  t.type(connection.parse, 'function', changed('Connection has no `parse` method'))
  t.strictSame(connection.parsedStatements, {}, changed('Connection has no `parsedStatements` object'))
})

t.test('node-postgres hands the messages of Postgres to a query object', async (t) => {
  const client = await openClient(t)
  const { connection } = client
  const calls = await submit(client, 'typed', `select 'a' as word, null::integer as count`)
  t.equal(calls.submit, connection, changed('`submit` does not get the connection'))
  t.match(
    calls.handleRowDescription,
    {
      fields: [
        { name: 'word', dataTypeID: 25 },
        { name: 'count', dataTypeID: 23 },
      ],
    },
    changed('`handleRowDescription` does not get `fields` with `name` and `dataTypeID`'),
  )
  t.strictSame(
    (calls.handleDataRow as { fields: unknown }).fields,
    ['a', null],
    changed('`handleDataRow` does not get `fields` with texts and nulls'),
  )
  t.ok('handleCommandComplete' in calls, changed('`handleCommandComplete` is not called'))
  t.equal(calls.callback, null, changed('`handleReadyForQuery` is not called'))
  t.equal(
    connection.parsedStatements.typed,
    `select 'a' as word, null::integer as count`,
    changed('`parsedStatements` does not hold the text of a parsed statement by its name'),
  )
  const failed = await submit(client, 'failing', 'select 1 / 0')
  t.match(
    failed.callback,
    { severity: 'ERROR', code: SQLSTATE.DIVISION_BY_ZERO },
    changed('`handleError` does not get the error of Postgres'),
  )
})

t.test('node-postgres applies `query_timeout` of a query object by wrapping its callback', async (t) => {
  const client = await openClient(t)
  const { isWrapped, callback } = await submit(client, '', 'select pg_sleep(600)', 50)
  t.equal(isWrapped, true, changed('`callback` is not wrapped'))
  t.equal(
    (callback as Error).message,
    QUERY_READ_TIMEOUT,
    changed('the error of `query_timeout` has another message: see db/unavailable.ts'),
  )
})

t.test('the pool drops a connection that is ending', async (t) => {
  const pool = new pg.Pool({ connectionString: await createDatabase(t) })
  t.teardown(() => pool.end())
  const client = (await pool.connect()) as pg.PoolClient & Client
  t.equal(client._ending, false, changed('Client has no `_ending`'))
  const ended = client.end()
  t.equal(client._ending, true, changed('`_ending` is not set by `end`'))
  client.release()
  t.equal(pool.totalCount, 0, changed('the pool keeps a connection that is ending'))
  // Otherwise the connection may still be open when its database is dropped.
  await ended
})

t.test('errors of a lost connection have the messages that db/unavailable.ts knows', async (t) => {
  const isKnown = async (what: string, outcome: Promise<unknown>) => {
    const error = await outcome.then(
      () => new Error('no error'),
      (error: Error) => error,
    )
    t.ok(isDatabaseUnavailable(error), changed(`${what} has an unknown message: ${error.message}`))
  }
  const cutOff = await openClient(t)
  const running = cutOff.query('select pg_sleep(600)')
  cutOff.connection.stream.destroy()
  await isKnown('a connection that closes during a statement', running)
  const broken = await openClient(t)
  broken.connection.stream.destroy(new Error('broken'))
  await new Promise((resolve) => broken.once('end', resolve))
  await isKnown('a statement on a broken connection', broken.query('select 1'))
  const ended = await openClient(t)
  await ended.end()
  await isKnown('a statement on an ended connection', ended.query('select 1'))
})
