import { isDeepStrictEqual } from 'node:util'
import type { Platform } from '../../schemas/platform-detail.ts'
import type { PostViolation } from '../../schemas/validate-post.ts'

/** Whether the catalogue shows the limit that a post violates, with its source. */
export function isPublished({ postTypes, fieldConditions, fields }: Platform, violation: PostViolation): boolean {
  const { rule, limit, source, postType } = violation
  if (rule === 'post_type') return isDeepStrictEqual(Object.keys(postTypes), limit!.allowed)
  if (isFieldRule(violation)) return isConditional(fieldConditions, violation) || isInSchema(fields, violation)
  // The texts of a post are checked even if the network does not support its type.
  const types = postTypes[postType] ? [postTypes[postType]] : Object.values(postTypes)
  if (rule === 'first_comment_unsupported') {
    return types.every(({ firstComment }) => !firstComment || isDeepStrictEqual(firstComment.source, source))
  }
  if (rule === 'media_type') {
    const mimeTypes = types.flatMap(({ media }) => media.files).flatMap((file) => file.mimeTypes)
    return limit!.allowed!.every((allowed) => mimeTypes.includes(allowed)) && hasSource(types, source)
  }
  return objectsIn([types, fieldConditions]).some((shown) => {
    const found = 'maxSource' in shown && limit?.max === shown.max ? shown.maxSource : shown.source
    return isDeepStrictEqual(found, source) && hasLimit(shown, violation)
  })
}

const hasSource = (value: object, source: unknown) =>
  objectsIn(value).some((shown) => isDeepStrictEqual(shown.source, source))

/** Violations of these rules have a path that leads through `fields`. */
const isFieldRule = ({ path }: PostViolation) => path[2] === 'fields'

/** Whether a listed condition covers a violation of `fields`. */
export function isConditional(conditions: Platform['fieldConditions'], { rule, path, limit, unit }: PostViolation) {
  const inside = path.slice(3).map((part) => (typeof part === 'number' ? '*' : part))
  return conditions.some((condition) => {
    const isSame = condition.rule === rule && isDeepStrictEqual(condition.path, inside)
    return isSame && (!condition.limit || (isDeepStrictEqual(condition.limit, limit) && condition.unit === unit))
  })
}

type Schema = { properties?: Record<string, Schema>; items?: Schema; [keyword: string]: unknown }

/** Whether the schema of the value has the limit. */
function isInSchema(fields: object, { path, limit }: PostViolation): boolean {
  let schema: Schema | undefined = fields as Schema
  for (const part of path.slice(3)) schema = typeof part === 'number' ? schema?.items : schema?.properties?.[part]
  if (!schema) return false
  const { allowed, min, max } = limit ?? {}
  const listed = [schema.enum, schema.items?.enum].flat().filter((value) => value !== null)
  if (allowed) return allowed.every((value) => listed.includes(value))
  return [min, max].every((bound) => bound === undefined || Object.values(schema).includes(bound))
}

function hasLimit(shown: Record<string, unknown>, { rule, limit }: PostViolation): boolean {
  if (!limit || rule === 'thread_required') return true
  // A field condition has its limit one level deeper.
  const values = objectsIn(shown).flatMap((part) => Object.values(part))
  return [limit.min, limit.max].every((bound) => bound === undefined || values.includes(bound))
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside]
}
