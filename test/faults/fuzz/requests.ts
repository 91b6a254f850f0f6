import fc, { type Arbitrary } from 'fast-check'
import { type Operation, operationsOf, readDocument, type Schema } from '../../helpers/document.ts'
import { form } from '../../helpers/upload.ts'
import { bodies, type EncodedBody, invalidBodies, JSON_TYPE } from './bodies.ts'
import { forms } from './forms.ts'
import { idsOf, placeholders, UNKNOWN_ID, weighted } from './ids.ts'
import { type Expected, invalidQueries, textsAgainst } from './mutations.ts'
import { valid } from './values.ts'

export const operations = operationsOf(readDocument())

/** A generated request, with placeholders for ids: see ids.ts. */
export interface PlannedRequest {
  operation: Operation
  what: string
  params: Record<string, string>
  query: Query
  headers: Record<string, string>
  body?: string | Buffer
  expected: Expected
}

type Query = [name: string, text: string][]

/** The part of a request without its body. */
type Envelope = Pick<PlannedRequest, 'params' | 'query' | 'headers'>

const visibleText = (maxLength = 40) =>
  fc.array(fc.integer({ min: 33, max: 126 }), { minLength: 1, maxLength }).map((codes) => String.fromCharCode(...codes))

/** Values of headers. Headers without an entry get any visible text. */
const HEADERS: Record<string, Arbitrary<string>> = {
  // Some keys repeat, mostly with another body.
  'Idempotency-Key': fc.oneof(weighted(9, visibleText()), weighted(1, fc.constantFrom('a', 'b'))),
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
  'If-Match': fc.constantFrom('*', '*', '"other"', 'W/"other"', '"a", "b"'),
  'If-None-Match': fc.constantFrom('*', '"other"', 'W/"other"', '', 'other'),
}

/** Values of query parameters that their schemas do not describe. */
const QUERIES: Record<string, Arbitrary<string>> = {
  organizationId: fc.oneof(weighted(3, placeholders('organization')), weighted(1, fc.uuid())),
  // No other text is a cursor before there is a page.
  after: fc.constant('now'),
  // A search needs a letter, a digit or an emoji.
  q: fc.constantFrom('pier', 'at dusk', '海辺', '🌊'),
  // A request that waits would take as many seconds.
  wait: fc.constant('0'),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kathmandu'),
}

/** The operations that ignore unknown query parameters. All others reject them. */
const LENIENT: ReadonlySet<string> = new Set(['createPost', 'listPosts', 'deletePost', 'listAccounts'])

/** Parameters that any other can be combined with. */
const COMBINABLE: ReadonlySet<string> = new Set(['limit', 'offset', 'cursor', 'include', 'unknown'])

/** Leaves out parameters that exclude others. */
function withoutConflict(query: Query, isStrict: boolean): Query {
  const has = (name: string) => query.some(([other]) => other === name)
  const isFiltered = query.some(([name]) => !COMBINABLE.has(name))
  const excluded = new Set([
    ...(has('cursor') ? ['offset'] : []),
    ...(has('after') ? ['from'] : []),
    // A cursor belongs to its filters.
    ...(isFiltered ? ['cursor', 'offset'] : []),
    ...(has('include') || has('history') ? ['limit'] : []),
    ...(isStrict ? ['unknown'] : []),
  ])
  return query.filter(([name]) => !excluded.has(name))
}

/** A text that a query parameter can have; undefined if no text can be generated. */
function queryText(name: string, schema: Schema): Arbitrary<string> | undefined {
  if (QUERIES[name]) return QUERIES[name]
  // The schema has two forms. This one needs no earlier response; the other one names the query that it continues.
  if (name === 'cursor') return new RegExp(schema.pattern!).test(UNKNOWN_ID) ? fc.uuid() : undefined
  return valid(schema.items ?? schema).map(String)
}

function envelopes({ operationId, path, parameters = [] }: Operation): Arbitrary<Envelope> {
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const params = Object.fromEntries(
    inPlace('path').map(({ name }) => [
      name,
      fc.oneof(weighted(30, idsOf(path, name)), weighted(1, fc.constant('\0'))),
    ]),
  )
  const queries = Object.fromEntries(
    inPlace('query').flatMap(({ name, schema }) => {
      const texts = queryText(name, schema)
      return texts ? [[name, texts]] : []
    }),
  )
  const headers = Object.fromEntries(
    inPlace('header').map(({ name, schema }) => [name, HEADERS[name] ?? visibleText(schema.maxLength)]),
  )
  const isStrict = !LENIENT.has(operationId)
  const required = inPlace('query').flatMap(({ name, required }) => (required ? [name as 'unknown'] : []))
  return fc.record({
    params: fc.record(params, { noNullPrototype: true }),
    query: fc
      .record({ ...queries, unknown: fc.constantFrom('', '1', 'é') }, { requiredKeys: required, noNullPrototype: true })
      .map((query) => withoutConflict(Object.entries(query), isStrict)),
    headers: fc.record(headers, { requiredKeys: [], noNullPrototype: true }) as Arbitrary<Record<string, string>>,
  })
}

