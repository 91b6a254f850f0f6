import type { FieldRule } from '../contract/limits.ts'
import type { CheckContext } from './context.ts'
import { afterEnd, misplaced, missing, type Problem } from './field-problem.ts'
import { findProblem, isEmpty } from './field-value.ts'
import { isMissing } from './media-file.ts'
import { fieldPath } from './paths.ts'
import { hasOwnPoll, pathInPoll } from './poll.ts'
import { nameField } from './wording.ts'

/** Checks the keys of `fields` that the network knows. Other keys are stored unchecked. */
export function checkFields(context: CheckContext): void {
  const { platform, fields } = context
  for (const [key, rule] of Object.entries(platform.fields)) {
    checkField(key, Object.hasOwn(fields, key) ? fields[key] : undefined, rule, context)
  }
}

function checkField(key: string, value: unknown, rule: FieldRule, context: CheckContext): void {
  const { post, fields, media, target } = context
  const problem = value === undefined ? undefined : findProblem(value, rule, context)
  if (problem) addProblem(key, problem, rule, context)

  if (isEmpty(value)) {
    if (!post.isScheduled || !rule.required) return
    if (rule.required === true) addProblem(key, missing('is required'), rule, context)
    else if (rule.required.test(fields, media, target)) {
      addProblem(key, missing(`is required when ${rule.required.when}`), rule, context)
    }
    return
  }
  if (problem) return
  // The first part of a thread has such keys.
  if (rule.withoutMedia && media.parts[0]!.count > 0) {
    addProblem(key, misplaced('field_with_media', 'cannot be combined with media'), rule, context)
  }
  if (post.isScheduled && media.requestedCount === 0 && rule.needMedia?.includes(value as string)) {
    addProblem(key, misplaced('field_without_media', `is ${value}, which needs media`), rule, context)
  }
  // The kind of a file that is not there yet decides about the others.
  if (media.files.some(isMissing)) return
  const unit = rule.momentOfVideo
  const end = Math.floor(media.videoSeconds * (unit === 'milliseconds' ? 1000 : 1))
  if (unit && (value as number) > end && !rule.unused?.test(fields, media, target)) {
    addProblem(key, afterEnd(value as number, end, unit), rule, context)
  }
  if (rule.refused?.test(fields, media, target)) {
    addProblem(key, misplaced('field_refused', `is not allowed when ${rule.refused.when}`), rule, context)
  }
}

function addProblem(key: string, problem: Problem, { source }: FieldRule, context: CheckContext): void {
  const { rule, message, path, ...facts } = problem
  const { post, target } = context
  const isOfPost = key === 'poll' && post.poll && !hasOwnPoll(target.fields)
  context.addViolation(
    rule,
    { ...facts, path: isOfPost ? pathInPoll(path ?? []) : fieldPath(target, key, path), source },
    `${isOfPost ? key : nameField(key, target)} ${message}`,
  )
}
