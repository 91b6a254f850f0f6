import {
  Kind,
  type SchemaOptions,
  type Static,
  type TSchema,
  type TUnsafe,
  Type,
  TypeRegistry,
} from '@sinclair/typebox'

/** Teaches TypeBox's compiler the kinds below, which it does not bring. */
export function registerKinds(): void {
  TypeRegistry.Set<{ enum: readonly unknown[] }>('StringEnum', (schema, value) => schema.enum.includes(value))
  TypeRegistry.Set<{ maxLength?: number }>(
    'NullableString',
    ({ maxLength = Infinity }, value) => value === null || (typeof value === 'string' && value.length <= maxLength),
  )
  TypeRegistry.Set('NullableNumber', (_, value) => value === null || typeof value === 'number')
}

/** A string that is one of `values`; emitted as a plain `enum`, which client generators turn into a union. */
export function StringEnum<const T extends readonly string[]>(
  values: T,
  options: SchemaOptions = {},
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ ...options, [Kind]: 'StringEnum', type: 'string', enum: [...values] })
}

/** A string or null, emitted as one schema with two types: the serialiser is slow with `anyOf`. */
export function NullableString(options: SchemaOptions = {}): TUnsafe<string | null> {
  return Type.Unsafe<string | null>({ ...options, [Kind]: 'NullableString', type: ['string', 'null'] })
}

/** A number or null, emitted as `NullableString` is. */
export function NullableNumber(options: SchemaOptions = {}): TUnsafe<number | null> {
  return Type.Unsafe<number | null>({ ...options, [Kind]: 'NullableNumber', type: ['number', 'null'] })
}

/** A whole number or null, in answers. */
export const NullableInteger = (options: SchemaOptions = {}): TUnsafe<number | null> => ({
  ...NullableNumber(options),
  type: ['integer', 'null'],
})

/** Null or what `schema` describes. */
export function Nullable<T extends TSchema>(schema: T, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** An object with any keys. The usual pattern for "any" overlooks keys with a line break, and lets their values pass. */
export const Dictionary = <T extends TSchema>(values: T, options: SchemaOptions = {}) =>
  Type.Record(Type.String({ pattern: '^[^]*$' }), values, options)

const DEFAULT = Symbol('default')

/**
 * A property that is optional in a request and that the validator sets to `value` where it is absent, so that handlers
 * always have it. The document must name the default in the description: openapi-typescript 7 makes a property of a body
 * with the keyword `default` required.
 */
export function Defaulted<T extends TSchema>(schema: T, value: Static<T>): T {
  return { ...Type.Optional(schema), [DEFAULT]: value } as unknown as T
}

/** The value that the validator sets where the property is absent; undefined for a property without a default. */
export const defaultOf = (property: TSchema): unknown => (property as { [DEFAULT]?: unknown })[DEFAULT]

/** A reference to the named component `schema`, typed as that schema. `options` stand beside the reference. */
export function Ref<T extends TSchema>(schema: T, options: SchemaOptions = {}): TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ ...Type.Ref(schema.$id!), ...options })
}

const named = (examples: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))

/** What one request of an operation looks like, with an example of each case. */
export const Body = <T extends TSchema>(schema: T, examples: Record<string, unknown>) =>
  Ref(schema, { 'x-examples': named(examples) })

/** What one answer of an operation looks like: its body, what it means, and an example of each case. */
export const Answer = <T extends TSchema>(schema: T, description: string, examples: Record<string, unknown>) =>
  Ref(schema, { description, 'x-examples': named(examples) })

type Headers = Record<string, { type: string; description: string }>

/** An answer that is a file of one of `types`. */
export const Bytes = (types: readonly string[], description: string, headers: Headers) => ({
  description,
  headers,
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
})

/** An answer without a body. */
export const NoBody = (description: string, headers: Headers) => ({ description, headers, type: 'null' })

/** How many items a page holds and where it starts, counted from the newest. */
export const PAGE = { limitDefault: 25, limitMax: 100, offsetDefault: 0 } as const

/** The form of ids, and of cursors: a cursor is the id of the last item of the previous page. */
export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

/** Comes before every item. */
export const CURSOR_OF_FIRST_PAGE = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const Limit = (options: SchemaOptions = {}) =>
  Type.Integer({
    minimum: 1,
    maximum: PAGE.limitMax,
    description: 'How many items the page holds at most.',
    ...options,
  })

/** Above 2^53 a number is no longer exact, in JSON as in JavaScript. */
export const Offset = (options: SchemaOptions = {}) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'How many items, counted from the newest, come before the page.',
    ...options,
  })

export const NextCursor = () =>
  NullableString({
    description:
      'What to give as `cursor` to get the page after this one; `null` where this one is not full, and so the last.',
  })

export const PageQuery = Type.Object({
  limit: Defaulted(
    Limit({
      default: PAGE.limitDefault,
      examples: [PAGE.limitDefault],
      description: `How many items the page holds at most: 1 to ${PAGE.limitMax}, ${PAGE.limitDefault} when left out.`,
    }),
    PAGE.limitDefault,
  ),
  offset: Defaulted(
    Offset({
      default: PAGE.offsetDefault,
      examples: [PAGE.offsetDefault],
      description:
        'How many items, counted from the newest, come before the page: 0 or more, 0 when left out. What is created between two calls moves older items on. The further it goes, the longer it takes: to read a long list, use `cursor`.',
    }),
    PAGE.offsetDefault,
  ),
  // Without an example: Swagger UI would send it.
  cursor: Type.Optional(
    Type.String({
      pattern: UUID_PATTERN,
      description:
        'The `nextCursor` of a page, to get the one after it: a string without a meaning, the first page when left out. It stays good whatever is created or deleted meanwhile, and every page takes the same time. Not together with an `offset`.',
    }),
  ),
})
export type PageQuery = Static<typeof PageQuery>

export const Deleted = Type.Object(
  { success: Type.Literal(true, { description: 'Always `true`: a failure has another status.' }) },
  { $id: 'Deleted', description: 'What was to be deleted no longer exists.', examples: [{ success: true }] },
)
export type Deleted = Static<typeof Deleted>
