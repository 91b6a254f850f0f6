import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { CREATE_POST_EXAMPLES } from '../../schemas/create-post.ts'
import { VERSION } from '../../src/base/version.ts'
import { postroomProcess, runService } from '../helpers/command.ts'
import { copyDatabase, createDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'
import { get, untilSettled } from './service-scene.ts'

t.test('start sets up everything in an empty folder, and later starts keep the data', async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'postroom-start-'))
  chmodSync(scratch, 0o755)
  t.teardown(() => rmSync(scratch, { recursive: true, force: true }))
  const env = { DATA_DIR: join(scratch, 'data') }

  const first = await runService('start', env)
  t.teardown(() => first.stop('SIGKILL'))
  const { api, docs, key, userId } = first.facts as { api: string; docs: string; key: string; userId: string }
  t.equal((await fetch(docs)).status, 200)
  const accounts = await get(`${api}/accounts`, key)
  t.ok(new Set(accounts.body.data.map((account: { platform: string }) => account.platform)).size >= 4)
  const demo = await get(`${api}/posts`, key)
  t.same(
    new Set(demo.body.data.map((post: { status: string }) => post.status)),
    new Set(['draft', 'scheduled', 'published']),
  )
  for (const { id, bytes } of (await get(`${api}/media`, key)).body.data) {
    const reply = await fetch(`${api}/media/${id}/content`, { headers: { authorization: `Bearer ${key}` } })
    t.strictSame([reply.status, (await reply.bytes()).length], [200, bytes], 'each file of the demo can be downloaded')
  }
  for (const body of Object.values(CREATE_POST_EXAMPLES)) {
    const reply = await fetch(`${api}/posts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    t.equal(reply.status, 201, 'the documented examples work unchanged')
  }
  const sandbox = accounts.body.data.find(({ platform }: { platform: string }) => platform === 'sandbox')
  const hello = demo.body.data.find(({ caption }: { caption: string }) => caption === 'Hello, sandbox.')
  const { body: published } = await get(`${api}/posts/${hello.id}`, key)
  t.equal(published.targets.length, 1, 'sent before the key is shown, so that no log follows on it')
  const [{ accountId, delivery }] = published.targets
  t.strictSame([accountId, delivery.state, delivery.acts.length], [sandbox.id, 'published', 2])
  const due = demo.body.data.filter(({ scheduledAt }: { scheduledAt: string }) => Date.parse(scheduledAt) <= Date.now())
  for (const { id } of due) await untilSettled(`${api}/posts/${id}`, key)
  const posts = await get(`${api}/posts`, key)
  const created = await postroomProcess(['key', 'create', '--user', userId, '--json'], env)
  t.equal(created.code, 0, 'a command works while the service runs')
  const second = JSON.parse(created.stdout).key
  t.strictSame(await get(`${api}/posts`, second), posts)
  t.equal(await first.stop(), 0)

  const offline = await postroomProcess(['key', 'create', '--user', userId, '--json'], env)
  t.equal(offline.code, 0, 'a command works while the service is stopped')

  const again = await runService('start', env)
  t.teardown(() => again.stop('SIGKILL'))
  t.strictSame(await get(`${again.facts.api}/posts`, key), posts, 'the data are kept after a restart')
  t.notOk(again.facts.key)
  t.equal(again.facts.newKey, `npm run -s postroom -- key create --user ${userId}`)

  again.child.kill('SIGKILL')
  await once(again.child, 'close')
  const third = await runService('start', env)
  t.teardown(() => third.stop('SIGKILL'))
  t.strictSame(await get(`${third.facts.api}/posts`, key), posts, 'the data are kept after kill -9')
  t.equal(await third.stop('SIGINT'), 0)
})

t.test('start sets up the database at DATABASE_URL, and serve uses it', async (t) => {
  const env = { DATABASE_URL: await copyDatabase(t, 'template0') }
  const before = await runService('serve', env)
  t.teardown(() => before.stop('SIGKILL'))
  t.strictSame(await get(`${before.facts.api}/accounts`, 'pr_0'), { status: 401, body: { error: 'Invalid API key' } })
  const ready = await fetch(new URL('/readyz', before.facts.api))
  t.equal(ready.status, 503)
  await before.stop()

  const start = await runService('start', env)
  t.teardown(() => start.stop('SIGKILL'))
  await start.stop()
  const serve = await runService('serve', env)
  t.teardown(() => serve.stop('SIGKILL'))
  t.equal((await get(`${serve.facts.api}/posts`, start.facts.key ?? '')).body.data.length, 15)
  t.equal((await fetch(new URL('/readyz', serve.facts.api))).status, 200)
  t.strictSame(await (await fetch(new URL('/healthz', serve.facts.api))).json(), { status: 'ok', version: VERSION })
  t.equal(await serve.stop(), 0)
})

t.test('stdout has only the result, and the log on stderr has no key', async (t) => {
  const env = { DATABASE_URL: await createDatabase(t), TRUST_PROXY: '127.0.0.0/8, ::1' }
  const service = await runService('start', env)
  t.teardown(() => service.stop('SIGKILL'))
  const key = service.facts.key ?? ''
  const proxied = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'named-by-a-proxy' }
  await fetch(`${service.facts.api}/posts`, { headers: { authorization: `Bearer ${key}`, ...proxied } })
  await until('the request is logged', () => service.output.stderr.includes('"msg":"request"'))
  await service.stop()
  t.equal(service.output.stdout.trim().split('\n').length, 1)
  const lines = service.output.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { reqId, method, url, status, ip } = lines.find(({ msg }) => msg === 'request')
  t.strictSame([method, url, status], ['GET', '/api/v1/posts', 200])
  t.strictSame([ip, reqId], ['203.0.113.9', 'named-by-a-proxy'], 'TRUST_PROXY is respected')
  t.notOk(service.output.stderr.includes(key))
})

t.test('a service whose log nobody reads any more still responds, and stops', async (t) => {
  const service = await runService('serve', { DATABASE_URL: await createDatabase(t), LOG_LEVEL: 'trace' })
  t.teardown(() => service.stop('SIGKILL'))
  service.child.stderr?.destroy()
  for (const path of ['/healthz', '/api/v1/posts', '/healthz']) {
    t.type((await fetch(new URL(path, service.facts.api), { signal: AbortSignal.timeout(60_000) })).status, 'number')
  }
  t.equal(await service.stop(), 0)
})

t.test('every line that was logged before process.exit is on stderr', async (t) => {
  const script = `
    import { pino } from 'pino'
    import { createLoggerOptions } from './src/run/runtime/logging.ts'
    const { stream, ...options } = await createLoggerOptions('info')
    const log = pino(options, stream)
    for (let number = 1; number <= 1000; number++) log.info({ number }, 'one of many')
    log.info('the last words')
    process.exit(3)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close')
  const lines = (await text(child.stderr)).trim().split('\n')
  t.strictSame(await closed, [3, null])
  t.equal(lines.length, 1001)
  t.equal(JSON.parse(lines.at(-1)!).msg, 'the last words')
})

t.test(
  'start reports a port that is taken, and an unavailable database, in one line that says what to do',
  async (t) => {
    const url = await createDatabase(t)
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    t.teardown(() => blocker.close())
    const { port } = blocker.address() as { port: number }
    const taken = await postroomProcess(['start'], { DATABASE_URL: url, PORT: String(port) })
    t.strictSame([taken.code, taken.stdout], [1, ''])
    t.match(taken.stderr.trim().split('\n').at(-1), new RegExp(`^error: Port ${port} is taken.*PORT=`))

    const refused = await postroomProcess(['start'], { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/db', PORT: '0' })
    t.strictSame([refused.code, refused.stdout], [1, ''])
    t.match(refused.stderr, /^error: The database at DATABASE_URL refuses connections.*\n$/)
    t.notMatch(refused.stderr, 'secret')
  },
)
