import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Conflict, RateLimited } from '../../src/clients/sdk/index.ts'
import { type Answer, scriptService } from '../helpers/scripted-service.ts'
import { until } from '../helpers/until.ts'

const created: Answer = { status: 201, body: { id: 'a', status: 'draft' } }
const failed = { status: 500, body: { error: 'Failed to create post' } }
const lost = (response: ServerResponse) => response.socket!.destroy()
const post = { accountIds: ['a'] }

t.test('a create is repeated after a lost response and a 5xx, with one key for the call', async (t) => {
  const { client, seen } = await scriptService(t, [lost, failed, created])
  t.strictSame(await client.posts.create(post), { id: 'a', status: 'draft' })
  t.equal(seen.length, 3)
  t.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1)
  t.strictSame(
    seen.map(({ body }) => body),
    Array(3).fill(JSON.stringify(post)),
  )
  await client.posts.create(post)
  t.not(seen[3]!.headers['idempotency-key'], seen[0]!.headers['idempotency-key'], 'another call has another key')
  await client.posts.create(post, { idempotencyKey: 'order-4711' })
  t.equal(seen[4]!.headers['idempotency-key'], 'order-4711')
})

t.test('a call ends with its last error after maxRetries', async (t) => {
  const { client, seen } = await scriptService(t, [failed], { maxRetries: 1 })
  await t.rejects(client.posts.create(post), {
    name: 'ServerError',
    message: 'Failed to create post',
    status: 500,
  })
  t.equal(seen.length, 2)
  await t.rejects(client.posts.create(post, { maxRetries: 0 }), { name: 'ServerError' })
  t.equal(seen.length, 3)
})

t.test('an attempt waits at least for Retry-After', async (t) => {
  const limited = { status: 429, headers: { 'retry-after': '1' }, body: { error: 'Too many requests' } }
  const unavailable = { status: 503, headers: { 'retry-after': '1' }, body: { error: 'Stopping' } }
  const { client, seen } = await scriptService(t, [limited, unavailable, created])
  await client.posts.create(post)
  for (const index of [1, 2]) t.ok(seen[index]!.at - seen[index - 1]!.at >= 995, 'timers may be early by a fraction')
})

t.test('a Retry-After of more than a minute is left to the caller, also as a date', async (t) => {
  const answers = ['61', new Date(Date.now() + 3_600_000).toUTCString(), ''].map((value) => ({
    status: 429,
    headers: { 'retry-after': value },
    body: { error: 'Too many requests' },
  }))
  const { client, seen } = await scriptService(t, answers)
  const number = await client.posts.create(post).catch((error) => error)
  t.ok(number instanceof RateLimited)
  t.equal(number.retryAfter, 61)
  const date = await client.posts.create(post).catch((error) => error)
  t.ok(date.retryAfter > 3_000 && date.retryAfter <= 3_600)
  t.equal(seen.length, 2)
  t.equal((await client.posts.create(post, { maxRetries: 0 }).catch((error) => error)).retryAfter, null)
})

t.test('without Retry-After, pauses grow and have jitter', async (t) => {
  const { client, seen } = await scriptService(t, [failed], { maxRetries: 2 })
  const pausesOf = async (random: number) => {
    const before = Math.random
    Math.random = () => random
    try {
      const from = seen.length
      await client.accounts.list().then(undefined, () => {})
      return [seen[from + 1]!.at - seen[from]!.at, seen[from + 2]!.at - seen[from + 1]!.at]
    } finally {
      Math.random = before
    }
  }
  const [first, second] = await pausesOf(1)
  t.ok(first! >= 495, `${first}`)
  t.ok(second! >= 995, `${second}`)
  const [jittered] = await pausesOf(0)
  t.ok(jittered! >= 245, `${jittered}`)
})

