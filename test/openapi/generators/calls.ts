import { type Operation, operationsOf, readDocument } from '../../helpers/document.ts'

/** A call of an operation with nothing but what it requires. Values are expressions of TypeScript. */
export interface Call {
  operationId: string
  method: string
  path: string
  /** By name, in the order of the path. */
  ids: Record<string, string>
  query: Record<string, string>
  body: string | undefined
}

/** A generator, and how its client is called. */
interface Generator {
  /** The command within `node_modules`, which writes to the folder `client`. */
  command: string[]
  imports: string
  toCall(call: Call): string
  /** Bodies of operations for which the example of the document is not what the client takes. */
  bodies: Record<string, string>
}

const valuesOf = ({ parameters = [] }: Operation, place: 'path' | 'query') =>
  Object.fromEntries(
    parameters
      .filter(({ in: each, required }) => each === place && required)
      .map(({ name, example }) => [name, JSON.stringify(example)]),
  )

/** The shortest example of a required body. */
function bodyOf({ requestBody }: Operation): string | undefined {
  if (!requestBody?.required) return undefined
  const examples = Object.values(requestBody.content['application/json']?.examples ?? {})
  return examples.map(({ value }) => JSON.stringify(value)).sort((a, b) => a.length - b.length)[0]
}

/** One call of each operation. */
export const CALLS: Call[] = operationsOf(readDocument()).map((operation) => ({
  operationId: operation.operationId,
  method: operation.method,
  path: operation.path,
  ids: valuesOf(operation, 'path'),
  query: valuesOf(operation, 'query'),
  body: bodyOf(operation),
}))

const toObject = (values: Record<string, string>) =>
  `{ ${Object.entries(values)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')} }`

/** An object with the values that are neither absent nor empty. */
function toOptions(values: Record<string, string | Record<string, string> | undefined>): string {
  const given = Object.entries(values).flatMap(([name, value]) => {
    if (typeof value === 'object') return Object.keys(value).length > 0 ? [[name, toObject(value)]] : []
    return value === undefined ? [] : [[name, value]]
  })
  return given.length > 0 ? toObject(Object.fromEntries(given)) : ''
}

const toArguments = ({ operationId, ids, query, body }: Call) =>
  `api.${operationId}(${[...Object.values(ids), ...(body ? [body] : []), ...(Object.keys(query).length > 0 ? [toObject(query)] : [])].join(', ')})`

export const GENERATORS: Record<string, Generator> = {
  'hey-api': {
    command: ['@hey-api/openapi-ts/bin/run.js', '--input', 'openapi.json', '--output', 'client', '--silent'],
    imports: `import * as api from './client/index.ts'`,
    toCall: ({ operationId, ids, query, body }) => `api.${operationId}(${toOptions({ path: ids, query, body })})`,
    bodies: { uploadMedia: '{ file: new Blob() }' },
  },
  orval: {
    command: ['orval/dist/bin/orval.js', '--input', 'openapi.json', '--output', 'client/api.ts', '--client', 'fetch'],
    imports: `import * as api from './client/api.ts'`,
    toCall: toArguments,
    bodies: { uploadMedia: '{ file: new Blob() }' },
  },
  'swagger-typescript-api': {
    command: ['swagger-typescript-api/dist/cli.mjs', 'generate', '-p', 'openapi.json', '-o', 'client', '-n', 'api.ts'],
    imports: `import { Api, KeyScope, PlatformId, PostStatus, Role } from './client/api.ts'\n\nconst { api } = new Api()`,
    toCall: toArguments,
    // It makes enums of TypeScript, which take no text.
    bodies: {
      createConnection: '{ platform: PlatformId.X }',
      createKey: `{ name: 'a', scopes: [KeyScope.PostsRead] }`,
      createUserKey: `{ name: 'a', scopes: [KeyScope.PostsRead] }`,
      updateKey: '{ scopes: [KeyScope.PostsRead] }',
      putMember: '{ role: Role.Member }',
      deletePosts: '{ filters: { status: [PostStatus.Draft] }, dryRun: true }',
      createWebhook: `{ url: 'https://www.example.com/hook' }`,
      updateWebhook: `{ url: 'https://www.example.com/hook' }`,
      uploadMedia: `{ file: new File([], 'a') }`,
    },
  },
  'openapi-typescript with openapi-fetch': {
    command: ['openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'client/schema.ts'],
    imports: `import createClient from 'openapi-fetch'
import type { paths } from './client/schema.ts'

const api = createClient<paths>({ baseUrl: 'http://127.0.0.1:3000' })`,
    toCall: ({ method, path, ids, query, body }) => {
      const options = toOptions({ params: toOptions({ path: ids, query }) || undefined, body })
      return `api.${method}('${path}'${options && `, ${options}`})`
    },
    // It types every file as a string: https://openapi-ts.dev/node#example-blob-types
    bodies: { uploadMedia: `{ file: '' }, bodySerializer: () => new FormData()` },
  },
}
