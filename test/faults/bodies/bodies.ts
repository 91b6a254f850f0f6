import { MEDIA_IDS_MAX } from '../../../schemas/media.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { FieldValue } from '../../../src/platforms/contract/limits.ts'
import { platforms } from '../../../src/platforms/limits.ts'
import { json, type Operation, operationsOf, readDocument, type Schema } from '../../helpers/document.ts'
import { deref, type Json, typesOf } from '../fuzz/values.ts'
import { texts } from './texts.ts'

/** A request whose body has as many bytes as one may have, or nearly. */
export interface Large {
  name: string
  method: string
  path: string
  headers?: Record<string, string>
  body: () => Json
}

export interface Subjects {
  /** Several on each network. */
  accounts: { id: string; platform: PlatformId }[]
  media: string[]
  /** A draft for the first account. */
  postId: string
}

/** Leaves room for what surrounds a text. */
const BYTES = 1024 * 1024 - 4_000

const UNKNOWN_ID = '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'

type Path = (string | number)[]

/** Every place of a schema, with its schema. */
function* placesOf(schema: Schema, path: Path = [], depth = 0): Generator<[Path, Schema]> {
  const target = deref(schema)
  yield [path, target]
  if (depth > 5) return
  for (const variant of target.anyOf ?? target.oneOf ?? []) yield* placesOf(variant, path, depth + 1)
  for (const [key, property] of Object.entries(target.properties ?? {})) {
    yield* placesOf(property, [...path, key], depth + 1)
  }
  if (target.items) yield* placesOf(target.items, [...path, 0], depth + 1)
  if (typeof target.additionalProperties === 'object') {
    yield* placesOf(target.additionalProperties, [...path, 'key'], depth + 1)
  }
}

/** A copy of `root` with a value in another place. */
function put(root: Json | undefined, [first, ...rest]: Path, value: Json): Json {
  if (first === undefined) return value
  if (typeof first === 'number') return [put(Array.isArray(root) ? root[0] : undefined, rest, value)]
  const object = typeof root === 'object' && root !== null && !Array.isArray(root) ? root : {}
  return { ...object, [first]: put(object[first], rest, value) }
}

const fill = <T>(bytesEach: number, create: (index: number) => T): T[] =>
  Array.from({ length: Math.floor(BYTES / bytesEach) }, (_, index) => create(index))

/** Keys in no order, which no object of the service has. */
const keysWith = (prefix: string, value: Json) =>
  Object.fromEntries(
    fill(JSON.stringify(value).length + prefix.length + 10, (i) => [`${prefix}${(i * 7919) % 99_991}`, value]),
  )

/** Values that fill a place of one of these types, or of any type. */
function* fillings(types: string[], kinds: ReturnType<typeof texts>): Generator<[string, () => Json]> {
  const may = (type: string) => types.length === 0 || types.includes(type)
  if (may('string')) for (const [name, text] of kinds) yield [name, () => text(BYTES)]
  if (may('array')) {
    yield ['unknown ids', () => fill(40, (i) => UNKNOWN_ID.slice(0, -12) + String(i).padStart(12, '0'))]
    yield ['short texts', () => fill(9, (i) => String(i).padStart(6, 'a'))]
    yield ['numbers', () => fill(2, () => 1)]
    yield ['objects', () => fill(3, () => ({}))]
    yield ['lists', () => fill(3, () => [])]
  }
  if (may('object')) {
    yield ['keys', () => keysWith('k', 1)]
    yield ['fewer keys', () => Object.fromEntries(Object.entries(keysWith('k', ['a'])).slice(0, 19_900))]
    yield ['keys with texts', () => Object.fromEntries(Object.entries(keysWith('captio', 'a')).slice(0, 19_900))]
  }
}

