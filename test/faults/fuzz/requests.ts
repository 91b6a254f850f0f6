import fc, { type Arbitrary } from 'fast-check'
import type { Operation } from '../../helpers/document.ts'
import { json, operationsOf, readDocument } from '../../helpers/document.ts'
import { form, jpeg } from '../../helpers/upload.ts'
import { invalidQueries, type Json, type Mutation, mutationsOf, type Path, unmatched, valid } from './arbitraries.ts'

/** What a request has to come to: an answer without `details`, or a 400 whose first entry is this one. */
export type Expected = 'taken' | Mutation['issue']

/** A request that is ready but for the ids in it, which only exist when it is sent: see `slot`. */
export interface Planned {
  operation: Operation
  what: string
  params: Record<string, string>
  query: [name: string, text: string][]
  headers: Record<string, string>
  body?: string | Buffer
  expected: Expected
}

/** The kinds of ids that a caller can have; `foreign…` are somebody else's. */
export const POOLS = ['post', 'account', 'disposable', 'media', 'organization'] as const
export type Pool = (typeof POOLS)[number] | `foreign${Capitalize<(typeof POOLS)[number]>}`

// Characters of the private use area, which no generated text has.
const slot = (pool: Pool, index: number) => `\ue000${pool}:${index}\ue001`

/** `text` with ids in place of slots. */
export const fill = (text: string, idAt: (pool: Pool, index: number) => string): string =>
  text.replace(/\ue000(\w+):(\d+)\ue001/g, (_, pool: Pool, index) => idAt(pool, Number(index)))

const some = <T>(weight: number, arbitrary: Arbitrary<T>) => ({ weight, arbitrary })
const slots = (pool: Pool) => fc.nat({ max: 1_000 }).map((index) => slot(pool, index))
/** The id of nothing. */
export const NOBODYS = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'
/** The same of somebody else. */
export const foreign = (pool: Pool) => `foreign${pool[0]!.toUpperCase()}${pool.slice(1)}` as Pool

/** Mostly an id of one's own; else somebody else's, nobody's, or none at all. */
const ids = (pool: Pool) =>
  fc.oneof(
    some(12, slots(pool)),
    some(1, slots(foreign(pool))),
    some(1, fc.constantFrom(NOBODYS, NOBODYS.toUpperCase(), 'a', '%', ' ', 'é', `${NOBODYS} `, 'a'.repeat(200))),
  )

/** Which ids a path parameter takes, by what it stands behind. */
function idsOf(path: string, name: string): Arbitrary<string> {
  const collection = path.split('/')[path.split('/').indexOf(`{${name}}`) - 1]
  if (collection === 'posts') return ids('post')
  if (collection === 'media') return ids('media')
  // To disconnect: those that posts are created for stay.
  if (collection === 'accounts') return ids('disposable')
  if (collection === 'deliveries') return ids('account')
  throw new Error(`It is not known of what ${name} in ${path} is the id`)
}

type Body = { [key: string]: Json }

