import type { FieldCondition } from '../../schemas/platform-detail.ts'
import type {
  FieldRule,
  FieldTextRule,
  FieldValue,
  ObjectRule,
  Platform,
  TextUnit,
  TitleRule,
} from '../platforms/contract/limits.ts'
import type { Source } from '../platforms/contract/source.ts'

/** Conditions that the schema of `fields` cannot express, in the order of its keys. */
export const listConditions = ({ fields, title, caption }: Platform): FieldCondition[] =>
  Object.entries(fields).flatMap(([key, rule]) => [
    ...listValueConditions([key], rule, rule.source),
    ...(key === title?.field ? listTitleConditions(title) : []),
    ...listFieldConditions(key, rule, caption.unit),
  ])

type Conditions = FieldCondition[]

/** Those that depend on the rest of the post, or that change what else is allowed. */
function listFieldConditions(key: string, rule: FieldRule, captionUnit: TextUnit): Conditions {
  const { required, refused, withoutMedia, needMedia, captionLengthMax, captionMarkup, source } = rule
  const { countsInText, countsAsLink, momentOfVideo } = rule
  const add = (rule: string, message: string, facts: Partial<FieldCondition> = {}): FieldCondition => ({
    path: [key],
    rule,
    ...facts,
    message,
    source,
  })
  const conditions: Conditions = []
  if (typeof required === 'object') conditions.push(add('field_required', `required when ${required.when}`))
  if (refused) conditions.push(add('field_refused', `not allowed when ${refused.when}`))
  if (withoutMedia) conditions.push(add('field_with_media', 'cannot be combined with media'))
  if (needMedia) conditions.push(add('field_without_media', `${needMedia.join(', ')} need media`))
  if (captionLengthMax !== undefined) {
    const facts = { limit: { max: captionLengthMax }, unit: captionUnit }
    conditions.push(add('caption_length', 'lowers the maximum length of the caption', facts))
  }
  if (countsInText) {
    const message = 'counts towards the caption, each part of a thread and the first comment'
    conditions.push(add('caption_length', message, { unit: countsInText }))
  }
  if (momentOfVideo) conditions.push(add('field_range', 'not after the end of the video'))
  if (countsAsLink) {
    const message =
      'counts towards the links of the caption or the first part of a thread, unless the same link is there'
    conditions.push(add('link_count', message))
  }
  if (captionMarkup) {
    const values = Object.keys(captionMarkup).join(' or ')
    conditions.push(add('caption_length', `with ${values}, markup does not count towards the length of the caption`))
    conditions.push(add('caption_markup', `with ${values}, the markup of the caption has to be valid`))
  }
  return conditions
}

function listTitleConditions({ field, lengthMax, unit, bytesMax, required, source }: TitleRule): Conditions {
  const common = { path: [field], source }
  const conditions: Conditions = []
  if (unit !== 'code points') {
    conditions.push({
      ...common,
      rule: 'title_length',
      limit: { max: lengthMax },
      unit,
      message: atMost(lengthMax, unit),
    })
  }
  if (bytesMax !== undefined) {
    const limit = { max: bytesMax }
    conditions.push({ ...common, rule: 'title_bytes', limit, unit: 'bytes', message: atMost(bytesMax, 'bytes') })
  }
  if (required) {
    const message = 'required when the caption has no line that could be the title'
    conditions.push({ ...common, rule: 'title_required', message })
  }
  return conditions
}

/** Those on the value itself. */
function listValueConditions(path: string[], rule: FieldValue, source: Source): Conditions {
  switch (rule.type) {
    case 'string':
      return listTextConditions(path, rule, source)
    case 'url':
      return [
        {
          path,
          rule: 'field_value',
          message: 'a URL that can be parsed, of a host on the public internet, without user name and password',
          source,
        },
      ]
    case 'datetime': {
      const message = 'a time in RFC 3339 with Z or an offset, in the years 1970 to 9999, without leap seconds'
      return [{ path, rule: 'field_value', message, source }]
    }
    case 'string[]': {
      const { item = {}, uniqueItems, joinedLengthMax } = rule
      const conditions = listTextConditions([...path, '*'], item, source)
      if (uniqueItems) {
        const message = 'no two items are equal, apart from white space at both ends'
        conditions.push({ path: [...path, '*'], rule: 'field_repeated', message, source })
      }
      if (joinedLengthMax !== undefined) {
        const message = `${atMost(joinedLengthMax, UNIT)} of all items joined by commas, with quotes around those with a space`
        conditions.push({ path, ...lengthOf(joinedLengthMax, UNIT), message, source })
      }
      return conditions
    }
    case 'object':
      return listPropertyConditions(path, rule, source)
    case 'object[]': {
      const conditions = listPropertyConditions([...path, '*'], rule, source)
      if (rule.totalLengthMax === undefined) return conditions
      const message = `${atMost(rule.totalLengthMax, UNIT)} in all texts that have a maximum length`
      return [...conditions, { path, ...lengthOf(rule.totalLengthMax, UNIT), message, source }]
    }
    default:
      return []
  }
}

const listPropertyConditions = (
  path: string[],
  { properties, needsOneOf, excluded = [] }: ObjectRule,
  source: Source,
): Conditions => [
  ...Object.entries(properties).flatMap(([key, property]) => {
    const conditions = listValueConditions([...path, key], property, source)
    if (typeof property.required !== 'object') return conditions
    const message = `required when ${property.required.when}`
    return [...conditions, { path: [...path, key], rule: 'field_required', message, source }]
  }),
  ...excluded.map(({ key, when }) => ({
    path: [...path, key],
    rule: 'field_refused',
    message: `not allowed when ${when}`,
    source,
  })),
  ...(needsOneOf
    ? [{ path, rule: 'field_required', message: `at least one of ${needsOneOf.join(', ')} is required`, source }]
    : []),
]

/** JSON Schema counts lengths in code points alone, and white space too. */
function listTextConditions(path: string[], rule: FieldTextRule, source: Source): Conditions {
  const { lengthMax, unit = UNIT, bytesMax, trimmed, form } = rule
  const conditions: Conditions = []
  if (lengthMax !== undefined && (rule.unit || trimmed)) {
    const message = atMost(lengthMax, unit) + (trimmed ? ', without white space at both ends' : '')
    conditions.push({ path, ...lengthOf(lengthMax, unit), message, source })
  }
  if (bytesMax !== undefined) {
    const message = atMost(bytesMax, 'bytes')
    conditions.push({ path, rule: 'field_bytes', limit: { max: bytesMax }, unit: 'bytes', message, source })
  }
  if (form) conditions.push({ path, rule: 'field_value', message: form.expected, source })
  return conditions
}

const UNIT = 'code points'

const lengthOf = (max: number, unit: TextUnit) => ({ rule: 'field_length', limit: { max }, unit })

const atMost = (max: number, unit: TextUnit) => `at most ${max} ${unit}`