/** Each place of the body of each operation, filled in each way. */
function* filledPlaces(seed: number, subjects: Subjects): Generator<Large> {
  const accountId = subjects.accounts[0]!.id
  const some = texts(seed).slice(0, 2)
  for (const operation of operationsOf(readDocument())) {
    if (!operation.requestBody?.content['application/json']) continue
    const { schema, examples } = json(operation.requestBody as Required<NonNullable<Operation['requestBody']>>)
    const example = (Object.values(examples ?? {})[0]?.value ?? {}) as Json
    const base = JSON.parse(JSON.stringify(example).replaceAll(/0196f0c4-9a3d-7b15-8e20-5d7f41a6c8\d\d/g, accountId))
    const path = operation.path
      .replace('/posts/{id}', `/posts/${subjects.postId}`)
      .replace('{accountId}', accountId)
      .replace('{platform}', 'tiktok')
      .replaceAll(/\{\w+\}/g, UNKNOWN_ID)
    const seen = new Set<string>()
    for (const [place, target] of placesOf(schema)) {
      const types = typesOf(target)
      const where = `${place.join('.')} ${types}`
      if (seen.has(where)) continue
      seen.add(where)
      for (const [what, value] of fillings(types, some)) {
        const name = `${operation.operationId}: ${place.join('.') || 'the body'} has ${what}`
        const headers =
          operation.method === 'POST'
            ? { 'idempotency-key': `${seed} ${name}`.replaceAll(/[^!-~]/g, '_').slice(0, 200) }
            : {}
        yield { name, method: operation.method, path, headers, body: () => put(base, place, value()) }
      }
    }
  }
}

/** Posts with many or long texts, for many accounts. */
function* posts(seed: number, { accounts, media, postId }: Subjects): Generator<Large> {
  const ids = accounts.map(({ id }) => id)
  const networks = [...Map.groupBy(accounts, ({ platform }) => platform).values()]
  const one = networks.map(([account]) => account!.id)
  const make = (name: string, path: string, body: () => Json, method = 'POST'): Large => ({
    name,
    path: `/api/v1${path}`,
    body,
    method,
  })
  for (const [kind, text] of texts(seed)) {
    yield make(`a caption of ${kind}`, '/posts/validate', () => ({ accountIds: one, caption: text(BYTES - 2_000) }))
    yield make(`a first comment of ${kind}`, '/posts/validate', () => ({
      accountIds: one,
      firstComment: text(BYTES - 2_000),
    }))
    const override = (accountId: string, index: number, bytes: number) => ({
      accountId,
      captionOverride: text(bytes) + index,
    })
    const each = Math.floor((BYTES - 2_000) / one.length) - 100
    yield make(`long overrides of ${kind}`, '/posts/validate', () => ({
      accountIds: one,
      accountOverrides: one.map((id, index) => override(id, index, each)),
    }))
    const parts = (id: string) =>
      Array.from({ length: 25 }, (_, index) => text(Math.floor(each / 26)) + id.slice(-3) + index)
    yield make(`thread parts of ${kind}`, '/posts/validate', () => ({
      accountIds: one,
      postType: 'thread',
      threadParts: Object.fromEntries(one.map((id) => [id, parts(id)])),
    }))
    for (const same of networks) {
      const [{ platform }] = same as [Subjects['accounts'][number]]
      const { thread } = platforms[platform]
      if (!thread) continue
      const bytes = Math.floor((BYTES - 2_000) / same.length / thread.partsMax) - 60
      yield make(`parts of ${kind} on ${platform} that are shown`, '/posts/validate?include=parts', () => ({
        accountIds: same.map(({ id }) => id),
        postType: 'thread',
        threadParts: Object.fromEntries(
          same.map(({ id }, account) => [
            id,
            Array.from({ length: thread.partsMax }, (_, part) => `${text(bytes)}${account}.${part}`),
          ]),
        ),
      }))
    }
  }
  for (const [kind, text] of texts(seed).slice(0, 4)) {
    for (const [{ platform }, ...others] of networks as [Subjects['accounts'][number], ...Subjects['accounts']][]) {
      const same = others.map(({ id }) => id)
      const bytes = Math.floor((BYTES - 2_000) / same.length) - 120
      yield make(`an override of ${kind} for each account on ${platform}`, '/posts/validate', () => ({
        accountIds: same,
        accountOverrides: same.map((accountId, index) => ({ accountId, captionOverride: text(bytes) + index })),
      }))
      for (const [key, rule] of Object.entries(platforms[platform].fields)) {
        for (const length of [20, 100_000]) {
          yield make(`field ${key} of ${platform} with texts of ${length} bytes, ${kind}`, '/posts/validate', () => ({
            accountIds: [same[0]!],
            scheduledAt: '2030-01-01T00:00:00Z',
            accountOverrides: [{ accountId: same[0]!, fields: { [key]: fieldOf(rule, text, BYTES - 2_000, length) } }],
          }))
        }
      }
    }
    const batch = () =>
      Array.from({ length: 100 }, (_, index) => ({ accountIds: one.slice(0, 5), caption: text(10_000) + index }))
    for (const path of ['/posts/batch', '/posts/batch/validate']) {
      yield make(`a batch of ${kind}`, path, () => ({ posts: batch() }))
      yield make(`a batch of ${kind}, each by itself`, path, () => ({ mode: 'each', posts: batch() }))
    }
    yield make(`a post of ${kind}`, '/posts', () => ({ accountIds: one, caption: text(BYTES - 2_000) }))
    yield {
      ...make(`a post of ${kind} with a key`, '/posts', () => ({ accountIds: one, caption: text(BYTES - 2_000) })),
      headers: { 'idempotency-key': `${seed}` },
    }
    yield make(`a change to ${kind}`, `/posts/${postId}`, () => ({ caption: text(BYTES - 2_000) }), 'PATCH')
    yield {
      ...make(`a tool with ${kind}`, '', () => tool({ accountIds: one, caption: text(BYTES - 4_000) })),
      path: '/mcp',
    }
  }
  const colour = (index: number) => `#${index.toString(16).padStart(6, '0')}`
  const repeated = (count: number) => Array.from({ length: count }, (_, index) => media[index % media.length]!)
  for (const path of ['/posts', '/posts/validate']) {
    yield make('many files for many accounts', path, () => ({ accountIds: ids, mediaIds: repeated(20_000) }))
    yield make('many files of its own for each account', path, () => ({
      accountIds: ids,
      accountOverrides: ids.map((accountId) => ({ accountId, mediaIds: repeated(Math.floor(15_000 / ids.length)) })),
    }))
    for (const mediaFit of ['auto', 'pad', 'crop']) {
      const fitted = { accountIds: ids, mediaIds: repeated(MEDIA_IDS_MAX), mediaFit }
      yield make(`many files for many accounts, with mediaFit ${mediaFit}`, path, () => fitted)
      yield make(`many files for many accounts, each with ${mediaFit} and a colour`, path, () => ({
        ...fitted,
        accountOverrides: ids.map((accountId, index) => ({ accountId, mediaFit, padColor: colour(index) })),
      }))
      yield make(`many files of its own for each account, with mediaFit ${mediaFit}`, path, () => ({
        accountIds: ids,
        mediaFit,
        accountOverrides: ids.map((accountId) => ({ accountId, mediaIds: repeated(Math.floor(15_000 / ids.length)) })),
      }))
    }
    for (const accountId of one) {
      yield make(`many parts and many fields of one account`, path, () => ({
        accountIds: [accountId],
        postType: 'thread',
        threadParts: { [accountId]: Array(100_000).fill('a') },
        accountOverrides: [{ accountId, fields: Object.fromEntries(Array.from({ length: 18_000 }, (_, i) => [i, 1])) }],
      }))
    }
    yield make('many accounts', path, () => ({ accountIds: ids, caption: 'é'.repeat(300) }))
    yield make('many accounts with fields', path, () => ({
      accountIds: ids,
      accountOverrides: ids.map((accountId) => ({ accountId, fields: { a: Array(1_000).fill(1) } })),
    }))
  }
}

