import {
  Kind,
  type SchemaOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
  TypeRegistry,
} from '@sinclair/typebox'
import { WEB_ADDRESS } from './text-forms.ts'

/** Registers the kinds below with TypeBox's compiler, which otherwise throws on them. */
export function registerKinds(): void {
  TypeRegistry.Set<{ enum: readonly unknown[] }>('StringEnum', (schema, value) => schema.enum.includes(value))
  TypeRegistry.Set('ListedText', (_, value) => typeof value === 'string')
  TypeRegistry.Set<{ maxLength: number }>(
    'FormedText',
    ({ maxLength }, value) => typeof value === 'string' && value.length <= maxLength,
  )
  TypeRegistry.Set<{ maxLength?: number }>(
    'NullableString',
    ({ maxLength = Infinity }, value) => value === null || (typeof value === 'string' && value.length <= maxLength),
  )
  TypeRegistry.Set<{ maxLength: number }>(
    'WebAddress',
    ({ maxLength }, value) => typeof value === 'string' && value.length <= maxLength && URL.canParse(value),
  )
  TypeRegistry.Set('NullableNumber', (_, value) => value === null || typeof value === 'number')
}

/** The pattern of a text that is neither empty nor only white space. */
export const NOT_BLANK = '\\S'

/** A string that is one of `values`; emitted as a plain `enum`, which client generators turn into a union. */
export function StringEnum<const T extends readonly string[]>(
  values: T,
  options: SchemaOptions = {},
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ ...options, [Kind]: 'StringEnum', type: 'string', enum: [...values] })
}

/**
 * A string that should be one of `values`, emitted as `StringEnum` is. Others pass: the operation has an error of its
 * own for them.
 */
export function ListedText(values: readonly string[], options: SchemaOptions = {}): TUnsafe<string> {
  return Type.Unsafe<string>({ ...options, [Kind]: 'ListedText', type: 'string', enum: [...values] })
}

/**
 * An address, emitted with the pattern of a web address. Each that a URL parser reads passes: the operation says which
 * of them it takes.
 */
export function WebAddress(options: SchemaOptions & { maxLength: number }): TUnsafe<string> {
  return Type.Unsafe<string>({ ...options, [Kind]: 'WebAddress', type: 'string', pattern: WEB_ADDRESS })
}

/**
 * A string that should have a form, emitted with the pattern of it. Others pass: the operation has an error of its own
 * for them, which says more than that they do not match.
 */
export function FormedText(pattern: string, options: SchemaOptions & { maxLength: number }): TUnsafe<string> {
  return Type.Unsafe<string>({ ...options, [Kind]: 'FormedText', type: 'string', pattern })
}

/** A string or null, emitted as one schema with two types: the serialiser is slow with `anyOf`. */
export function NullableString(options: SchemaOptions = {}): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ ...options, [Kind]: 'NullableString', type: ['string', 'null'] })
}

/** A number or null, emitted as `NullableString` is. */
export function NullableNumber(options: SchemaOptions = {}): TUnsafe<number | null> {
  return Type.Unsafe<number | null>({ ...options, [Kind]: 'NullableNumber', type: ['number', 'null'] })
}

/** An integer or null, for responses only: the validator would let fractions pass. */
export const NullableInteger = (options: SchemaOptions = {}): TUnsafe<number | null> => ({
  ...NullableNumber(options),
  type: ['integer', 'null'],
})

export function Nullable<T extends TSchema>(schema: T, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/**
 * An object with arbitrary keys. TypeBox's own pattern does not match keys with a line break: it skips their values.
 */
export const Dictionary = <T extends TSchema>(values: T, options: SchemaOptions = {}) =>
  Type.Record(Type.String({ pattern: '^[^]*$' }), values, options)

const DEFAULT = Symbol('default')

/**
 * A property that is optional in a request and that the validator sets to `value` if it is absent, so that handlers
 * always have it. The document must name the default in the description: openapi-typescript 7 makes a property of a
 * body with the keyword `default` required.
 */
export function Defaulted<T extends TSchema>(schema: T, value: Static<T>): T {
  return { ...Type.Optional(schema), [DEFAULT]: value } as T
}

/** The value that the validator sets if the property is absent; undefined for a property without a default. */
export const defaultOf = (property: TSchema): unknown => (property as { [DEFAULT]?: unknown })[DEFAULT]

const ADVICE = Symbol('advice')

/** A schema that can say for some wrong values what to do instead. */
export const Advised = <T extends TSchema>(schema: T, advise: (value: string) => string | undefined): T =>
  ({ ...schema, [ADVICE]: advise }) as T

export const adviceOf = (schema: TSchema) => (schema as { [ADVICE]?: (value: string) => string | undefined })[ADVICE]

const TARGET = Symbol('target')

/**
 * A reference to the named component `schema`, typed as that schema. In the document nothing stands beside a reference:
 * @fastify/swagger drops it, except for what `Body` and `JsonResponse` add.
 */
export function Ref<T extends TSchema>(schema: T, options: SchemaOptions = {}): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ ...Type.Ref(schema.$id!), [TARGET]: () => schema, ...options })
}

