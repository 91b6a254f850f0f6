import type { FieldTextRule, FieldValue, Platform, Properties, TitleRule } from '../../platforms/contract/limits.ts'
import { WEB_OR_ATTACHMENT_URL_FORM, WEB_URL_FORM } from '../../platforms/rules/field-value.ts'

export type JsonSchema = { [keyword: string]: unknown }

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/** The `fields` of a scheduled post as JSON Schema. What it cannot express is in `listConditions`. */
export function describeFields({ fields, title }: Platform): JsonSchema {
  const properties = Object.entries(fields).map(([key, rule]) => {
    const isRequired = rule.required === true
    const { description: expected, ...value } = describeValue(rule, { isRequired, isNullable: false })
    const schema = {
      ...value,
      ...(key === title?.field && describeTitle(title)),
      ...(rule.default !== undefined && { default: rule.default }),
    }
    const unused = rule.unused && `has no effect when ${rule.unused.when}`
    const description = [rule.description, expected, unused].filter((text) => text !== undefined).join('; ')
    return [key, description === '' ? schema : { ...schema, description }] as const
  })
  const required = Object.keys(fields).filter((key) => fields[key]!.required === true)
  return {
    $schema: DIALECT,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  }
}

interface Place {
  /** An empty value counts as absent. */
  isRequired: boolean
  /** Null counts as absent. */
  isNullable: boolean
}

function describeValue(rule: FieldValue, { isRequired, isNullable }: Place): JsonSchema {
  const typeOf = (type: string) => ({ type: isNullable ? [type, 'null'] : type })
  switch (rule.type) {
    case 'string':
      return { ...typeOf('string'), ...describeText(rule, isRequired ? 'not blank' : 'blank') }
    case 'url':
      return {
        ...typeOf('string'),
        pattern: (rule.attachments ? WEB_OR_ATTACHMENT_URL_FORM : WEB_URL_FORM).source,
        ...optional('maxLength', rule.lengthMax),
      }
    case 'datetime':
      return { ...typeOf('string'), format: 'date-time' }
    case 'boolean':
      return typeOf('boolean')
    case 'integer':
    case 'number':
      return { ...typeOf(rule.type), ...optional('minimum', rule.min), ...optional('maximum', rule.max) }
    case 'enum':
      return { ...typeOf('string'), enum: isNullable ? [...rule.values, null] : [...rule.values] }
    case 'string[]': {
      const { item = {}, values, itemsMin = 0, itemsMax } = rule
      const items = { type: 'string', ...(values ? { enum: [...values] } : describeText(item)) }
      const minItems = Math.max(itemsMin, isRequired ? 1 : 0)
      return {
        ...typeOf('array'),
        items,
        ...optional('minItems', minItems || undefined),
        ...optional('maxItems', itemsMax),
      }
    }
    case 'object':
      return { ...typeOf('object'), ...describeProperties(rule.properties) }
    case 'object[]': {
      const items = { type: 'object', ...describeProperties(rule.properties) }
      return {
        ...typeOf('array'),
        items,
        ...optional('minItems', isRequired ? 1 : undefined),
        ...optional('maxItems', rule.itemsMax),
      }
    }
  }
}

function describeProperties(properties: Properties): JsonSchema {
  const described = Object.entries(properties).map(([key, rule]) => {
    const isRequired = rule.required === true
    return [key, describeValue(rule, { isRequired, isNullable: !isRequired })] as const
  })
  const required = Object.keys(properties).filter((key) => properties[key]!.required === true)
  return { properties: Object.fromEntries(described), ...(required.length > 0 && { required }) }
}

const BLANK = '^\\s*$'

/** `blank`: every blank text is allowed, whatever the pattern. `not blank`: none is. */
function describeText(rule: FieldTextRule, blanks?: 'blank' | 'not blank'): JsonSchema {
  const pattern = rule.pattern?.regex.source
  const common = { ...optional('maxLength', findMaxLength(rule)), ...optional('description', rule.pattern?.expected) }
  if (rule.notBlank || blanks === 'not blank') {
    return pattern === undefined ? { ...common, pattern: '\\S' } : { ...common, pattern, not: { pattern: BLANK } }
  }
  return { ...common, ...optional('pattern', blanks && pattern !== undefined ? `${BLANK}|${pattern}` : pattern) }
}

/** In code points, of which a text has no more than bytes. A text whose ends do not count may be longer. */
function findMaxLength({ lengthMax, unit, bytesMax, trimmed }: FieldTextRule): number | undefined {
  if (trimmed) return undefined
  return unit === undefined ? (lengthMax ?? bytesMax) : bytesMax
}

/** No text has more code points than UTF-16 units or bytes. */
const describeTitle = ({ lengthMax, forbiddenCharacters = [] }: TitleRule): JsonSchema => ({
  maxLength: lengthMax,
  ...(forbiddenCharacters.length > 0 && { pattern: `^[^${forbiddenCharacters.map(escapeInClass).join('')}]*$` }),
})

const escapeInClass = (character: string) => character.replace(/[\\\]^-]/, '\\$&')

const optional = (keyword: string, value: unknown): JsonSchema => (value === undefined ? {} : { [keyword]: value })
