import type { FieldRule, FieldTextRule, FieldValue, Properties, Source } from '../../src/platforms/limits.ts'
import { codes, range, semicolons, unitNames } from './limits-wording.ts'

/** The row of one key of `fields`, followed by a row for each property that its objects have. */
export const fieldRows =
  (cite: (source: Source) => string) =>
  ([key, rule]: [string, FieldRule]): string[][] => [
    [`\`${key}\``, fieldValue(rule), fieldNotes(rule), cite(rule.source)],
    ...propertyRows(key, rule),
  ]

function propertyRows(path: string, rule: FieldValue): string[][] {
  if (rule.type !== 'object' && rule.type !== 'object[]') return []
  const prefix = rule.type === 'object[]' ? `${path}[]` : path
  return Object.entries<Properties[string]>(rule.properties).flatMap(([key, property]) => [
    [`\`${prefix}.${key}\``, fieldValue(property), property.required ? '**required**' : '', ''],
    ...propertyRows(`${prefix}.${key}`, property),
  ])
}

function fieldNotes({ required, refused, withoutMedia, default: value, description }: FieldRule): string {
  return semicolons([
    required && (required === true ? '**required**' : `**required** when ${required.when}`),
    value !== undefined && `default \`${value}\``,
    refused && `not when ${refused.when}`,
    withoutMedia && 'not with media',
    description,
  ])
}

function fieldValue(rule: FieldValue): string {
  switch (rule.type) {
    case 'string':
      return semicolons(['string', ...textLimits(rule)])
    case 'url':
      return semicolons(['http(s) URL', range(undefined, rule.lengthMax, ' code points')])
    case 'datetime':
      return 'RFC 3339 time'
    case 'integer':
    case 'number':
      return semicolons([rule.type, range(rule.min, rule.max, '')])
    case 'enum':
      return codes(rule.values)
    case 'string[]':
      return semicolons([
        rule.values ? `list of ${codes(rule.values)}` : 'list of strings',
        range(rule.itemsMin, rule.itemsMax, ' items'),
        ...textLimits(rule.item ?? {}).map((limit) => limit && `each ${limit}`),
        rule.uniqueItems && 'no duplicates',
        rule.joinedLengthMax !== undefined && `≤ ${rule.joinedLengthMax} code points in total`,
      ])
    case 'object[]':
      return semicolons([
        'list of objects',
        range(undefined, rule.itemsMax, ' items'),
        rule.totalLengthMax !== undefined && `≤ ${rule.totalLengthMax} code points in total`,
      ])
    default:
      return rule.type
  }
}

const textLimits = ({ lengthMax, unit, bytesMax, pattern, notBlank }: FieldTextRule) => [
  range(undefined, lengthMax, ` ${unitNames[unit ?? 'code points']}`),
  range(undefined, bytesMax, ' bytes'),
  pattern?.expected,
  notBlank && 'not blank',
]
