import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { disconnectAccount } from '../../db/queries/accounts.ts'
import { sweepIdempotencyKeys } from '../../db/queries/idempotency.ts'
import { SQLSTATE } from '../../db/sqlstate.ts'
import { buildApp } from '../../src/app.ts'
import { createKeyring } from '../../src/credentials/keyring.ts'
import { work } from '../../src/delivery/worker-loop.ts'
import { canonicalJson, sendOutcome, withIdempotencyKey } from '../../src/http/idempotency-key.ts'
import { PublishError, type Publishing } from '../../src/platforms/adapter.ts'
import type { Networks } from '../../src/platforms/adapters.ts'
import { createWorld, mediaOptions, type Options, type Person } from '../helpers/app.ts'
import { createDesk, noLog } from '../helpers/publisher.ts'
import { filesIn, form, isClean, jpeg, until } from '../helpers/upload.ts'

const KEY = '6f1c3f0e-5a7d-4a57-9c0b-3f1f6f0d9b11'

interface Answer {
  status: number
  type: unknown
  /** As it was sent. */
  text: string
  body: { id: string; error?: string; details?: unknown[] }
  replayed: unknown
}

/** Sends a request that creates something under `key`; a body that is no Buffer goes as JSON. */
async function send(
  app: FastifyInstance,
  { key: apiKey }: Pick<Person, 'key'>,
  path: string,
  body: object | { type: string; body: Buffer },
  key: string | string[] | undefined = KEY,
): Promise<Answer> {
  const isForm = 'type' in body && 'body' in body
  const reply = await app.inject({
    method: 'POST',
    url: `/api/v1${path}`,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': isForm ? (body.type as string) : 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    payload: isForm ? (body.body as Buffer) : JSON.stringify(body),
  })
  const { statusCode: status, payload: text, headers } = reply
  const { 'content-type': type, 'idempotent-replayed': replayed } = headers
  return { status, type, text, body: reply.json(), replayed }
}

/** A user with an account, and how they write posts. */
async function createScene(t: Test, options: Options = {}) {
  const world = await createWorld(t, { poolMax: 8, ...options })
  const ada = await world.user()
  const account = await ada.account()
  const create = (body: object = {}, key?: string) =>
    send(world.app, ada, '/posts', { accountIds: [account], ...body }, key)
  const posts = () => world.db.selectFrom('posts').select('id').execute()
  const kept = () => world.db.selectFrom('idempotencyKeys').selectAll().execute()
  return { ...world, ada, account, create, posts, kept }
}

/** Keeps new keys from being written while `meanwhile` runs; they can be looked for. */
async function withKeysHeld(db: Db, meanwhile: () => Promise<void>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`lock table idempotency_keys in share mode`.execute(transaction)
    await meanwhile()
  })
}

/** Waits until `count` connections wait for a lock, and gives their backends. */
async function waiting(db: Db, count = 1): Promise<number[]> {
  for (;;) {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    if (rows.length >= count) return rows.map(({ pid }) => pid)
    await sleep(10)
  }
}

/** All of them are one answer, given once and repeated to the others. */
function sameAnswer(t: Test, answers: Answer[], status = 201): void {
  const [{ text }] = answers as [Answer]
  const type = 'application/json; charset=utf-8'
  for (const answer of answers) t.strictSame([answer.status, answer.type, answer.text], [status, type, text])
  t.strictSame(
    answers.map(({ replayed }) => replayed).sort(),
    [...answers.slice(1).map(() => 'true'), undefined],
    'all but one are marked',
  )
}

t.test('a post that is sent again under its key is written once, and answered by the same bytes', async (t) => {
  const { create, posts } = await createScene(t)
  const body = { caption: 'hello', scheduledAt: '2030-01-01T00:00:00Z' }
  sameAnswer(t, [await create(body), await create(body), await create({ postType: 'post', ...body, mediaIds: [] })])
  t.equal((await posts()).length, 1, 'the order of keys and what is left to its default do not matter')
})

t.test('without a key, everything is as before', async (t) => {
  const { app, ada, account, posts, kept } = await createScene(t)
  const body = { accountIds: [account] }
  const reply = () =>
    app.inject({ method: 'POST', url: '/api/v1/posts', headers: { authorization: `Bearer ${ada.key}` }, payload: body })
  t.equal((await reply()).statusCode, 201)
  t.equal((await reply()).headers['idempotent-replayed'], undefined)
  t.strictSame([(await posts()).length, await kept()], [2, []])
})

