import { sql } from 'kysely'
import t from 'tap'
import { SQLSTATE } from '../../db/sqlstate.ts'
import {
  assertOneResponse,
  createKeyedWorld,
  type KeyedReply,
  sendWithKey,
  withKeysLocked,
} from '../helpers/idempotency.ts'
import { until, untilBlocked } from '../helpers/until.ts'
import { filesIn, form, isClean, jpeg } from '../helpers/upload.ts'

/** A request that waits too long for a connection is a 503, and is repeated. */
const sendUntilServed = (send: () => Promise<KeyedReply>) =>
  until('the request is served', send, { isMet: ({ status }) => status !== 503 })

t.test('of two concurrent requests, the second waits for the first and gets its response', async (t) => {
  const { db, create, posts } = await createKeyedWorld(t)
  let both: Promise<KeyedReply>[] = []
  await withKeysLocked(db, async () => {
    both = [create()]
    await untilBlocked(db)
    // The second is not part of the statement of the first.
    both.push(create())
    await untilBlocked(db, { count: 2 })
  })
  assertOneResponse(t, await Promise.all(both))
  t.equal((await posts()).length, 1)
})

t.test('of two concurrent requests with different bodies, one is a 409', async (t) => {
  const { db, create, posts } = await createKeyedWorld(t)
  let both: Promise<KeyedReply>[] = []
  await withKeysLocked(db, async () => {
    both = [create({ caption: 'one' })]
    await untilBlocked(db)
    both.push(create({ caption: 'two' }))
    await untilBlocked(db, { count: 2 })
  })
  t.strictSame((await Promise.all(both)).map(({ status }) => status).sort(), [201, 409])
  t.equal((await posts()).length, 1)
})

t.test('of twenty concurrent requests, one creates', async (t) => {
  const { app, ada, create, posts, db, mediaDir } = await createKeyedWorld(t)
  const twenty = (send: () => Promise<KeyedReply>) =>
    Promise.all(Array.from({ length: 20 }, () => sendUntilServed(send)))
  assertOneResponse(t, await twenty(() => create()))
  t.equal((await posts()).length, 1)

  const image = await form([['file', await jpeg()]])
  assertOneResponse(t, await twenty(() => sendWithKey(app, ada, '/media', image, 'image')))
  t.equal((await ada.call('GET', '/media')).body.data.length, 1)
  await until('the files of the others are deleted', () => isClean(db, mediaDir, 1))

  const account = { platform: 'sandbox', credentials: { username: 'ada' } }
  assertOneResponse(t, await twenty(() => sendWithKey(app, ada, '/accounts', account, 'account')))
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 2)
})

t.test('of two concurrent requests with an expired key, one creates', async (t) => {
  const { db, create, posts } = await createKeyedWorld(t)
  await create({ caption: 'one' })
  await sql`update idempotency_keys set created_at = now() - interval '25 hours'`.execute(db)
  let both: Promise<KeyedReply>[] = []
  await withKeysLocked(db, async () => {
    both = [create({ caption: 'two' })]
    await untilBlocked(db)
    // The second is not part of the statement of the first.
    both.push(create({ caption: 'two' }))
    await untilBlocked(db, { count: 2 })
  })
  assertOneResponse(t, await Promise.all(both))
  t.equal((await posts()).length, 2)
})

t.test('of requests that share a statement, each key creates one post', async (t) => {
  const { db, create, posts, storedKeys } = await createKeyedWorld(t)
  await create({}, 'first')
  let replies: Promise<KeyedReply>[] = []
  await withKeysLocked(db, async () => {
    replies = [sendUntilServed(() => create({}, 'a'))]
    await untilBlocked(db)
    const keys = ['d', 'c', 'd', 'b', 'c', 'd', 'first']
    replies.push(...keys.map((key) => sendUntilServed(() => create({}, key))))
    await untilBlocked(db, { count: 2 })
  })
  const [a, d1, c1, d2, b, c2, d3, first] = (await Promise.all(replies)) as [KeyedReply, ...KeyedReply[]]
  for (const equal of [[a], [b], [c1, c2], [d1, d2, d3]]) assertOneResponse(t, equal as KeyedReply[])
  t.strictSame([first!.status, first!.replayed], [201, 'true'])
  t.equal((await posts()).length, 5)
  t.equal((await storedKeys()).length, 5)
})

