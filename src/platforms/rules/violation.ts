import type { PostViolation } from '../../../schemas/validate-post.ts'

/** A limit of a network that a post violates. */
export type Violation = Omit<PostViolation, 'blocks'>

/** The facts about a violation for a program. Absent facts are null, or absent in the response. */
export type ViolationFacts = Pick<Violation, 'path'> &
  Partial<Pick<Violation, 'position' | 'limit' | 'actual' | 'unit' | 'source' | 'mediaId' | 'fileName'>>

/** UTF-16 units. */
const ACTUAL_LENGTH_MAX = 100

/** A value of the post as `actual`: long texts are cut, other types than texts and numbers are null. */
export function toActual(value: unknown): number | string | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? value.slice(0, ACTUAL_LENGTH_MAX).toWellFormed() : null
}
