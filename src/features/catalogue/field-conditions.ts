import type { FieldCondition } from '../../../schemas/platform-detail.ts'
import type {
  FieldRule,
  FieldTextRule,
  FieldValue,
  ObjectRule,
  Platform,
  TextUnit,
  TitleRule,
} from '../../platforms/contract/limits.ts'

type Condition = Omit<FieldCondition, 'source'>
type Conditions = Generator<Condition>

/** Conditions that the schema of `fields` cannot express, in the order of its keys. */
export const listConditions = ({ fields, title, caption }: Platform): FieldCondition[] =>
  Object.entries(fields).flatMap(([key, rule]) => [
    ...withSource(listValueConditions([key], rule), rule),
    ...(key === title?.field ? withSource(listTitleConditions(title), title) : []),
    ...withSource(listFieldConditions([key], rule, caption.unit), rule),
  ])

const withSource = (conditions: Conditions, { source }: Pick<FieldCondition, 'source'>) =>
  conditions.map((condition) => ({ ...condition, source })).toArray()

/** Those that depend on the rest of the post, or that change what else is allowed. */
function* listFieldConditions(path: string[], rule: FieldRule, captionUnit: TextUnit): Conditions {
  const { required, refused, needMedia, captionLengthMax: max, countsInText, captionMarkup } = rule
  if (typeof required === 'object') yield requiredWhen(path, required)
  if (refused) yield refusedWhen(path, refused)
  if (rule.withoutMedia) yield { path, rule: 'field_with_media', message: 'cannot be combined with media' }
  if (needMedia) yield { path, rule: 'field_without_media', message: `${needMedia.join(', ')} need media` }
  if (max !== undefined) {
    const message = 'lowers the maximum length of the caption'
    yield { path, rule: 'caption_length', limit: { max }, unit: captionUnit, message }
  }
  if (countsInText) {
    const message = 'counts towards the caption, each part of a thread and the first comment'
    yield { path, rule: 'caption_length', unit: countsInText, message }
  }
  if (rule.momentOfVideo) yield { path, rule: 'field_range', message: 'not after the end of the video' }
  if (rule.countsAsLink) {
    const message =
      'counts towards the links of the caption or the first part of a thread, unless the same link is there'
    yield { path, rule: 'link_count', message }
  }
  if (captionMarkup) {
    const values = `with ${Object.keys(captionMarkup).join(' or ')}`
    const message = `${values}, markup does not count towards the length of the caption`
    yield { path, rule: 'caption_length', message }
    yield { path, rule: 'caption_markup', message: `${values}, the markup of the caption has to be valid` }
  }
}

function* listTitleConditions({ field, lengthMax, unit, bytesMax, required }: TitleRule): Conditions {
  const path = [field]
  if (unit !== UNIT) yield atMost('title_length', path, lengthMax, unit)
  if (bytesMax !== undefined) yield atMost('title_bytes', path, bytesMax, 'bytes')
  if (required) {
    yield { path, rule: 'title_required', message: 'required when the caption has no line that could be the title' }
  }
}

/** Those on the value itself. */
function* listValueConditions(path: string[], rule: FieldValue): Conditions {
  const items = [...path, '*']
  switch (rule.type) {
    case 'string':
      return yield* listTextConditions(path, rule)
    case 'url': {
      const message = 'a URL that can be parsed, of a host on the public internet, without user name and password'
      return yield { path, rule: 'field_value', message }
    }
    case 'datetime': {
      const message = 'a time in RFC 3339 with Z or an offset, in the years 1970 to 9999, without leap seconds'
      return yield { path, rule: 'field_value', message }
    }
    case 'string[]': {
      yield* listTextConditions(items, rule.item ?? {})
      if (rule.uniqueItems) {
        const message = 'no two items are equal, apart from white space at both ends'
        yield { path: items, rule: 'field_repeated', message }
      }
      const suffix = ' of all items joined by commas, with quotes around those with a space'
      if (rule.joinedLengthMax !== undefined) yield atMost('field_length', path, rule.joinedLengthMax, UNIT, suffix)
      return
    }
    case 'object':
      return yield* listPropertyConditions(path, rule)
    case 'object[]': {
      yield* listPropertyConditions(items, rule)
      const suffix = ' in all texts that have a maximum length'
      if (rule.totalLengthMax !== undefined) yield atMost('field_length', path, rule.totalLengthMax, UNIT, suffix)
    }
  }
}

function* listPropertyConditions(path: string[], { properties, needsOneOf, excluded = [] }: ObjectRule): Conditions {
  for (const [key, property] of Object.entries(properties)) {
    yield* listValueConditions([...path, key], property)
    if (typeof property.required === 'object') yield requiredWhen([...path, key], property.required)
  }
  for (const { key, ...condition } of excluded) yield refusedWhen([...path, key], condition)
  if (needsOneOf) {
    yield { path, rule: 'field_required', message: `at least one of ${needsOneOf.join(', ')} is required` }
  }
}

/** JSON Schema counts lengths in code points alone, and white space too. */
function* listTextConditions(path: string[], rule: FieldTextRule): Conditions {
  const { lengthMax, unit, bytesMax, trimmed, form } = rule
  if (lengthMax !== undefined && (unit || trimmed)) {
    const suffix = trimmed ? ', without white space at both ends' : ''
    yield atMost('field_length', path, lengthMax, unit ?? UNIT, suffix)
  }
  if (bytesMax !== undefined) yield atMost('field_bytes', path, bytesMax, 'bytes')
  if (form) yield { path, rule: 'field_value', message: form.expected }
}

const UNIT = 'code points'

const atMost = (rule: string, path: string[], max: number, unit: TextUnit, suffix = ''): Condition => ({
  path,
  rule,
  limit: { max },
  unit,
  message: `at most ${max} ${unit}${suffix}`,
})

const requiredWhen = (path: string[], { when }: { when: string }): Condition => ({
  path,
  rule: 'field_required',
  message: `required when ${when}`,
})

const refusedWhen = (path: string[], { when }: { when: string }): Condition => ({
  path,
  rule: 'field_refused',
  message: `not allowed when ${when}`,
})