/** Requests of one operation. Half of those that can be invalid are, with a single error. */
export function requestsOf(operation: Operation): Arbitrary<() => Promise<PlannedRequest>> {
  const content = operation.requestBody?.content
  if (content?.['application/json']) return jsonRequests(operation)
  return content ? uploads(operation) : bodilessRequests(operation)
}

const uploads = (operation: Operation) =>
  fc.tuple(envelopes(operation), forms).map(([envelope, { what, parts, expected }]) => async () => {
    const { type, body } = await form(parts)
    const contentType = what === 'no form' ? 'application/json' : type
    const headers = { ...envelope.headers, 'content-type': contentType }
    return { operation, ...envelope, what, headers, body, expected }
  })

const jsonRequests = (operation: Operation) =>
  fc
    .record({ envelope: envelopes(operation), body: bodies(operation), error: fc.option(fc.nat(), { freq: 2 }) })
    .map(({ envelope, body, error }) => async () => {
      const plain: EncodedBody = { what: 'valid', body: JSON.stringify(body), headers: JSON_TYPE, expected: 'valid' }
      if (error === null) return { operation, ...envelope, ...plain, headers: { ...envelope.headers, ...JSON_TYPE } }
      const headerErrors = invalidHeaders(operation)
      if (error % 10 === 0 && headerErrors.length > 0) {
        const { name, text } = headerErrors[(error / 10) % headerErrors.length]!
        const headers = { ...envelope.headers, ...JSON_TYPE, [name]: text }
        const expected = { code: 'invalid_string', path: [name] }
        return { operation, ...envelope, ...plain, what: `${name}: ${text}`, headers, expected }
      }
      const invalid = invalidBodies(operation, body)
      const { headers, ...made } = invalid[error % invalid.length]!.make()
      return { operation, ...envelope, ...made, headers: { ...envelope.headers, ...headers } }
    })

const invalidHeaders = ({ parameters = [] }: Operation): { name: string; text: string }[] =>
  parameters
    .filter((parameter) => parameter.in === 'header')
    .flatMap(({ name, schema }) => textsAgainst(schema).map((text) => ({ name, text })))

function bodilessRequests(operation: Operation) {
  const plain = fc.constant({ what: 'valid', query: [] as Query, expected: 'valid' as Expected })
  const invalid = invalidQueriesOf(operation)
  const queries = invalid.length > 0 ? fc.oneof(plain, fc.constantFrom(...invalid)) : plain
  return fc.tuple(envelopes(operation), queries).map(([envelope, { what, query: chosen, expected }]) => async () => {
    const names = chosen.map(([name]) => name)
    const query = [...envelope.query.filter(([name]) => !names.includes(name)), ...chosen]
    return { operation, ...envelope, what, query, expected }
  })
}

function invalidQueriesOf({ parameters = [] }: Operation): { what: string; query: Query; expected: Expected }[] {
  const invalid = parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, schema }) =>
      invalidQueries(schema).map(({ texts, code, index }) => ({
        what: `${name}=${texts.join()}`,
        query: texts.map((text): [string, string] => [name, text]),
        expected: { code, path: [name, ...(index === undefined ? [] : [index])] },
      })),
    )
  if (!['cursor', 'offset'].every((wanted) => parameters.some(({ name }) => name === wanted))) return invalid
  const query: Query = [
    ['cursor', UNKNOWN_ID],
    ['offset', '1'],
  ]
  return [...invalid, { what: 'a cursor and an offset', query, expected: { code: 'custom', path: ['offset'] } }]
}

/** Relative frequencies of operations; others have 5. More is created than deleted. */
const WEIGHTS: Record<string, number> = {
  uploadMedia: 1,
  importMedia: 2,
  deleteMedia: 2,
  deletePost: 3,
  disconnectAccount: 3,
}

/** Requests of all operations. */
export const requests = fc.oneof(
  ...operations.map((operation) => weighted(WEIGHTS[operation.operationId] ?? 5, requestsOf(operation))),
)