t.test('a key that comes with another body, or at another operation, is refused', async (t) => {
  const { app, ada, create, posts } = await createScene(t)
  const first = await create({ caption: 'one' })
  const refused = [
    await create({ caption: 'two' }),
    await create({ caption: 'one', accountOverrides: [], firstComment: 'a' }),
    await send(app, ada, '/media/import', { url: 'http://127.0.0.1/a' }),
    await send(app, ada, '/accounts', { platform: 'sandbox', credentials: { username: 'ada' } }),
    await send(app, ada, '/media', await form([['file', await jpeg()]])),
  ]
  for (const { status, text, replayed } of refused) {
    t.equal(status, 409)
    t.strictSame(JSON.parse(text), { error: 'This Idempotency-Key was already used for another request' })
    t.equal(replayed, undefined)
  }
  t.same(await posts(), [{ id: first.body.id }])
  t.equal((await ada.call('GET', '/media')).body.data.length, 0)
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 1)
})

t.test('a key belongs to one operation, also where two of them take the same body', async (t) => {
  const { app, db, ada } = await createScene(t)
  const body = Type.Object({ caption: Type.String() })
  const response = { 201: Type.Object({ id: Type.String() }) }
  for (const operationId of ['createOne', 'createOther']) {
    app.post(`/api/v1/${operationId}`, { schema: { operationId, body, response } }, async (request, reply) => {
      request.userId = ada.id
      const outcome = await withIdempotencyKey(db, reply, {
        identities: [request.body],
        commit: async () => operationId,
        toResponse: (id) => ({ status: 201, body: { id } }),
      })
      return sendOutcome(reply, outcome)
    })
  }
  const ask = (operationId: string) => send(app, ada, `/${operationId}`, { caption: 'one' })
  sameAnswer(t, [await ask('createOne'), await ask('createOne')])
  t.equal((await ask('createOther')).status, 409)
})

t.test('what is no key is refused before anything is done', async (t) => {
  const { app, ada, account, posts, kept } = await createScene(t)
  const image = await form([['file', await jpeg()]])
  const requests: [path: string, body: object][] = [
    ['/posts', { accountIds: [account] }],
    ['/accounts', { platform: 'sandbox', credentials: { username: 'ada' } }],
    ['/media', image],
    ['/media/import', { url: 'http://127.0.0.1/a' }],
  ]
  for (const [path, body] of requests) {
    for (const key of ['', ' ', 'a b', 'a\tb', 'é', '\x7f', 'a'.repeat(256), ['a', 'b']]) {
      const { status, body: answer } = await send(app, ada, path, body, key)
      t.equal(status, 400, `${path} ${key}`)
      t.strictSame(answer, {
        error: 'Invalid request',
        details: [
          {
            code: 'invalid_string',
            validation: 'regex',
            path: ['Idempotency-Key'],
            message: 'Must be 1 to 255 visible ASCII characters',
          },
        ],
      })
    }
  }
  t.strictSame([await posts(), await kept()], [[], []])
  for (const key of ['!', '~', 'a'.repeat(255), `"a,b";'--\\`]) {
    sameAnswer(t, [await send(app, ada, ...requests[0]!, key), await send(app, ada, ...requests[0]!, key)])
  }
})

t.test('of two at once, the second waits for the first and gets its answer', async (t) => {
  const { db, create, posts } = await createScene(t)
  let both: Promise<Answer>[] = []
  await withKeysHeld(db, async () => {
    both = [create(), create()]
    await waiting(db, 2)
  })
  sameAnswer(t, await Promise.all(both))
  t.equal((await posts()).length, 1)
})

t.test('of two at once with different bodies, one is refused', async (t) => {
  const { db, create, posts } = await createScene(t)
  let both: Promise<Answer>[] = []
  await withKeysHeld(db, async () => {
    both = [create({ caption: 'one' }), create({ caption: 'two' })]
    await waiting(db, 2)
  })
  t.strictSame((await Promise.all(both)).map(({ status }) => status).sort(), [201, 409])
  t.equal((await posts()).length, 1)
})

