import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { connect } from '../../db/client.ts'
import { createFolder } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { createPerson } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

/** A span in OTLP's JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: { stringValue?: string } }[]
}

interface Export {
  resourceSpans: { resource: Pick<Span, 'attributes'>; scopeSpans: { spans: Span[] }[] }[]
}

/** A collector of traces on loopback. `bodies` has what it receives. */
async function startCollector(t: Test) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push((await request.toArray()).join(''))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const exports = () => bodies.flatMap((body) => (JSON.parse(body) as Export).resourceSpans)
  const spans = () => exports().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, exports, spans }
}

const attribute = ({ attributes }: Pick<Span, 'attributes'>, name: string) =>
  attributes.find(({ key }) => key === name)?.value.stringValue

/** Starts the service. At its end, it writes the paths of the CommonJS modules that it has loaded. */
async function startTraced(t: Test, env: Record<string, string>) {
  const folder = await createFolder(t)
  const modules = join(folder, 'modules.json')
  const script = `process.on('exit', () => require('fs').writeFileSync('${modules}', JSON.stringify(Object.keys(require.cache))))`
  await writeFile(join(folder, 'preload.cjs'), script)
  const databaseUrl = await createDatabase(t)
  const db = connect({ url: databaseUrl, poolMax: 1 })
  t.teardown(() => db.destroy())
  const person = await createPerson(db)
  const service = await runService('serve', {
    DATABASE_URL: databaseUrl,
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    MEDIA_DIR: folder,
    NODE_OPTIONS: `--require=${join(folder, 'preload.cjs')}`,
    ...env,
  })
  t.teardown(() => service.stop())
  const readModules = () => (JSON.parse(readFileSync(modules, 'utf8')) as string[]).join('\n')
  return { ...service, person, readModules }
}

/** prom-client loads the API alone. */
const OTEL = /@opentelemetry\/(?!api\/)|@fastify\/otel|-in-the-middle/

const isInstalled = existsSync('node_modules/@opentelemetry/sdk-trace-node')
const options = isInstalled || process.env.CI ? {} : { skip: 'the packages for traces are not installed: npm install' }

t.test('a request, its SQL and its call to a network are one trace, without secrets', options, async (t) => {
  const collector = await startCollector(t)
  const { facts, person, stop, readModules } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  const token = 'the-token-of-ada'
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const rejectedId = '0af7651916cd43dd8448eb211c803190'
  const send = (id: string, query = '') =>
    fetch(`${facts.api}/accounts${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${person.key}`,
        'content-type': 'application/json',
        traceparent: `00-${id}-b7ad6b7169203331-01`,
      },
      body: JSON.stringify({
        platform: 'mastodon',
        credentials: { instance: 'https://mastodon.invalid', accessToken: token },
      }),
    })
  t.equal((await send(traceId)).status, 502, 'the name does not exist')
  t.equal((await send(rejectedId, `?key=${person.key}`)).status, 400, 'a key in the URL')

  const find = () => {
    const spans = collector.spans().filter((span) => span.traceId === traceId)
    const request = spans.find((span) => attribute(span, 'http.route') === '/api/v1/accounts')
    const statement = spans.find((span) => attribute(span, 'db.query.text')?.includes('api_keys'))
    const call = spans.find((span) => attribute(span, 'server.address') === 'mastodon.invalid')
    const rejected = collector.spans().find((span) => span.traceId === rejectedId && attribute(span, 'http.route'))
    return { request, statement, call, rejected }
  }
  const { request, statement, call } = await until('all spans arrive', find, {
    isMet: (found) => Object.values(found).every(Boolean),
  })
  t.equal(request!.parentSpanId, 'b7ad6b7169203331')
  for (const span of [statement, call]) t.equal(span!.parentSpanId, request!.spanId)
  t.equal(attribute(collector.exports()[0]!.resource, 'service.name'), 'postroom')
  const names = collector.spans().flatMap(({ attributes }) => attributes.map(({ key }) => key))
  for (const name of ['url.full', 'url.path', 'url.query']) t.notOk(names.includes(name), name)
  for (const secret of [person.key, token]) t.notOk(collector.bodies.join('').includes(secret))
  t.equal(await stop(), 0)
  t.match(readModules(), OTEL)
})

t.test('without OTEL_EXPORTER_OTLP_ENDPOINT, nothing of OpenTelemetry is loaded', async (t) => {
  const { stop, readModules } = await startTraced(t, {})
  t.equal(await stop(), 0)
  const modules = readModules()
  t.match(modules, /fastify/)
  t.strictSame(
    modules.split('\n').filter((path) => OTEL.test(path)),
    [],
  )
})

t.test('the last spans are sent at the end of the process', options, async (t) => {
  const collector = await startCollector(t)
  const { facts, stop } = await startTraced(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
  })
  await fetch(`${facts.api}/posts`)
  t.equal(await stop(), 0)
  t.ok(collector.spans().some((span) => attribute(span, 'http.route') === '/api/v1/posts'))
})