t.test('what has no key is repeated only if that is harmless, or if it was refused', async (t) => {
  const limited = { status: 429, headers: { 'retry-after': '0' }, body: { error: 'Too many requests' } }
  const cases: [string, Answer, number, (client: Awaited<ReturnType<typeof scriptService>>['client']) => unknown][] = [
    ['read', failed, 2, (client) => client.posts.get('a')],
    ['read, response lost', lost, 2, (client) => client.posts.get('a')],
    ['delete', failed, 2, (client) => client.posts.delete('a')],
    ['validation', lost, 2, (client) => client.posts.validate(post)],
    ['put', failed, 2, (client) => client.organizations.putMember('a', 'b', { role: 'admin' })],
    ['change with If-Match', failed, 2, (client) => client.posts.update('a', {}, { ifMatch: '"1"' })],
    ['change', failed, 1, (client) => client.posts.update('a', {})],
    ['change, response lost', lost, 1, (client) => client.posts.update('a', {})],
    ['change, refused', limited, 2, (client) => client.posts.update('a', {})],
    ['publish', failed, 1, (client) => client.posts.publish('a')],
    ['new key', failed, 1, (client) => client.keys.create({ name: 'a', scopes: ['posts:read'] })],
    ['new key, refused', limited, 2, (client) => client.keys.create({ name: 'a', scopes: ['posts:read'] })],
    ['conflict', { status: 409, body: { error: 'Busy' } }, 1, (client) => client.posts.delete('a')],
  ]
  for (const [name, answer, attempts, call] of cases) {
    const { client, seen } = await scriptService(t, [answer, { status: 200, body: {} }], { maxRetries: 1 })
    const outcome = await Promise.resolve(call(client)).catch((error: unknown) => error)
    t.equal(seen.length, attempts, name)
    t.equal(outcome instanceof Error, attempts === 1, name)
    if (name === 'conflict') t.ok(outcome instanceof Conflict)
  }
})

t.test('an attempt ends after timeoutMs, and the next one may succeed', async (t) => {
  const { client, seen } = await scriptService(t, [() => {}, { status: 200, body: { data: [] } }], { timeoutMs: 300 })
  t.strictSame(await client.accounts.list(), { data: [] })
  t.equal(seen.length, 2)
  const silent = await scriptService(t, [() => {}], { timeoutMs: 50, maxRetries: 0 })
  await t.rejects(silent.client.posts.get('a'), {
    name: 'ConnectionError',
    message: `No response from ${silent.baseUrl} within 50 ms`,
    status: 0,
    requestId: null,
  })
})

t.test('a body that stalls counts as no response', async (t) => {
  const stall = (response: ServerResponse) => response.writeHead(200, { 'content-length': 100 }).write('{')
  const { client } = await scriptService(t, [stall], { timeoutMs: 100, maxRetries: 0 })
  await t.rejects(client.posts.get('a'), { name: 'ConnectionError' })
})

t.test('the signal of the caller ends the request and the pauses, with its own reason', async (t) => {
  const reason = new Error('the user has left')
  const silent = await scriptService(t, [() => {}])
  const controller = new AbortController()
  const reading = silent.client.posts.get('a', { signal: controller.signal, maxRetries: 0 })
  await until('the request is there', () => silent.seen.length === 1)
  controller.abort(reason)
  t.equal(await reading.catch((error) => error), reason)
  t.equal(await silent.client.posts.get('a', { signal: controller.signal }).catch((error) => error), reason)
  t.equal(silent.seen.length, 1, 'an aborted signal sends nothing')

  const busy = { status: 429, headers: { 'retry-after': '60' }, body: { error: 'Too many requests' } }
  const limited = await scriptService(t, [busy])
  const other = new AbortController()
  const waiting = limited.client.posts.get('a', { signal: other.signal })
  await until('the request was refused', () => limited.seen.length === 1)
  other.abort(reason)
  t.equal(await waiting.catch((error) => error), reason)
})

t.test('a service that cannot be reached is a ConnectionError that names it', async (t) => {
  const { client } = await scriptService(t, [], { baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
  await t.rejects(client.posts.get('a'), {
    name: 'ConnectionError',
    message: /^No response from http:\/\/127\.0\.0\.1:1 \(.+\)$/,
    response: null,
  })
})

t.test('a response that keeps coming may take longer than timeoutMs, and silence may not', async (t) => {
  const timeoutMs = 1_000
  const slow = async (response: ServerResponse) => {
    const endsAt = performance.now() + 2 * timeoutMs
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[')
    while (performance.now() < endsAt) {
      response.write(' ')
      await sleep(50)
    }
    response.end(']}')
  }
  const { client } = await scriptService(t, [slow], { timeoutMs })
  t.strictSame(await client.accounts.list(), { data: [] })
  const silent = await scriptService(t, [(response) => response.writeHead(200).write('{')], {
    timeoutMs,
    maxRetries: 0,
  })
  await t.rejects(silent.client.accounts.list(), { name: 'ConnectionError', message: /within 1000 ms$/ })
})

t.test('a long body has a millisecond more for each of its bytes', async (t) => {
  const late = async (response: ServerResponse) => {
    await sleep(1_000)
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"a"}')
  }
  const { client } = await scriptService(t, [late], { timeoutMs: 100, maxRetries: 0 })
  const caption = 'a'.repeat(60_000)
  t.hasStrict(await client.posts.create({ accountIds: ['b'], caption }), { id: 'a' })
  await t.rejects(client.posts.create({ accountIds: ['b'], caption: '' }), { message: /within 133 ms$/ })
})