t.test('of twenty at once, one does it', async (t) => {
  const { app, ada, create, posts, db, mediaDir } = await createScene(t)
  // Who has to wait for a connection for too long is told to try again, and does.
  const persistent = async (ask: () => Promise<Answer>): Promise<Answer> => {
    const answer = await ask()
    return answer.status === 503 ? persistent(ask) : answer
  }
  const twenty = (ask: () => Promise<Answer>) => Promise.all(Array.from({ length: 20 }, () => persistent(ask)))
  sameAnswer(t, await twenty(() => create()))
  t.equal((await posts()).length, 1)

  const image = await form([['file', await jpeg()]])
  sameAnswer(t, await twenty(() => send(app, ada, '/media', image, 'image')))
  t.equal((await ada.call('GET', '/media')).body.data.length, 1)
  t.ok(await until(() => isClean(db, mediaDir, 1)), 'what the others brought is gone')

  const account = { platform: 'sandbox', credentials: { username: 'ada' } }
  sameAnswer(t, await twenty(() => send(app, ada, '/accounts', account, 'account')))
  t.equal((await ada.call('GET', '/accounts')).body.data.length, 2)
})

t.test('keys belong to a user', async (t) => {
  const { app, create, user, posts } = await createScene(t)
  const bob = await user()
  const first = await create()
  const other = await send(app, bob, '/posts', { accountIds: [await bob.account()] })
  t.strictSame([other.status, other.replayed], [201, undefined])
  t.not(other.body.id, first.body.id)
  t.equal((await posts()).length, 2)
})

t.test('what was refused or failed leaves the key free for the corrected request', async (t) => {
  const { db, create, posts, kept } = await createScene(t)
  for (const body of [
    { caption: 5 },
    { caption: 'a'.repeat(1_000) },
    { accountIds: ['0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'] },
  ]) {
    t.match((await create(body)).status, /^40[03]$/)
  }
  await sql`alter table post_targets rename to away`.execute(db)
  t.equal((await create()).status, 500)
  await sql`alter table away rename to post_targets`.execute(db)
  t.strictSame([await posts(), await kept()], [[], []])
  const corrected = await create()
  t.strictSame([corrected.status, corrected.replayed], [201, undefined])
})

t.test('a replay is judged by nothing that has changed since', async (t) => {
  const { db, account, create, ada } = await createScene(t)
  const first = await create({ caption: 'hello' })
  await ada.call('DELETE', `/posts/${first.body.id}`)
  await disconnectAccount(db, account)
  sameAnswer(t, [first, await create({ caption: 'hello' })])
  t.equal((await create({}, 'other')).status, 403, 'a new one is judged')
})

t.test('after 24 hours a key is as good as new', async (t) => {
  const { db, create, posts, kept } = await createScene(t)
  const first = await create({ caption: 'one' })
  const age = (hours: number) =>
    sql`update idempotency_keys set created_at = now() - make_interval(hours => ${hours})`.execute(db)
  await age(23)
  sameAnswer(t, [first, await create({ caption: 'one' })])
  await age(25)
  const second = await create({ caption: 'two' })
  t.strictSame([second.status, second.replayed], [201, undefined])
  sameAnswer(t, [second, await create({ caption: 'two' })])
  t.equal((await create({ caption: 'one' })).status, 409)
  t.strictSame([(await posts()).length, (await kept()).length], [2, 1])
})

t.test('of two at once on a key that has expired, one does it', async (t) => {
  const { db, create, posts } = await createScene(t)
  await create({ caption: 'one' })
  await sql`update idempotency_keys set created_at = now() - interval '25 hours'`.execute(db)
  let both: Promise<Answer>[] = []
  await withKeysHeld(db, async () => {
    both = [create({ caption: 'two' }), create({ caption: 'two' })]
    await waiting(db, 2)
  })
  sameAnswer(t, await Promise.all(both))
  t.equal((await posts()).length, 2)
})

t.test('a worker removes the keys that are too old, and no others', async (t) => {
  const { db, ada, app, publisher } = await createDesk(t, {})
  const account = await ada.account()
  const fresh = await send(app, ada, '/posts', { accountIds: [account] })
  await sql`
    insert into idempotency_keys (user_id, key, request_hash, status, body, created_at)
    select ${ada.id}::uuid, 'old ' || n, '', 201, '{}', now() - interval '25 hours'
    from generate_series(1, 2500) n`.execute(db)
  t.equal(await sweepIdempotencyKeys(db), 1_000, 'so many at a time')
  const { promise: stop, resolve } = Promise.withResolvers<void>()
  const working = work(publisher(), noLog, stop, () => sweepIdempotencyKeys(db))
  const rows = () => db.selectFrom('idempotencyKeys').select('key').execute()
  t.ok(await until(async () => (await rows()).length === 1))
  resolve()
  await working
  sameAnswer(t, [fresh, await send(app, ada, '/posts', { accountIds: [account] })])
})

