import type { FieldRule, FieldTextRule, FieldValue, Properties, Source } from '../../src/platforms/limits.ts'
import { formatCodes, formatRange, joinParts, unitNames } from './limits-wording.ts'

/** The row of one key of `fields`, followed by a row for each property that its objects have. */
export const listField =
  (cite: (source: Source) => string) =>
  ([key, rule]: [string, FieldRule]): string[][] => [
    [`\`${key}\``, describeValue(rule), describeNotes(rule), cite(rule.source)],
    ...listProperties(key, rule),
  ]

function listProperties(path: string, rule: FieldValue): string[][] {
  if (rule.type !== 'object' && rule.type !== 'object[]') return []
  const prefix = rule.type === 'object[]' ? `${path}[]` : path
  return Object.entries<Properties[string]>(rule.properties).flatMap(([key, property]) => [
    [`\`${prefix}.${key}\``, describeValue(property), property.required ? '**required**' : '', ''],
    ...listProperties(`${prefix}.${key}`, property),
  ])
}

function describeNotes({
  required,
  refused,
  unused,
  withoutMedia,
  needMedia,
  default: value,
  description,
}: FieldRule): string {
  return joinParts([
    required && (required === true ? '**required**' : `**required** when ${required.when}`),
    value !== undefined && `default \`${value}\``,
    refused && `not when ${refused.when}`,
    withoutMedia && 'not with media',
    needMedia && `${formatCodes(needMedia)} need media`,
    description,
    unused && `no effect when ${unused.when}`,
  ])
}

function describeValue(rule: FieldValue): string {
  switch (rule.type) {
    case 'string':
      return joinParts(['string', ...describeText(rule)])
    case 'url':
      return joinParts([
        rule.attachments ? 'http(s) or attachment URL' : 'http(s) URL',
        formatRange(undefined, rule.lengthMax, ' code points'),
      ])
    case 'datetime':
      return 'RFC 3339 time'
    case 'integer':
    case 'number':
      return joinParts([rule.type, formatRange(rule.min, rule.max, '')])
    case 'enum':
      return formatCodes(rule.values)
    case 'string[]':
      return joinParts([
        rule.values ? `list of ${formatCodes(rule.values)}` : 'list of strings',
        formatRange(rule.itemsMin, rule.itemsMax, ' items'),
        ...describeText(rule.item ?? {}).map((limit) => limit && `each ${limit}`),
        rule.uniqueItems && 'no duplicates',
        rule.joinedLengthMax !== undefined && `≤ ${rule.joinedLengthMax} code points in total`,
      ])
    case 'object[]':
      return joinParts([
        'list of objects',
        formatRange(undefined, rule.itemsMax, ' items'),
        rule.totalLengthMax !== undefined && `≤ ${rule.totalLengthMax} code points in total`,
      ])
    default:
      return rule.type
  }
}

const describeText = ({ lengthMax, unit, bytesMax, pattern, notBlank }: FieldTextRule) => [
  formatRange(undefined, lengthMax, ` ${unitNames[unit ?? 'code points']}`),
  formatRange(undefined, bytesMax, ' bytes'),
  pattern?.expected,
  notBlank && 'not blank',
]