/** What a schema cannot say of a body that is right: ids that exist, and what has to go together. */
const REFINED: Record<string, (body: Arbitrary<Body>) => Arbitrary<Body>> = {
  createPost: (bodies) =>
    fc
      .record({
        body: bodies,
        // Each once: an account may have one override.
        accounts: fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 1, maxLength: 3 }),
        media: fc.array(ids('media'), { maxLength: 3 }),
        stranger: fc.oneof(
          some(9, fc.constant(null)),
          some(1, fc.constantFrom(slot('foreignAccount', 0), NOBODYS, 'none')),
        ),
        plain: fc.nat({ max: 3 }).map((one) => one > 0),
      })
      .map(({ body, accounts, media, stranger, plain }) => {
        const accountIds = accounts.map((index) => slot('account', index))
        if (stranger) accountIds.push(stranger)
        const { accountOverrides, threadParts, mediaIds, ...rest } = body
        const refined: Body = { ...rest, accountIds }
        if (mediaIds && !plain) refined.mediaIds = media
        if (accountOverrides) {
          const overrides = (accountOverrides as Body[]).slice(0, accountIds.length)
          refined.accountOverrides = overrides.map((override, index) => ({
            ...override,
            accountId: accountIds[index]!,
          }))
        }
        if (threadParts !== undefined) {
          const parts = Object.values(threadParts ?? {}).slice(0, accountIds.length)
          refined.threadParts =
            threadParts && Object.fromEntries(parts.map((part, index) => [accountIds[index]!, part]))
        }
        if (!plain) return refined
        delete refined.firstComment
        delete refined.accountOverrides
        return { ...refined, postType: 'post', caption: `plain ${String(refined.caption ?? '').slice(0, 100)}` }
      }),
  connectAccount: (bodies) =>
    fc
      .record({
        body: bodies,
        username: fc.constantFrom(...Array.from({ length: 10 }, (_, index) => `handle-${index}`)),
        organization: fc.option(fc.oneof(some(4, slots('organization')), some(1, ids('organization'))), { freq: 2 }),
      })
      .map(({ body: { organizationId: _, ...body }, username, organization }) => {
        const credentials = body.credentials as Body
        if (body.platform === 'sandbox') {
          const { token: _, ...names } = credentials
          body.credentials = { ...names, username }
        }
        return { ...body, ...(organization !== null && { organizationId: organization }) }
      }),
  resolveDelivery: (bodies) =>
    bodies.map(({ url, ...body }) =>
      url && body.outcome === 'published' ? { ...body, url: 'https://a.example/1' } : body,
    ),
  importMedia: (bodies) =>
    fc
      .record({ body: bodies, index: fc.nat({ max: 30 }) })
      .map(({ body, index }) => ({ ...body, url: `https://files.example/${index}.jpg` })),
}

const visible = (maxLength = 40) =>
  fc.array(fc.integer({ min: 33, max: 126 }), { minLength: 1, maxLength }).map((codes) => String.fromCharCode(...codes))

/** What clients send in these headers; in those that are not named here, anything visible. */
const HEADERS: Record<string, Arbitrary<string>> = {
  // Some are sent again, mostly with another body.
  'Idempotency-Key': fc.oneof(some(9, visible()), some(1, fc.constantFrom('a', 'b'))),
  Range: fc.constantFrom(
    'bytes=0-9',
    'bytes=5-',
    'bytes=-5',
    'bytes=9000000-',
    'bytes=5-2',
    'bytes=0-1,3-4',
    'a=b',
    '',
  ),
  'If-None-Match': fc.constantFrom('*', '"other"', 'W/"other"', '', 'other'),
}
export const operations = operationsOf(readDocument())

/** A cursor says where a page begins, and so does an offset. */
const withoutConflict = (query: [name: string, text: string][]) =>
  query.some(([name]) => name === 'cursor') ? query.filter(([name]) => name !== 'offset') : query

/** Everything but the body, as it should be. */
function around({ path, parameters = [] }: Operation) {
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const params = Object.fromEntries(
    of('path').map(({ name }) => [name, fc.oneof(some(30, idsOf(path, name)), some(1, fc.constant('\0')))]),
  )
  const queries = Object.fromEntries(of('query').map(({ name, schema }) => [name, valid(schema).map(String)]))
  const headers = Object.fromEntries(
    of('header').map(({ name, schema }) => [name, HEADERS[name] ?? visible(schema.maxLength)]),
  )
  const required = of('query').flatMap(({ name, required }) => (required ? [name as 'unknown'] : []))
  return fc.record({
    params: fc.record(params, { noNullPrototype: true }),
    query: fc
      .record({ ...queries, unknown: fc.constantFrom('', '1', 'é') }, { requiredKeys: required, noNullPrototype: true })
      .map((query) => withoutConflict(Object.entries(query as unknown as Record<string, string>))),
    headers: fc.record(headers, { requiredKeys: [], noNullPrototype: true }) as Arbitrary<Record<string, string>>,
  })
}

const bodySchema = (operation: Operation) => json(operation.requestBody!).schema
const isJson = ({ requestBody }: Operation) => requestBody?.content['application/json'] !== undefined

