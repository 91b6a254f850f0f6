import * as definitions from '../schemas/operations/index.ts'
import { type Document, type Operation, operationsOf, type Schema } from '../test/helpers/document.ts'

const DEFINITIONS = Object.values(definitions) as { sdk?: string; schema: { operationId?: string } }[]

/** The methods of the SDK that are operations of the node. Their names become those of resources and operations. */
const METHODS = [
  ...['create', 'validate', 'update', 'list', 'get', 'publish', 'delete', 'metrics'].map((name) => `posts.${name}`),
  ...['list', 'retry', 'retryAll', 'cancel', 'metrics'].map((name) => `deliveries.${name}`),
  'uploads.create',
  'uploads.fromUrl',
  'media.list',
  'accounts.list',
]

/** Optional parameters that stand beside those that are required. */
const SHOWN: Record<string, string[]> = {
  createPost: ['caption'],
  validatePost: ['caption'],
  createWebhook: ['types', 'accountIds'],
}
/** The node follows pages by itself, and it has no use for a 304. */
const HIDDEN = ['limit', 'offset', 'cursor', 'If-None-Match']
const WORDS: Record<string, string> = { Id: 'ID', Ids: 'IDs', Url: 'URL', Urls: 'URLs', Q: 'Search' }
/** The linter requires this sentence for lists that are loaded. */
const CHOOSE =
  'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'body'
  required: boolean
  description: string
  schema: Schema
}

/** https://docs.n8n.io/connect/create-nodes/build-your-node/reference/user-interface-elements */
type Property = Record<string, unknown> & { displayName: string; name: string }
type Resolve = (schema: Schema) => Schema

/** The TypeScript module with the properties of both nodes, and with the requests of the operations. */
export function describeNodes(document: Document): string {
  const all = operationsOf(document)
  const resolve = resolverOf(document)
  const operations = METHODS.map((method) => {
    const [resource, name] = method.split('.') as [string, string]
    const { operationId } = DEFINITIONS.find(({ sdk }) => sdk === method)!.schema
    const operation = all.find((each) => each.operationId === operationId)!
    const parameters = parametersOf(operation, resolve)
    return { resource: resource.replace(/ies$/, 'y').replace(/s$/, ''), name, operation, parameters }
  })
  const resources = Map.groupBy(operations, ({ resource }) => resource)
  const properties = [
    choice(
      'resource',
      {},
      [...resources.keys()].map((value) => ({ name: toTitle(value), value })),
    ),
    ...[...resources].map(([resource, each]) =>
      choice(
        'operation',
        { displayOptions: { show: { resource: [resource] } } },
        each.map(({ name, operation: { summary } }) => ({
          name: toTitle(name),
          value: name,
          description: summary,
          action: summary,
        })),
      ),
    ),
    ...operations.flatMap(({ resource, name, operation, parameters }) => {
      const displayOptions = { show: { resource: [resource], operation: [name] } }
      const hasCursor = parameters.some(({ name }) => name === 'cursor')
      const paging = hasCursor && isList(operation, resolve) ? PAGING : []
      return [...propertiesOf(operation, parameters, resolve), ...paging].map((property) => ({
        ...property,
        displayOptions: { show: { ...displayOptions.show, ...(property.displayOptions as { show: object })?.show } },
      }))
    }),
  ]
  const requests = operations.map(({ resource, name, operation, parameters }) => [
    `${resource}.${name}`,
    requestOf(operation, parameters, resolve),
  ])
  const webhook = all.find(({ operationId }) => operationId === 'createWebhook')!
  const trigger = parametersOf(webhook, resolve).filter(({ name }) => name !== 'url')
  return `import type { INodeProperties } from 'n8n-workflow'
import type { Operation } from './operation.ts'

export const PROPERTIES: INodeProperties[] = ${toLiteral(properties)}

export const OPERATIONS: Record<string, Operation> = ${toLiteral(Object.fromEntries(requests))}

export const TRIGGER_PROPERTIES: INodeProperties[] = ${toLiteral(propertiesOf(webhook, trigger, resolve))}
`
}

const PAGING: Property[] = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    displayOptions: { show: { returnAll: [false] } },
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
  },
]

const choice = (name: string, more: object, options: { name: string; value: string }[]): Property => ({
  displayName: toTitle(name),
  name,
  type: 'options',
  noDataExpression: true,
  ...more,
  options: byName(options),
  default: options[0]!.value,
})

function parametersOf({ parameters = [], requestBody }: Operation, resolve: Resolve): Parameter[] {
  const { properties = {}, required = [] } = bodyOf(requestBody, resolve)
  const inBody = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'body' as const,
    required: required.includes(name),
    description: schema.description ?? resolve(schema).description ?? '',
    schema,
  }))
  return [...parameters.map((parameter) => ({ required: false, ...parameter })), ...inBody]
}

const bodyOf = (body: Operation['requestBody'], resolve: Resolve): Schema =>
  body ? resolve(Object.values(body.content)[0]!.schema) : {}

/** Gives what a reference leads to, without `null`. */
function resolverOf(document: Document): Resolve {
  return function resolve(schema) {
    if (schema.$ref) return resolve(document.components.schemas[schema.$ref.split('/').at(-1)!]!)
    const others = schema.anyOf?.filter(({ type }) => type !== 'null')
    if (others?.length === 1) return resolve(others[0]!)
    return schema
  }
}

