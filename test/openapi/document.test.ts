import { readFileSync } from 'node:fs'
import { Server, Socket } from 'node:net'
import t from 'tap'
import { MEDIA_TYPES } from '../../schemas/media.ts'
import { SCOPES } from '../../schemas/scopes.ts'
import { buildDocument } from '../../src/run/app.ts'
import { call, createWorld } from '../helpers/app.ts'
import { COMMITTED, json, operationsOf, readDocument, type Schema, validatorOf } from '../helpers/document.ts'
import { collectProblems } from '../helpers/problems.ts'
import { collectRoutes } from '../helpers/routes.ts'

const document = readDocument()
const operations = operationsOf(document)
const { schemas } = document.components
const problemWith = validatorOf(document)

/** A text of the document as Swagger UI gets it. */
interface Chapter {
  name: string
  text: string
}

/** The errors of every operation. responses.test.ts provokes them, and all others that an operation lists. */
const COMMON_ERRORS = ['401', '429', '500', '503']

/** Operations that take no Idempotency-Key, because their response contains a secret that is not stored. */
const WITH_SECRET = ['createKey', 'rotateKey', 'createWebhook', 'createApprovalCode']

/** Bodies without examples: files, and responses without content. */
const BINARY: Record<string, readonly string[]> = {
  'uploadMedia requestBody': ['multipart/form-data'],
  'getMediaContent 200': MEDIA_TYPES,
  'getMediaContent 206': MEDIA_TYPES,
  'getMediaContent 304': [],
  'getMediaPreview 200': ['image/webp', 'image/svg+xml'],
  'getMediaPreview 206': ['image/webp'],
  'getMediaPreview 304': [],
  'getPost 304': [],
  'getAccount 304': [],
  'getAccountAvatar 200': ['image/webp'],
  'getAccountAvatar 304': [],
  'listPlatforms 304': [],
  'getPlatform 304': [],
  'getAccountLimits 304': [],
  'getMediaContent 307': [],
}

/** Bodies that may have another type than JSON as well. */
const TYPES: Record<string, readonly string[]> = {
  'updatePost requestBody': ['application/json', 'application/merge-patch+json'],
  'updateAccount requestBody': ['application/json', 'application/merge-patch+json'],
}

t.test('the committed document equals the generated one and the served one', async (t) => {
  const committed = readFileSync(COMMITTED, 'utf8')
  const built = await buildDocument()
  t.equal(
    committed,
    `${JSON.stringify(built, null, 2)}\n`,
    'openapi/openapi.json is up to date: otherwise run `make openapi`',
  )

  const { app } = await createWorld(t, { servesDocument: true })
  const served = await call(app, undefined, 'GET', '/openapi.json')
  t.match(served, { status: 200, headers: { 'content-type': /^application\/json/ } })
  t.strictSame(served.body, built)
})

t.test('Swagger UI shows the same document, and its long texts as chapters', async (t) => {
  const { app } = await createWorld(t, { servesDocument: true })
  const { 'x-chapters': chapters, ...shown } = (await call(app, undefined, 'GET', '/docs/json')).body
  const { info, servers, tags } = document
  t.strictSame({ ...shown, info: { ...shown.info, description: info.description }, servers, tags }, document)
  const parts = chapters.filter(({ name }: Chapter) => !tags.some((tag) => tag.name === name))
  const texts = [shown.info.description.split('\n\n')[0], ...parts.map(({ text }: Chapter) => text)]
  t.equal(texts.join('\n\n'), info.description, 'the chapters are the whole description')
  for (const [index, { name, description }] of tags.entries()) {
    const chapter = chapters.find((each: Chapter) => each.name === name)
    t.ok(chapter.text.endsWith(`\n\n${description}`), `the chapter ${name} is the whole text of the tag`)
    const link = ` [More](#chapter-${name})`
    const text = shown.tags[index].description
    t.ok(text.endsWith(link) && description.startsWith(text.slice(0, -link.length)), `the tag ${name} links to it`)
  }
  for (const { name, text } of chapters) {
    const { statusCode, headers, body } = await app.inject(`/docs/${name}.md`)
    t.strictSame([statusCode, headers['content-type'], body], [200, 'text/markdown; charset=utf-8', `${text}\n`], name)
  }
})

t.test('the document is generated without a database and without a listening socket', async (t) => {
  const listens = t.capture(Server.prototype, 'listen')
  const connects = t.capture(Socket.prototype, 'connect')
  await buildDocument()
  t.strictSame([listens(), connects()], [[], []])
})

