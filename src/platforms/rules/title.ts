import type { TitleRule } from '../contract/limits.ts'
import type { CheckContext } from './context.ts'
import { cutText } from './cut-text.ts'
import { fieldPath } from './paths.ts'
import { isBlank } from './text-length.ts'
import { checkTextLimits } from './text-limits.ts'
import { nameField } from './wording.ts'

/** A title of another type is left to the check of its field. */
export function checkTitle(context: CheckContext): void {
  const { post, target, platform, fields, addViolation } = context
  const { title: rule } = platform
  if (!rule) return
  const title = Object.hasOwn(fields, rule.field) ? fields[rule.field] : ''
  if (typeof title !== 'string') return
  const findPath = () => fieldPath(target, rule.field)
  if (title !== '')
    checkTextLimits(title, { name: nameField(rule.field, target), ruleName: 'title', findPath }, rule, context)
  if (isBlank(title) && rule.required && post.isScheduled && deriveTitle(target.caption, rule) === '') {
    const problem = `field ${rule.field} is required, or a caption whose first line becomes the title`
    addViolation('title_required', { path: findPath(), source: rule.source }, problem)
  }
}

/** The first line of the caption that is not blank. */
export const firstLineOf = (caption: string): string => (/\S.*/.exec(caption)?.[0] ?? '').trimEnd()

/** The first line of the caption that is not blank, cut to the limits of the title. */
export const deriveTitle = (caption: string, rule: TitleRule): string => cutText(firstLineOf(caption), rule).trimEnd()
