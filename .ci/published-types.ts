import { type Document, operationsOf, type Schema } from '../test/helpers/document.ts'

/**
 * The types of the API as TypeScript without imports: each component of the document, and the query of each operation
 * that has one as `ListPostsQuery`.
 */
export function publishedTypes(document: Document): string {
  const components = Object.entries(document.components.schemas).map(([name, schema]) => declare(name, schema))
  const queries = operationsOf(document).flatMap(({ operationId, parameters = [] }) => {
    const inQuery = parameters.filter((parameter) => parameter.in === 'query')
    if (inQuery.length === 0) return []
    const properties = Object.fromEntries(
      inQuery.map(({ name, description, schema }) => [name, { ...schema, description }]),
    )
    const required = inQuery.filter((parameter) => parameter.required).map(({ name }) => name)
    return declare(`${operationId[0]!.toUpperCase()}${operationId.slice(1)}Query`, {
      type: 'object',
      properties,
      required,
    })
  })
  // The query of the lists without filters.
  return [...components, ...queries, 'export type PageQuery = ListKeysQuery', ''].join('\n')
}

const declare = (name: string, schema: Schema) => `${comment(schema)}export type ${name} = ${typeOf(schema)}`

function typeOf(schema: Schema): string {
  const { $ref, anyOf = schema.oneOf, properties, items, additionalProperties } = schema
  if ($ref) return $ref.split('/').at(-1)!
  if (anyOf) return anyOf.map(typeOf).join(' | ')
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (items) return `Array<${typeOf(items)}>`
  if (properties) return objectOf(properties, schema.required ?? [])
  if (schema.type === 'object')
    return `Record<string, ${additionalProperties ? typeOf(additionalProperties as Schema) : 'unknown'}>`
  if (schema.type === undefined) return 'unknown'
  return [schema.type]
    .flat()
    .map((type) => (type === 'integer' ? 'number' : type))
    .join(' | ')
}

function objectOf(properties: Record<string, Schema>, required: string[]): string {
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema)}${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  return `{\n${members.join('\n')}\n}`
}

const comment = ({ description }: Schema) => (description ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : '')
