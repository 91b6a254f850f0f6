import { json, type Operation, operationsOf, readDocument, type Schema } from '../helpers/document.ts'

/** The ids that the requests of a sweep name. */
export interface Named {
  account: string
  post: string
  media: string
  organization: string
  connection: string
  key: string
  event: string
  webhook: string
  /** The tenant and its resources belong to no caller of the sweep. */
  tenant: string
  tenantOrganization: string
  tenantKey: string
  platform: string
}

export interface SweptRequest {
  operation: Operation
  path: string
  /** Absent without a body. */
  body?: object
  /** Whether the body is a form with a file. */
  isForm?: true
}

const document = readDocument()
const operations = operationsOf(document)

const deref = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)!]!

/** The id for a parameter of a path, by the segment before it. */
export function idOf(path: string, name: string, named: Omit<Named, 'organization'>): string {
  const segments = path.split('/')
  const collection = segments[segments.indexOf(`{${name}}`) - 1]!
  const isTenant = segments.includes('users') || segments.includes('organizations')
  const ids: Record<string, string> = {
    posts: named.post,
    deliveries: named.account,
    accounts: named.account,
    media: named.media,
    connections: named.connection,
    events: named.event,
    keys: isTenant ? named.tenantKey : named.key,
    'connected-apps': named.key,
    webhooks: named.webhook,
    apps: named.platform,
    platforms: named.platform,
    users: named.tenant,
    members: named.tenant,
    organizations: named.tenantOrganization,
    options: 'boardId',
  }
  const id = ids[collection]
  if (id === undefined) throw new Error(`No id for the parameter ${name} of ${path}: add its collection to idOf`)
  return id
}

/** The values of the properties and query parameters that name something. */
const namesOf = (named: Named): Record<string, unknown> => ({
  accountIds: [named.account],
  accountId: named.account,
  mediaIds: [named.media],
  organizationId: named.organization,
})

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/**
 * Every request of an operation that its document suggests: with each example, and with everything named that can be
 * named.
 */
function requestsOf(operation: Operation, named: Named): SweptRequest[] {
  const names = namesOf(named)
  const parameters = operation.parameters ?? []
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => idOf(operation.path, name, named))
  const required = parameters.filter((each) => each.in === 'query' && each.required)
  const query = (given: Record<string, unknown>) => {
    const search = new URLSearchParams(
      required.map(({ name, schema, example }): [string, string] => [
        name,
        String(example ?? schema.examples?.[0] ?? schema.enum![0]),
      ]),
    )
    for (const [name, value] of Object.entries(given)) search.set(name, String(value))
    return search.size > 0 ? `${path}?${search}` : path
  }
  const naming = parameters.filter((each) => each.in === 'query' && each.name in names).map(({ name }) => name)
  const paths = [query({}), ...naming.map((name) => query({ [name]: names[name] }))]
  if (!operation.requestBody) return paths.map((path) => ({ operation, path }))
  if (!operation.requestBody.content['application/json']) return [{ operation, path: paths[0]!, isForm: true }]

  const { schema, examples } = json(operation.requestBody)
  // The ids of the examples are those of accounts, except where a property names something else.
  const bodies = Object.values(examples).map(({ value }) => ({
    ...JSON.parse(JSON.stringify(value).replace(UUID, named.account)),
    ...pick(names, Object.keys(value as object)),
  }))
  const { properties = {}, anyOf = [] } = deref(schema)
  const known = [properties, ...anyOf.map((each) => deref(each).properties ?? {})].flatMap(Object.keys)
  bodies.push({ ...bodies[0], ...pick(names, known) })
  return bodies.flatMap((body) => paths.map((path) => ({ operation, path, body })))
}

const pick = (values: Record<string, unknown>, names: string[]) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)))

/** The operations of the document, each with its requests. */
export const sweptOperations = operations.map((operation) => ({
  operation,
  requests: (named: Named) => requestsOf(operation, named),
}))