t.test('the document is OpenAPI 3.1.0, has servers, and requires a bearer key for every operation', async (t) => {
  t.equal(document.openapi, '3.1.0')
  t.ok(document.servers.length > 0)
  const [[name]] = document.security.map(Object.keys) as [[string]]
  t.match(document.components.securitySchemes[name], { type: 'http', scheme: 'bearer' })
  t.equal(document.security.length, 1, 'the key has no alternative')
  const { problems, check } = collectProblems()
  for (const { operationId, security, 'x-required-scope': scope } of operations) {
    check(scope === undefined || scope in SCOPES, true, `${operationId}: ${scope} is a scope`)
    check(security, scope && [{ [name]: [] }], `${operationId} needs the key`)
  }
  t.strictSame(problems, [])
})

t.test('every scope is required by an operation', async (t) => {
  t.strictSame(new Set(operations.flatMap((each) => each['x-required-scope'] ?? [])), new Set(Object.keys(SCOPES)))
})

t.test('each operation has a name, a description, one tag, a success and the common errors', async (t) => {
  const tags = document.tags.map(({ name }) => name)
  const { problems, check } = collectProblems()
  for (const operation of operations) {
    const { operationId, responses, parameters = [] } = operation
    check(Boolean(operation.summary && operation.description), true, `${operationId} has a name and a description`)
    check(operation.tags.filter((tag) => tags.includes(tag)).length, 1, `${operationId}: known tags`)
    check(operation.tags.length, 1, `${operationId}: tags`)
    const statuses = Object.keys(responses)
    check(
      statuses.some((status) => status.startsWith('2')),
      true,
      `${operationId} has a success`,
    )
    check(
      COMMON_ERRORS.filter((status) => !statuses.includes(status)),
      [],
      `${operationId} lists common errors`,
    )
    for (const [name, { description }] of [
      ...Object.entries(responses),
      ...parameters.map((each) => [each.name, each] as const),
    ]) {
      check(Boolean(description), true, `${operationId} ${name} has a description`)
    }
  }
  t.strictSame(problems, [])
})

t.test('every request and every response has examples, and each is valid', async (t) => {
  const { problems, check } = collectProblems()
  for (const { operationId, parameters, requestBody, responses } of operations) {
    for (const { name, schema, example, in: place } of parameters ?? []) {
      if (place !== 'path' && schema.default === undefined) continue
      check(example !== undefined, true, `${operationId} ${name} has an example`)
      check(problemWith(schema, example), '', `${operationId} ${name}`)
    }
    for (const [what, body] of Object.entries({ ...responses, ...(requestBody && { requestBody }) })) {
      const binary = BINARY[`${operationId} ${what}`]
      const types = binary ?? TYPES[`${operationId} ${what}`] ?? ['application/json']
      check(Object.keys(body.content ?? {}), types, `${operationId} ${what}: types`)
      if (binary) continue
      const { schema, examples } = json(body)
      check(Object.keys(examples ?? {}).length > 0, true, `${operationId} ${what} has an example`)
      for (const [name, { value }] of Object.entries(examples ?? {})) {
        check(problemWith(schema, value), '', `${operationId} ${what} ${name}`)
      }
    }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    if (name === 'UploadMedia') continue
    check(Boolean(schema.examples?.length), true, `${name} has an example`)
    for (const example of schema.examples ?? []) {
      check(problemWith({ $ref: `#/components/schemas/${name}` }, example), '', name)
    }
  }
  t.strictSame(problems, [])
})

t.test('each operation that must not be repeated takes an Idempotency-Key and marks replayed responses', async (t) => {
  const { problems, check } = collectProblems()
  for (const { operationId, method, parameters, responses } of operations) {
    const takesKey =
      parameters?.some(({ name, in: place }) => place === 'header' && name === 'Idempotency-Key') ?? false
    const isCreation = method === 'POST' && '201' in responses && !WITH_SECRET.includes(operationId)
    // A repeated shift would shift again.
    check(takesKey, isCreation || operationId === 'updatePosts', `${operationId} takes an Idempotency-Key`)
    for (const [status, { headers }] of Object.entries(responses)) {
      const isSuccess = takesKey && status.startsWith('2')
      check('Idempotent-Replayed' in (headers ?? {}), isSuccess, `${operationId} ${status} marks replayed responses`)
    }
  }
  t.strictSame(problems, [])
})

t.test('the root of each request body is an object', async (t) => {
  const bodies = operations.flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).map(({ schema }) => ({ operationId, schema })),
  )
  t.ok(bodies.length >= 20, `${bodies.length} bodies`)
  const { problems, check } = collectProblems()
  for (const { operationId, schema } of bodies) {
    const root = schema.$ref ? schemas[schema.$ref.split('/').at(-1)!] : schema
    check(root?.type, 'object', operationId)
  }
  t.strictSame(problems, [])
})