t.test('a connection that dies before the key is kept leaves nothing, and the same key works', async (t) => {
  const { db, create, posts, kept } = await createScene(t)
  await withKeysHeld(db, async () => {
    const lost = create()
    const [pid] = await waiting(db)
    await sql`select pg_terminate_backend(${pid})`.execute(db)
    const { status, body } = await lost
    t.strictSame([status, body], [503, { error: 'Database not available' }])
  })
  t.strictSame([await posts(), await kept()], [[], []])
  sameAnswer(t, [await create(), await create()])
  t.equal((await posts()).length, 1)
})

t.test('a transaction that gets in the way of another is tried again as a whole, three times at most', async (t) => {
  const { db, create, posts, kept } = await createScene(t)
  // A sequence does not go back with what is undone.
  await sql`create sequence tries`.execute(db)
  await sql`
    create function fail() returns trigger language plpgsql as $$ begin
      if nextval('tries') <= 3 then raise exception 'in the way' using errcode = tg_argv[0]; end if;
      return new;
    end $$`.execute(db)
  for (const [count, code] of [SQLSTATE.SERIALIZATION_FAILURE, SQLSTATE.DEADLOCK_DETECTED].entries()) {
    await sql`select setval('tries', 1, false)`.execute(db)
    await sql`create trigger fail before insert on idempotency_keys for each row execute function fail(${sql.lit(code)})`.execute(
      db,
    )
    sameAnswer(t, [await create({}, code), await create({}, code)])
    t.strictSame([(await posts()).length, (await kept()).length], [count + 1, count + 1])
    await sql`select setval('tries', 1, false)`.execute(db)
    await sql`drop trigger fail on idempotency_keys`.execute(db)
  }
  await sql`create trigger fail before insert on idempotency_keys for each row execute function fail(${sql.lit(SQLSTATE.SERIALIZATION_FAILURE)})`.execute(
    db,
  )
  await sql`alter sequence tries maxvalue 9 minvalue -9 restart -1`.execute(db)
  t.equal((await create()).status, 500)
  t.strictSame([(await posts()).length, (await kept()).length], [2, 2])
})

t.test('a file that is deleted while its post is written is one that the user does not have', async (t) => {
  const { db, ada, create, posts } = await createScene(t)
  const mediaIds = [await ada.media()]
  let creating: Promise<Answer> | undefined
  await db.transaction().execute(async (transaction) => {
    await sql`delete from media where id = ${mediaIds[0]}`.execute(transaction)
    creating = create({ mediaIds })
    await waiting(db)
  })
  const { status, body } = await creating!
  t.match([status, body.error], [403, RegExp(`mediaIds: ${mediaIds[0]}`)])
  t.strictSame(await posts(), [])
})

/** The network `sandbox`, whose word is what `identify` says. */
const pretending = (identify: Publishing['identify']) => ({ sandbox: { identify } as Publishing }) as Networks

t.test(
  'a connected account is answered again without asking its network, and the key opens no credentials',
  async (t) => {
    let asked = 0
    const [old, next] = [randomBytes(32), randomBytes(32)]
    const networks = pretending(async () => {
      asked++
      return { externalId: '1', username: `ada${asked}`, displayName: null }
    })
    const world = await createScene(t, { networks, keyring: createKeyring([old]) })
    const { app, db, ada, kept, mediaDir } = world
    const body = { platform: 'sandbox', credentials: { username: 'ada', token: 'secret' } }
    const first = await send(app, ada, '/accounts', body)
    sameAnswer(t, [first, await send(app, ada, '/accounts', body)])
    t.equal(asked, 1)
    const other = { ...body, credentials: { ...body.credentials, token: 'guess' } }
    t.equal((await send(app, ada, '/accounts', other)).status, 409, 'other credentials are another body')

    const [row] = await kept()
    const plain = createHash('sha256')
      .update(canonicalJson(['connectAccount', body]))
      .digest()
    t.notOk(row!.requestHash.equals(plain), 'who reads the database cannot try out what they were')

    await ada.call('DELETE', `/accounts/${first.body.id}`)
    const renewed = await buildApp({
      ...{ db, networks, logger: false, corsOrigins: [], media: mediaOptions(mediaDir), fetch: world.fetch },
      keyring: createKeyring([next, old]),
    })
    t.teardown(() => renewed.close())
    sameAnswer(t, [first, await send(renewed, ada, '/accounts', body)])
    t.equal(asked, 1, 'nor after the account was disconnected and the key of the credentials changed')

    const again = await send(app, ada, '/accounts', body, 'other')
    t.equal(again.status, 201)
    const known = await send(app, ada, '/accounts', body, 'third')
    sameAnswer(t, [known, await send(app, ada, '/accounts', body, 'third')], 200)
  },
)