function propertiesOf({ operationId }: Operation, parameters: Parameter[], resolve: Resolve): Property[] {
  const visible = parameters.filter(({ name }) => !HIDDEN.includes(name))
  const shown = visible.filter((parameter) => isShown(operationId, parameter))
  const additional = visible.filter((parameter) => !isShown(operationId, parameter))
  return [
    ...shown.map((parameter) => ({
      ...toProperty(parameter, resolve),
      ...(parameter.required && { required: true }),
    })),
    ...(additional.length === 0
      ? []
      : [
          {
            displayName: 'Additional Fields',
            name: 'additionalFields',
            type: 'collection',
            placeholder: 'Add Field',
            default: {},
            options: additional
              .map((parameter) => toProperty(parameter, resolve))
              .toSorted((a, b) => compare(a.displayName, b.displayName)),
          },
        ]),
  ]
}

const isShown = (operationId: string, { name, required }: Parameter) =>
  required || (SHOWN[operationId]?.includes(name) ?? false)

function toProperty(parameter: Parameter, resolve: Resolve): Property {
  const { name, description } = parameter
  const schema = resolve(parameter.schema)
  const values = (schema.enum ?? (schema.items && resolve(schema.items).enum)) as string[] | undefined
  const text = { displayName: toTitle(name), name, description: toHtml(description) }
  if (name === 'accountId' || name === 'accountIds') {
    const [title, type, empty] = schema.items ? ['Names or IDs', 'multiOptions', []] : ['Name or ID', 'options', '']
    const loaded = { type, typeOptions: { loadOptionsMethod: 'getAccounts' }, default: empty }
    return {
      ...text,
      displayName: `Account ${title}`,
      ...loaded,
      description: schema.items ? CHOOSE : CHOOSE.replace('IDs', 'an ID'),
    }
  }
  if (values) {
    const options = byName(values.map((value) => ({ name: toTitle(value), value })))
    return {
      ...text,
      type: schema.items ? 'multiOptions' : 'options',
      options,
      default: schema.items ? [] : options[0]!.value,
    }
  }
  const kind = kindOf(schema, resolve)
  if (kind === 'file') return { ...text, displayName: 'Input Binary Field', type: 'string', default: 'data' }
  if (kind === 'localTime') return { ...text, type: 'dateTime', default: '' }
  if (kind === 'json')
    return { ...text, type: 'json', default: JSON.stringify(schema.examples?.[0] ?? (schema.items ? [] : {})) }
  if (schema.items) return { ...text, type: 'string', typeOptions: { multipleValues: true }, default: [] }
  if (schema.type === 'boolean') return { ...text, type: 'boolean', default: false }
  if (schema.type === 'integer') return { ...text, type: 'number', default: 0 }
  if (schema.pattern?.startsWith('^#')) return { ...text, type: 'color', default: schema.examples![0] }
  const placeholder = schema.format === 'date-time' ? { placeholder: 'e.g. 2027-01-15T09:30:00Z' } : {}
  return { ...text, type: 'string', default: '', ...placeholder }
}

/** The kind of a value that the node has to convert; undefined for the others. */
function kindOf(schema: Schema, resolve: Resolve): 'file' | 'localTime' | 'json' | undefined {
  if (schema.format === 'binary') return 'file'
  if (schema.anyOf?.some(({ format }) => format === 'date-time')) return 'localTime'
  const { type } = schema.items ? resolve(schema.items) : schema
  const isNested = schema.items !== undefined && type === 'array'
  return type === undefined || type === 'object' || isNested ? 'json' : undefined
}

function requestOf(operation: Operation, parameters: Parameter[], resolve: Resolve): object {
  const { operationId, method, path } = operation
  const fields = parameters
    .filter(({ name }) => !HIDDEN.includes(name))
    .map((parameter) => {
      const type = kindOf(resolve(parameter.schema), resolve)
      return [
        parameter.name,
        { in: parameter.in, ...(isShown(operationId, parameter) && { isShown: true }), ...(type && { type }) },
      ]
    })
  const cursor = parameters.find(({ name }) => name === 'cursor')
  const isSafe = method === 'GET' || method === 'DELETE' || operation['x-required-scope'] === 'posts:read'
  return {
    method,
    path: path.replace('/api/v1', ''),
    fields: Object.fromEntries(fields),
    ...(cursor && { cursorIn: cursor.in }),
    ...(isList(operation, resolve) && { isList: true }),
    ...((isSafe || parameters.some(({ name }) => name === 'Idempotency-Key')) && { isRepeatable: true }),
    ...(operation.tags.includes('media') && method === 'POST' && { isUpload: true }),
  }
}

function isList({ responses }: Operation, resolve: Resolve): boolean {
  const [success] = Object.values(responses)
  return 'data' in (resolve(success!.content['application/json']!.schema).properties ?? {})
}

const compare = (a: string, b: string) => a.localeCompare(b, 'en')
const byName = <T extends { name: string }>(options: T[]): T[] => options.toSorted((a, b) => compare(a.name, b.name))

/** `mediaIds` becomes `Media IDs`. */
const toTitle = (name: string) =>
  name
    .split(/[-_.]|(?=[A-Z])/)
    .map((word) => `${word[0]!.toUpperCase()}${word.slice(1)}`)
    .map((word) => WORDS[word] ?? (word === '*' ? '(All)' : word))
    .join(' ')

/** The first paragraph of a description, in the HTML and in the style that n8n requires. */
function toHtml(markdown: string): string {
  const [paragraph] = markdown.split('\n\n')
  const parts = paragraph!.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').split('`')
  const text = parts
    .map((part, index) => (index % 2 ? `<code>${part}</code>` : part.replaceAll(/\bid(s?)\b/g, 'ID$1')))
    .join('')
  return text.includes('. ') ? text : text.replace(/\.$/, '')
}

/** A literal with plain keys: the linter reads no others. */
const toLiteral = (value: unknown) => JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([a-zA-Z]+)":/gm, '$1$2:')