t.test('the validator of these tests rejects invalid examples', async (t) => {
  t.not(problemWith({ $ref: '#/components/schemas/CreatePost' }, { accountIds: [] }), '')
  t.not(problemWith({ $ref: '#/components/schemas/CreatePost' }, { accountIds: ['a'], scheduledAt: 'now' }), '')
  t.not(
    problemWith({ $ref: '#/components/schemas/AccountList' }, { data: [{ id: 'a', platform: 'b', username: 'c' }] }),
    '',
  )
})

/** `schema` and the schemas inside it, each with its path. */
function* walk(schema: Schema, path: string): Generator<[path: string, schema: Schema]> {
  yield [path, schema]
  for (const [key, value] of Object.entries(schema.properties ?? {})) yield* walk(value, `${path}.${key}`)
  for (const [index, value] of (schema.anyOf ?? []).entries()) yield* walk(value, `${path}|${index}`)
  if (schema.items) yield* walk(schema.items, `${path}[]`)
  if (typeof schema.additionalProperties === 'object') yield* walk(schema.additionalProperties, `${path}{}`)
}

const all = Object.entries(schemas).flatMap(([name, schema]) => [...walk(schema, name)])

t.test('objects are named components, so that a generated client has one type for each', async (t) => {
  const { problems, check } = collectProblems()
  for (const { operationId, requestBody, responses } of operations) {
    const bodies = [...Object.values(responses), ...(requestBody ? [requestBody] : [])]
    const schemas = bodies.flatMap(({ content }) => Object.values(content ?? {})).map(({ schema }) => schema)
    for (const schema of schemas.filter(({ format }) => format !== 'binary')) {
      check(Object.keys(schema), ['$ref'], operationId)
    }
  }
  for (const [path, { $ref }] of all) {
    if ($ref) check($ref.replace('#/components/schemas/', '') in schemas, true, `${path}: ${$ref} exists`)
  }
  t.strictSame(problems, [])
  const inline = all.filter(([path]) => !(path in schemas))
  t.strictSame(
    inline.filter(([, { properties }]) => properties).map(([path]) => path),
    [],
    'no schema contains an inline object',
  )
  const enums = all.flatMap(([, schema]) => (schema.enum ? [JSON.stringify(schema.enum)] : []))
  t.equal(new Set(enums).size, enums.length, 'no enum occurs twice')
})

t.test('files are binary in the form and in responses', async (t) => {
  const { file, ...rest } = schemas.UploadMedia!.properties!
  t.match(file, { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' })
  t.strictSame(Object.keys(rest), ['altText', 'focus', 'externalReference', 'metadata'])
  const upload = operations.find(({ operationId }) => operationId === 'uploadMedia')!
  t.strictSame(upload.requestBody, {
    required: true,
    content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/UploadMedia' } } },
  })
  const { responses } = operations.find(({ operationId }) => operationId === 'getMediaContent')!
  const { problems, check } = collectProblems()
  for (const status of ['200', '206']) {
    for (const [type, { schema }] of Object.entries(responses[status]!.content)) {
      check(schema, { type: 'string', format: 'binary' }, `${status} ${type}`)
    }
  }
  t.strictSame(problems, [])
})

t.test('every property and every component has a description', async (t) => {
  const described = ({ $ref, description }: Schema) =>
    Boolean(description ?? schemas[$ref?.split('/').at(-1) ?? '']?.description)
  const properties = all.flatMap(([path, { properties = {} }]) =>
    Object.entries(properties).map(([key, property]) => [`${path}.${key}`, property] as const),
  )
  const undescribed = [...Object.entries(schemas), ...properties].filter(([, schema]) => !described(schema))
  t.strictSame(
    undescribed.map(([path]) => path),
    [],
  )
})

t.test('every operation responds with 401 without a key', async (t) => {
  const { app } = await createWorld(t)
  const { problems, check } = collectProblems()
  for (const { operationId, method, path, parameters = [] } of operations) {
    const url = parameters.reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), path)
    const { status, body, headers } = await call(app, undefined, method as 'GET', url)
    const reply = [status, body, headers['www-authenticate']]
    check(reply, [401, { error: 'Missing API key' }, 'Bearer'], operationId)
  }
  t.strictSame(problems, [])
})

t.test('the document has exactly the routes of the service', async (t) => {
  const [, added] = await collectRoutes(buildDocument)
  const routes = added.flatMap(({ method, url }) => [method].flat().map((name) => `${name} ${url}`))
  t.ok(routes.includes('GET /healthz'), 'routes were collected')
  t.strictSame(
    routes.filter((route) => / \/api\//.test(route) && !route.startsWith('HEAD ')).sort(),
    operations.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`).sort(),
  )
})
