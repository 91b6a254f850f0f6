import type { FirstCommentRule } from '../contract/limits.ts'
import type { CheckContext } from './context.ts'
import { readStored } from './stored-text.ts'
import { isBlank } from './text-length.ts'
import { checkEntities, checkTextLimits, measureCountedFields } from './text-limits.ts'
import { locate } from './wording.ts'

/** A blank comment counts as none. */
export function checkFirstComment(context: CheckContext): void {
  const { platform, target, addViolation } = context
  const { comment } = target
  if (!comment || isBlank(comment)) return
  const rule = platform.firstComment
  const reason = rejectionReason(rule, context)
  if (!rule || reason !== undefined) {
    const facts = { path: ['firstComment'], source: rule?.source ?? null }
    addViolation('first_comment_unsupported', facts, `first comment is not supported${reason}`)
    return
  }
  const { name, length } = measureCountedFields('first comment', context)
  const stored = readStored(comment, context)
  if (isBlank(stored)) {
    const facts = { path: ['firstComment'], source: rule.source }
    addViolation('first_comment_blank', facts, 'first comment has no visible character: add one, or remove the comment')
    return
  }
  const findPath = () => ['firstComment']
  const checked = { name, ruleName: 'first_comment', findPath, addedLength: length, sent: comment }
  checkTextLimits(stored, checked, rule, context)
  checkMarkup(comment, rule, context)
  checkEntities(comment, { name: 'first comment', findPath }, rule, context)
}

function checkMarkup(
  comment: string,
  { unreadMarkup, source }: FirstCommentRule,
  { addViolation }: CheckContext,
): void {
  const position = unreadMarkup ? comment.search(unreadMarkup.regex) : -1
  if (!unreadMarkup || position < 0) return
  const { name, mend } = unreadMarkup
  const message = `first comment has ${name} at ${locate(comment, position)}, which comments show as it is written: ${mend}`
  addViolation('first_comment_markup', { path: ['firstComment'], position, source }, message)
}

/** Why a post cannot have a first comment, as the end of the message; undefined if it can. */
function rejectionReason(
  rule: FirstCommentRule | undefined,
  { post, postTypeRule, fields, media, target }: CheckContext,
): string | undefined {
  if (!rule) return ''
  if (postTypeRule && rule.postTypes && !rule.postTypes.includes(post.postType)) {
    return ` with post type ${post.postType}, allowed are ${rule.postTypes.join(', ')}`
  }
  return rule.refused?.test(fields, media, target) ? ` when ${rule.refused.when}` : undefined
}