t.test(
  'a post is written in one statement with its response, also with files or an account that is not ready',
  async (t) => {
    const { app, db, ada, account, posts } = await createKeyedWorld(t)
    const send = (body: object, query = '') =>
      sendWithKey(app, ada, `/posts${query}`, body, `${JSON.stringify(body).length}${query}`)
    const withFile = { accountIds: [account], mediaIds: [await ada.media()] }
    const unready = { accountIds: [account, await ada.account('x')] }
    for (const sent of [
      () => send(withFile),
      () => send(unready),
      () => send({ accountIds: [account] }, '?strict=true'),
    ]) {
      let reply: Promise<KeyedReply> | undefined
      await withKeysLocked(db, async () => {
        reply = sent()
        const [pid] = await untilBlocked(db)
        const { rows } = await sql`
        select query_start = xact_start as is_alone from pg_stat_activity where pid = ${pid}`.execute(db)
        t.strictSame(rows, [{ isAlone: true }])
      })
      assertOneResponse(t, [(await reply)!, await sent()])
    }
    t.equal((await posts()).length, 3)
  },
)

t.test('a connection that dies before the key is stored leaves nothing, and the key still works', async (t) => {
  const { db, create, posts, storedKeys } = await createKeyedWorld(t)
  await withKeysLocked(db, async () => {
    const lost = create()
    const [pid] = await untilBlocked(db)
    await sql`select pg_terminate_backend(${pid})`.execute(db)
    const { status, body } = await lost
    t.strictSame([status, body], [503, { error: 'Database not available' }])
  })
  t.strictSame([await posts(), await storedKeys()], [[], []])
  assertOneResponse(t, [await create(), await create()])
  t.equal((await posts()).length, 1)
})

t.test('a conflicting transaction is retried as a whole, up to three times', async (t) => {
  const { db, create, posts, storedKeys } = await createKeyedWorld(t)
  // A rollback does not reset a sequence.
  await sql`create sequence tries`.execute(db)
  await sql`
    create function fail() returns trigger language plpgsql as $$ begin
      if nextval('tries') <= 3 then raise exception 'conflict' using errcode = tg_argv[0]; end if;
      return new;
    end $$`.execute(db)
  for (const [count, code] of [SQLSTATE.SERIALIZATION_FAILURE, SQLSTATE.DEADLOCK_DETECTED].entries()) {
    await sql`select setval('tries', 1, false)`.execute(db)
    await sql`create trigger fail before insert on idempotency_keys for each row execute function fail(${sql.lit(code)})`.execute(
      db,
    )
    assertOneResponse(t, [await create({}, code), await create({}, code)])
    t.strictSame([(await posts()).length, (await storedKeys()).length], [count + 1, count + 1])
    await sql`select setval('tries', 1, false)`.execute(db)
    await sql`drop trigger fail on idempotency_keys`.execute(db)
  }
  await sql`create trigger fail before insert on idempotency_keys for each row execute function fail(${sql.lit(SQLSTATE.SERIALIZATION_FAILURE)})`.execute(
    db,
  )
  await sql`alter sequence tries maxvalue 9 minvalue -9 restart -1`.execute(db)
  t.equal((await create()).status, 500)
  t.strictSame([(await posts()).length, (await storedKeys()).length], [2, 2])
})

t.test('a file that is deleted while its post is written is a 403', async (t) => {
  const { db, ada, create, posts } = await createKeyedWorld(t)
  const mediaIds = [await ada.media()]
  let creating: Promise<KeyedReply> | undefined
  await db.transaction().execute(async (transaction) => {
    await sql`delete from media where id = ${mediaIds[0]}`.execute(transaction)
    creating = create({ mediaIds })
    await untilBlocked(db)
  })
  const { status, body } = await creating!
  t.strictSame([status, body.error], [403, `You have no access to these mediaIds: ${mediaIds[0]}`])
  t.strictSame(await posts(), [])
})

t.test('of two concurrent uploads, the second deletes its file', async (t) => {
  const { app, ada, db, mediaDir } = await createKeyedWorld(t)
  const image = await form([['file', await jpeg()]])
  let both: Promise<KeyedReply>[] = []
  await withKeysLocked(db, async () => {
    both = [sendWithKey(app, ada, '/media', image), sendWithKey(app, ada, '/media', image)]
    await untilBlocked(db, { count: 2 })
  })
  assertOneResponse(t, await Promise.all(both))
  await until('one file is left', () => isClean(db, mediaDir, 1))
})

t.test('a connection that dies while a file is added leaves no bytes, and the key still works', async (t) => {
  const { app, ada, db, mediaDir, storedKeys } = await createKeyedWorld(t)
  const image = await form([['file', await jpeg()]])
  await withKeysLocked(db, async () => {
    const lost = sendWithKey(app, ada, '/media', image)
    const [pid] = await untilBlocked(db)
    await sql`select pg_terminate_backend(${pid})`.execute(db)
    t.equal((await lost).status, 503)
  })
  await until('no file is left', () => isClean(db, mediaDir, 0))
  t.strictSame([(await ada.call('GET', '/media')).body.data, await storedKeys()], [[], []])
  assertOneResponse(t, [await sendWithKey(app, ada, '/media', image), await sendWithKey(app, ada, '/media', image)])
  t.equal((await filesIn(mediaDir)).length, 1)
})