t.test('whoever is refused because the same request has come before gets its answer', async (t) => {
  const body = { platform: 'sandbox', credentials: { username: 'ada' } }
  let asked = 0
  let first: Answer | undefined
  const networks = pretending(async () => {
    if (asked++ > 0) return { externalId: '1', username: 'ada', displayName: null }
    first = await send(world.app, world.ada, '/accounts', body)
    throw new PublishError('good for once', { code: 'unauthorized', maybeSent: false, retryable: false })
  })
  const world = await createScene(t, { networks })
  const second = await send(world.app, world.ada, '/accounts', body)
  sameAnswer(t, [first!, second])
})

t.test('a file is uploaded once, whatever its form looks like', async (t) => {
  const { app, ada, db, mediaDir, kept } = await createScene(t)
  const [image, other] = [await jpeg(), await jpeg(50)]
  const upload = async (...parts: [name: string, value: Uint8Array | string][]) =>
    send(app, ada, '/media', await form(parts))
  t.equal((await upload(['altText', 'a'])).status, 400)
  const first = await upload(['file', image], ['altText', 'a'])
  sameAnswer(t, [first, await upload(['altText', 'a'], ['file', image])])
  t.equal((await upload(['file', image], ['altText', 'b'])).status, 409)
  t.equal((await upload(['file', other], ['altText', 'a'])).status, 409)
  t.ok(await until(() => isClean(db, mediaDir, 1)), 'of the others nothing is left')

  await ada.call('DELETE', `/media/${first.body.id}`)
  sameAnswer(t, [first, await upload(['file', image], ['altText', 'a'])])
  t.ok(await until(() => isClean(db, mediaDir, 0)), 'a replay brings nothing back')
  t.equal((await kept()).length, 1)

  const fresh = await send(app, ada, '/media', await form([['file', image]]), 'fresh')
  const known = async () => send(app, ada, '/media', await form([['file', image]]), 'known')
  t.equal(fresh.status, 201)
  sameAnswer(t, [await known(), await known()], 200)
})

t.test('of two uploads of one file at once, the second throws away what it brought', async (t) => {
  const { app, ada, db, mediaDir } = await createScene(t)
  const image = await form([['file', await jpeg()]])
  let both: Promise<Answer>[] = []
  await withKeysHeld(db, async () => {
    both = [send(app, ada, '/media', image), send(app, ada, '/media', image)]
    await waiting(db, 2)
  })
  sameAnswer(t, await Promise.all(both))
  t.ok(await until(() => isClean(db, mediaDir, 1)))
})

t.test('a connection that dies while a file is added leaves no bytes, and the same key works', async (t) => {
  const { app, ada, db, mediaDir, kept } = await createScene(t)
  const image = await form([['file', await jpeg()]])
  await withKeysHeld(db, async () => {
    const lost = send(app, ada, '/media', image)
    const [pid] = await waiting(db)
    await sql`select pg_terminate_backend(${pid})`.execute(db)
    t.equal((await lost).status, 503)
  })
  t.ok(await until(() => isClean(db, mediaDir, 0)))
  t.strictSame([(await ada.call('GET', '/media')).body.data, await kept()], [[], []])
  sameAnswer(t, [await send(app, ada, '/media', image), await send(app, ada, '/media', image)])
  t.equal((await filesIn(mediaDir)).length, 1)
})

t.test('a file is fetched once', async (t) => {
  let fetched = 0
  const image = await jpeg()
  const fetchFile = async () => {
    fetched++
    return Readable.from([image])
  }
  const { app, ada } = await createScene(t, { media: { fetchFile } })
  const url = 'https://www.example.com/lighthouse.jpg'
  const add = (body: object = {}) => send(app, ada, '/media/import', { url, ...body })
  sameAnswer(t, [await add(), await add(), await add()])
  t.equal((await add({ altText: 'a' })).status, 409)
  t.equal(fetched, 1)
})
