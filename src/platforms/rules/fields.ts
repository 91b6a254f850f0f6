import type { FieldRule } from '../limits.ts'
import type { CheckContext } from './context.ts'
import { findProblem, isEmpty } from './field-value.ts'

/** Checks the keys of `fields` that the network knows. Other keys are stored unchecked. */
export function checkFields(context: CheckContext): void {
  const { platform, fields } = context
  for (const [key, rule] of Object.entries(platform.fields)) {
    checkField(key, Object.hasOwn(fields, key) ? fields[key] : undefined, rule, context)
  }
}

function checkField(key: string, value: unknown, rule: FieldRule, context: CheckContext): void {
  const { post, fields, media, addViolation } = context
  const problem = value === undefined ? undefined : findProblem(value, rule, context)
  if (problem) addViolation(problem.rule, `field ${key} ${problem.message}`)

  if (isEmpty(value)) {
    if (!post.scheduled || !rule.required) return
    if (rule.required === true) addViolation('field_required', `field ${key} is required`)
    else if (rule.required.test(fields, media)) {
      addViolation('field_required', `field ${key} is required when ${rule.required.when}`)
    }
    return
  }
  if (problem) return
  if (rule.withoutMedia && media.count > 0) {
    addViolation('field_with_media', `field ${key} cannot be combined with media`)
  }
  if (rule.refused?.test(fields, media)) {
    addViolation('field_refused', `field ${key} is not allowed when ${rule.refused.when}`)
  }
}