/** The component that a reference leads to; undefined for anything else. */
export const targetOf = (reference: object): TSchema | undefined =>
  (reference as { [TARGET]?: () => TSchema })[TARGET]?.()

const toNamedExamples = (examples: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))

/** The JSON body of a request, with named examples. */
export const Body = <T extends TSchema>(schema: T, examples: Record<string, unknown>) =>
  Ref(schema, { 'x-examples': toNamedExamples(examples) })

/** A response with a JSON body: what the status means, and named examples. */
export const JsonResponse = <T extends TSchema>(schema: T, description: string, examples: Record<string, unknown>) =>
  Ref(schema, { description, 'x-examples': toNamedExamples(examples) })

type Headers = Record<string, { type: string; description: string }>

/** A response whose body is a file of one of `types`. */
export const FileResponse = (types: readonly string[], description: string, headers: Headers) => ({
  description,
  headers,
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
})

export const EmptyResponse = (description: string, headers: Headers) => ({ description, headers, type: 'null' })

/** `bytesMax`: after as many bytes of texts, no other item is on the page. */
export const PAGE = {
  limitDefault: 25,
  limitMax: 100,
  offsetDefault: 0,
  skippedMax: 100_000,
  bytesMax: 2 ** 21,
} as const

/** The form of ids, for patterns. */
export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
export const UUID_PATTERN = `^${UUID}$`
/** A cursor is the id of the last item of the previous page. Its own pattern gives it a message of its own. */
export const ID_CURSOR = `^(?:${UUID})$`

/** Lists are in descending order of ids, so that the greatest UUID precedes every item. */
export const CURSOR_OF_FIRST_PAGE = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const Limit = (options: SchemaOptions = {}) =>
  Type.Integer({
    minimum: 1,
    maximum: PAGE.limitMax,
    description: 'The maximum number of items on the page.',
    ...options,
  })

/** Above 2^53 a number is no longer exact, in JSON as in JavaScript. */
export const Offset = (options: SchemaOptions = {}) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The number of items before the page, counted from the newest.',
    ...options,
  })

export const NextCursor = () =>
  NullableString({
    description: 'The `cursor` of the next page. `null` where this page is not full, and therefore the last one.',
  })

export const PageQuery = Type.Object({
  limit: Defaulted(
    Limit({
      default: PAGE.limitDefault,
      examples: [PAGE.limitDefault],
      description: `The maximum number of items on the page: 1 to ${PAGE.limitMax}. Default: ${PAGE.limitDefault}.`,
    }),
    PAGE.limitDefault,
  ),
  offset: Defaulted(
    Offset({
      default: PAGE.offsetDefault,
      examples: [PAGE.offsetDefault],
      description: `The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past ${PAGE.skippedMax} items of a longer list, it is rejected (400). Use \`cursor\` to read a long list.`,
    }),
    PAGE.offsetDefault,
  ),
  // No example: Swagger UI would send it.
  cursor: Type.Optional(
    Type.String({
      pattern: ID_CURSOR,
      description:
        'The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0.',
    }),
  ),
})
export type PageQuery = Static<typeof PageQuery>

/** The same query parameters, and no others: with an unknown one, the request is rejected. */
export const Closed = <T extends TProperties>({ properties }: TObject<T>) =>
  Type.Object(properties, { additionalProperties: false })

export const Deleted = Type.Object(
  { success: Type.Literal(true, { description: 'Always `true`: a failure has another status.' }) },
  { $id: 'Deleted', description: 'The resource no longer exists.', examples: [{ success: true }] },
)
export type Deleted = Static<typeof Deleted>
