import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import t from 'tap'
import { newId } from '../../db/id.ts'
import { SQLSTATE } from '../../db/sqlstate.ts'
import { fail } from '../../src/base/errors.ts'
import { logFailure } from '../../src/base/http/log-failure.ts'
import { keepLongStacks, serializeError } from '../../src/run/runtime/logging.ts'
import { call } from '../helpers/app.ts'
import { assertUnavailable, startService, startServiceWithPerson, withTableLocked } from '../helpers/service.ts'
import { until, untilBlocked } from '../helpers/until.ts'

t.test('an unexpected database error is an opaque 500, and is logged', async (t) => {
  const { send, create, admin, log } = await startServiceWithPerson(t)
  t.equal((await create()).status, 201)
  await sql`alter table posts rename to gone`.execute(admin)
  t.strictSame(await send('GET', '/posts'), { status: 500, body: { error: 'Internal server error' } })
  t.strictSame(await send('DELETE', `/posts/${newId()}`), { status: 500, body: { error: 'Internal server error' } })
  t.strictSame(await create(), { status: 500, body: { error: 'Failed to create post' } })
  const failures = log.filter((line) => line.includes('request failed')).map((line) => JSON.parse(line))
  t.match(
    failures,
    Array(3).fill({ level: 50, reqId: String, err: { code: SQLSTATE.UNDEFINED_TABLE, severity: 'ERROR' } }),
  )
})

t.test('the log never contains an API key or a caption', async (t) => {
  const { stackTraceLimit } = Error
  t.teardown(async () => {
    Error.stackTraceLimit = stackTraceLimit
  })
  keepLongStacks()
  const { app, create, send, admin, log, key, account, url } = await startServiceWithPerson(t)
  const SECRET = 'the launch is on friday'
  const caption = `${SECRET}\n    at ${SECRET}`
  t.equal((await create(caption)).status, 201)
  await send('POST', '/posts', { accountIds: [account], firstComment: caption, postType: SECRET, [SECRET]: 1 })
  await send('POST', '/posts', `{"caption":"${SECRET}`)
  await send('POST', '/posts', { accountIds: [SECRET] })
  await send('GET', `/posts?key=${key}&caption=${encodeURIComponent(SECRET)}`)
  await call(app, `${key}x`, 'GET', '/posts')

  // Postgres quotes the rejected row in its error, and the message of a trigger.
  await sql`alter table posts add constraint never check (false) not valid`.execute(admin)
  t.equal((await create(caption)).status, 500)
  await sql`alter table posts drop constraint never`.execute(admin)
  await sql`create function refuse() returns trigger language plpgsql as $$ begin
    raise exception 'not %', new.caption using detail = new.caption, hint = new.caption; end $$`.execute(admin)
  await sql`create trigger refuse before insert on posts for each row execute function refuse()`.execute(admin)
  t.equal((await create(caption)).status, 500)
  await sql`drop trigger refuse on posts`.execute(admin)

  const { send: sendReadOnly, log: other } = await startService(
    t,
    `${url}${url.includes('?') ? '&' : '?'}options=-c%20default_transaction_read_only=on`,
  )
  t.equal((await sendReadOnly(key, 'POST', '/posts', { accountIds: [account], caption })).status, 503)
  await withTableLocked(admin, 'posts', async () => {
    const reply = create(caption)
    for (const pid of await untilBlocked(admin)) await sql`select pg_terminate_backend(${pid})`.execute(admin)
    assertUnavailable(t, await reply, 'terminated')
  })

  const text = [...log, ...other].join('')
  t.notMatch(text, /friday/, 'no caption')
  t.notOk(text.includes(key) || text.includes(encodeURIComponent(SECRET)), 'no key, no query')
  const failures = [...log, ...other].map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request failed')
  t.strictSame(
    failures.map(({ err }) => err.code),
    [SQLSTATE.CHECK_VIOLATION, SQLSTATE.RAISE_EXCEPTION, SQLSTATE.ADMIN_SHUTDOWN, SQLSTATE.READ_ONLY_SQL_TRANSACTION],
    'the log has the cause of each failure',
  )
  for (const { err } of failures)
    t.match(err.stack, /^\n {4}at .*src\/features\/posts\/\w+\.ts:\d+/s, 'with the line of the code')
})

t.test('requests that fail for one reason have a line a second, with their count', async (t) => {
  const { key, account, url } = await startServiceWithPerson(t)
  const { send, log } = await startService(
    t,
    `${url}${url.includes('?') ? '&' : '?'}options=-c%20default_transaction_read_only=on`,
  )
  const create = () => send(key, 'POST', '/posts', { accountIds: [account] })
  const replies = await Promise.all(Array.from({ length: 30 }, create))
  t.strictSame([...new Set(replies.map(({ status }) => status))], [503])
  const counts = () =>
    log.map((line) => JSON.parse(line)).flatMap(({ msg, count = 1 }) => (/^requests? failed$/.test(msg) ? [count] : []))
  const all = await until('each request is counted', counts, {
    isMet: (counts) => counts.reduce((sum, count) => sum + count, 0) === 30,
  })
  t.ok(all.length < 30, `${all.length} lines`)
})

t.test('a request that the service itself refuses is logged without a stack', async (t) => {
  const lines: object[] = []
  const log = { error: (facts: object) => lines.push(facts) }
  const request = { id: 'a', log } as unknown as FastifyRequest
  for (let count = 0; count < 30; count++) logFailure(request, fail('service_busy'), 'service_busy')
  const refused = {
    reqId: 'a',
    errorCode: 'service_busy',
    reason: 'Too many large requests at a time: send it again in a second',
  }
  // The timer of the second line does not keep a process running.
  const isRunning = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(isRunning))
  await until('both lines are there', () => lines.length === 2)
  t.strictSame(lines, [refused, { ...refused, count: 29 }])
})

t.test('errors of JavaScript are logged with their message', async (t) => {
  t.match(serializeError(new TypeError('x is not a function')), {
    type: 'TypeError',
    message: 'x is not a function',
    stack: /^TypeError: x is not a function\n {4}at /,
  })
})