const tool = (args: Json): Json => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'validate_post', arguments: args },
})

/** A value of the type of a field, of about `bytes` bytes, with texts of `length` bytes. */
function fieldOf(rule: FieldValue, text: (bytes: number) => string, bytes: number, length: number): Json {
  const repeat = <T>(count: number, create: (index: number) => T) =>
    Array.from({ length: Math.max(1, Math.floor(count)) }, (_, i) => create(i))
  const fillObject = (properties: Readonly<Record<string, FieldValue>>, size: number): Json => {
    const entries = Object.entries(properties)
    return Object.fromEntries(
      entries.map(([key, each]) => [key, fieldOf(each, text, size / entries.length - 40, length)]),
    )
  }
  switch (rule.type) {
    case 'string[]':
      return repeat(bytes / (length + 10), (index) => text(Math.min(length, bytes)) + index)
    case 'object':
      return fillObject(rule.properties, bytes)
    case 'object[]': {
      const size = Math.min(bytes, Object.keys(rule.properties).length * (length + 60))
      return repeat(bytes / size, () => fillObject(rule.properties, size))
    }
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return 1
    default:
      return text(bytes)
  }
}

/** Large bodies for every operation. */
export function* largeBodies(seed: number, subjects: Subjects): Generator<Large> {
  yield* posts(seed, subjects)
  yield* filledPlaces(seed, subjects)
}
