/*
 * Operations of the OpenAPI document as Markdown, for programs that read texts. Error responses are named by their
 * codes: all of them have one shape.
 */

interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: boolean | Schema
  [limit: string]: unknown
}

interface Example {
  summary?: string
  value?: unknown
}

type Content = Record<string, { schema: Schema; examples?: Record<string, Example> }>

interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<
    string,
    { description: string; headers?: Record<string, { description?: string }>; content?: Content }
  >
}

export interface OpenApiDocument {
  info: object
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** An operation with its method and path. */
export interface Endpoint {
  method: string
  path: string
  operation: Operation
}

export const listEndpoints = ({ paths }: OpenApiDocument): Endpoint[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** The page of an operation: what it does, its parameters, its body, its responses with their codes, and examples. */
export function operationPage({ method, path, operation }: Endpoint, { components }: OpenApiDocument): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const typeOf = createTypeNames(components.schemas)
  const content = createContentWriter(components.schemas, typeOf)
  return [
    `# ${operationId}`,
    `\`${method} ${path}\`: ${summary}`,
    description,
    ...(parameters.length > 0
      ? ['## Parameters', parameters.map((parameter) => parameterLine(parameter, typeOf)).join('\n')]
      : []),
    ...(requestBody ? ['## Body', ...content(requestBody.content)] : []),
    '## Responses',
    ...Object.entries(responses).flatMap(([status, { description, headers, content: body = {} }]) => [
      `### ${status}`,
      [description, headers?.['x-error-code']?.description].filter(Boolean).join(' '),
      ...(status < '400' ? content(body) : []),
    ]),
  ].join('\n\n')
}

type Parameter = NonNullable<Operation['parameters']>[number]

const parameterLine = ({ name, in: place, required, description, schema }: Parameter, typeOf: TypeNames) =>
  itemLine(name, [place, typeOf(schema)], required, description)

const itemLine = (name: string, facts: string[], isRequired: boolean | undefined, description: string | undefined) =>
  `- \`${name}\` (${[...facts, ...(isRequired ? ['required'] : [])].join(', ')})${
    description ? `: ${description.replace(/\s+/g, ' ')}` : ''
  }`

/** Writes contents with the properties of their schemas. A component is written once a page. */
function createContentWriter(components: Record<string, Schema>, typeOf: TypeNames) {
  const written = new Set<string>()

  function* lines(schema: Schema, indent: string): Generator<string> {
    for (const variant of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
      yield* lines(variant, indent)
    }
    if (schema.$ref) {
      const name = nameOf(schema.$ref)
      if (written.has(name)) return
      written.add(name)
      yield* lines(components[name]!, indent)
    }
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const { description } = property.$ref ? { ...components[nameOf(property.$ref)], ...property } : property
      yield indent + itemLine(name, [typeOf(property)], schema.required?.includes(name), description)
      yield* lines(property, `${indent}  `)
    }
    if (schema.items) yield* lines(schema.items, indent)
    if (typeof schema.additionalProperties === 'object') yield* lines(schema.additionalProperties, indent)
  }

  return (content: Content): string[] =>
    Object.entries(content).flatMap(([type, { schema, examples = {} }]) => [
      `\`${type}\`: ${typeOf(schema)}`,
      ...[[...lines(schema, '')].join('\n')].filter(Boolean),
      ...Object.entries(examples).map(
        ([name, { value }]) => `Example \`${name}\`:\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
      ),
    ])
}

const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)

const LIMITS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'maxProperties', 'pattern']

type TypeNames = (schema: Schema) => string

/** Names schemas in a few words, such as `array of PostTarget` or `string (uuid)`. */
function createTypeNames(components: Record<string, Schema>): TypeNames {
  return function typeOf(schema: Schema): string {
    const { $ref, type, format, enum: values, items, anyOf, oneOf, allOf } = schema
    if ($ref) return components[nameOf($ref)]!.type === 'object' ? nameOf($ref) : typeOf(components[nameOf($ref)]!)
    if (values) return values.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')
    const variants = anyOf ?? oneOf ?? allOf
    if (variants) return [...new Set(variants.map(typeOf))].join(allOf ? ' and ' : ' or ')
    const limits = LIMITS.filter((name) => schema[name] !== undefined).map((name) => `${name} \`${schema[name]}\``)
    const facts = [...(format ? [format] : []), ...limits]
    const noun = items ? `array of ${typeOf(items)}` : [type ?? 'any value'].flat().join(' or ')
    return facts.length > 0 ? `${noun} (${facts.join(', ')})` : noun
  }
}