/** Bodies that the service takes the shape of. */
function bodies(operation: Operation): Arbitrary<Body> {
  const plain = valid(bodySchema(operation)) as Arbitrary<Body>
  return REFINED[operation.operationId]?.(plain) ?? plain
}

const JSON_TYPE = { 'content-type': 'application/json' }
const unreadable = (code: string) => ({ code, path: [] as Path })

/** Every way to send a body that cannot be read, or that says something twice. */
function misshapen(body: Body): Pick<Planned, 'what' | 'body' | 'headers' | 'expected'>[] {
  const text = JSON.stringify(body)
  const bytes = Buffer.from(text)
  const notJson = (what: string, body: string | Buffer) =>
    ({ what, body, headers: JSON_TYPE, expected: unreadable('invalid_json') }) as const
  const typed = (type: string | undefined) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    return { what: `the type ${type}`, body: text, headers, expected: unreadable('invalid_content_type') }
  }
  const [name] = Object.keys(body)
  const again = (value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`
  return [
    notJson('cut off', text.slice(0, -1)),
    notJson('a comma too many', `${text.slice(0, -1)},}`),
    notJson('two in one', `${text}${text}`),
    notJson('a byte order mark', `\ufeff${text}`),
    notJson('nothing', ''),
    notJson('no JSON', 'caption=a'),
    notJson('no UTF-8', Buffer.concat([bytes.subarray(0, -1), Buffer.from(',"\xff":1}', 'latin1')])),
    notJson('UTF-16', Buffer.from(text, 'utf16le')),
    typed('text/plain'),
    typed('application/x-www-form-urlencoded'),
    typed('multipart/form-data; boundary=a'),
    typed('application/jsonp'),
    typed(undefined),
    ...(name === undefined
      ? []
      : [
          // JSON leaves open what a key means that is there twice; JavaScript takes the last one.
          {
            what: 'a key twice',
            body: `{${again([[]])},${text.slice(1)}`,
            headers: JSON_TYPE,
            expected: 'taken' as const,
          },
          {
            what: 'a key twice, wrong the second time',
            body: `${text.slice(0, -1)},${again(5)}}`,
            headers: JSON_TYPE,
            expected: { code: 'invalid_type', path: [name] },
          },
        ]),
  ]
}

/** All the bodies that are wrong in one way, from one that is right. */
export const wrongBodies = (
  operation: Operation,
  body: Body,
): { what: string; make(): Pick<Planned, 'what' | 'body' | 'headers' | 'expected'> }[] => [
  ...mutationsOf(bodySchema(operation), body).map(({ what, json, issue }) => ({
    what,
    make: () => ({ what, body: json(), headers: JSON_TYPE, expected: issue }),
  })),
  ...misshapen(body).map((each) => ({ what: each.what, make: () => each })),
]

/** Images that are small, and few: a long run adds and deletes them all the time. */
export const IMAGES = await Promise.all(Array.from({ length: 16 }, (_, index) => jpeg(40, 30, index * 16)))

type Parts = Parameters<typeof form>[0]

/** Forms that are right, or wrong in one way. The document describes them; the ways to spell them are here. */
const forms = fc
  .record({
    image: fc.nat({ max: IMAGES.length - 1 }),
    altText: fc.option(
      valid({ type: 'string', maxLength: 5_000 }).map((text) => String(text).replace(/\r\n?|\n/g, ' ')),
    ),
    kind: fc.constantFrom('right', 'right', 'no file', 'unknown', 'twice', 'NUL', 'too long', 'no image', 'no form'),
  })
  .map(({ image, altText, kind }) => {
    const file: Parts[number] = ['file', IMAGES[image]!]
    const parts: Parts = [file, ...(altText === null ? [] : [['altText', altText] satisfies Parts[number]])]
    const alone = (text: string): Parts => [['altText', text], file]
    const cases: Record<string, [Parts, Expected]> = {
      right: [parts, 'taken'],
      'no file': [parts.slice(1), { code: 'invalid_type', path: ['file'] }],
      unknown: [[['unknown', 'a'], ...parts], { code: 'unrecognized_keys', path: [], keys: ['unknown'] }],
      twice: [[file, ...parts], { code: 'custom', path: ['file'] }],
      NUL: [alone('a\0'), { code: 'custom', path: ['altText'] }],
      'too long': [alone('a'.repeat(5_001)), { code: 'too_big', path: ['altText'] }],
      'no image': [[['file', Buffer.from('<html>')]], 'taken'],
      'no form': [parts, unreadable('invalid_content_type')],
    }
    return { what: kind, parts: cases[kind]![0], expected: cases[kind]![1] }
  })

/** Requests of one operation; half of those that can be wrong are, in one way each. */
export function requestsOf(operation: Operation): Arbitrary<() => Promise<Planned>> {
  const { operationId, parameters = [] } = operation
  if (operationId === 'uploadMedia') {
    return fc.tuple(around(operation), forms).map(([rest, { what, parts, expected }]) => async () => {
      const { type, body } = await form(parts)
      const contentType = what === 'no form' ? 'application/json' : type
      const headers = { ...rest.headers, 'content-type': contentType }
      return { operation, ...rest, what, headers, body, expected }
    })
  }
  const wrongQueries = parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, schema }) => invalidQueries(schema).map((wrong) => ({ name, ...wrong })))
  const wrongHeaders = parameters
    .filter((parameter) => parameter.in === 'header' && parameter.schema.pattern !== undefined)
    .flatMap(({ name, schema }) => unmatched(schema).map((text) => ({ name, text })))
  const right = fc.constant<Pick<Planned, 'what' | 'expected'>>({ what: 'right', expected: 'taken' })

  if (isJson(operation)) {
    return fc
      .record({ rest: around(operation), body: bodies(operation), place: fc.option(fc.nat(), { freq: 2 }) })
      .map(({ rest, body, place }) => async () => {
        const wrongHeader =
          place !== null && place % 10 === 0 ? wrongHeaders[(place / 10) % wrongHeaders.length] : undefined
        if (wrongHeader) {
          const { name, text } = wrongHeader
          const headers = { ...rest.headers, ...JSON_TYPE, [name]: text }
          const expected = { code: 'invalid_string', path: [name] }
          return { operation, ...rest, what: `${name}: ${text}`, headers, body: JSON.stringify(body), expected }
        }
        const wrong = place === null ? [] : wrongBodies(operation, body)
        const { headers, ...made } =
          place === null
            ? { what: 'right', body: JSON.stringify(body), headers: JSON_TYPE, expected: 'taken' as const }
            : wrong[place % wrong.length]!.make()
        return { operation, ...rest, ...made, headers: { ...rest.headers, ...headers } }
      })
  }
  const wrong = wrongQueries.map(({ name, text, code }) => ({
    what: `${name}=${text.join()}`,
    query: text.map((each): [string, string] => [name, each]),
    expected: { code, path: [name] },
  }))
  if (parameters.some(({ name }) => name === 'cursor')) {
    const query: [string, string][] = [
      ['cursor', NOBODYS],
      ['offset', '1'],
    ]
    wrong.push({ what: 'a cursor and an offset', query, expected: { code: 'custom', path: ['offset'] } })
  }
  const chosen = wrong.length > 0 ? fc.oneof(right, fc.constantFrom(...wrong)) : right
  return fc.tuple(around(operation), chosen).map(([rest, each]) => async () => {
    const own = 'query' in each ? (each.query as [string, string][]) : []
    const names = own.map(([name]) => name)
    const query = [...rest.query.filter(([name]) => !names.includes(name)), ...own]
    return { operation, ...rest, ...each, query }
  })
}

/** How often requests of an operation are sent, where not as often as the rest: more is made than is deleted. */
const WEIGHTS: Record<string, number> = {
  uploadMedia: 1,
  importMedia: 2,
  deleteMedia: 2,
  deletePost: 3,
  disconnectAccount: 3,
}

export const requests = fc.oneof(
  ...operations.map((operation) => some(WEIGHTS[operation.operationId] ?? 5, requestsOf(operation))),
)
