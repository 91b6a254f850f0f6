import type { FirstCommentRule } from '../contract/limits.ts'
import type { CheckContext } from './context.ts'
import { type CommentPlace, placeOfComment } from './paths.ts'
import { readStored } from './stored-text.ts'
import { isBlank } from './text-length.ts'
import { checkEntities, checkTextLimits, measureCountedFields } from './text-limits.ts'
import { locate } from './wording.ts'

/** Checks the comments of a post: those of `comments` by the rule for the first. */
export function checkComments(context: CheckContext): void {
  const { post, target } = context
  for (const [index, text] of target.commentTexts.entries()) {
    checkComment(text, placeOfComment(post, index), context)
  }
}

function checkComment(comment: string, place: CommentPlace, context: CheckContext): void {
  const { path } = place
  const { platform, addViolation } = context
  const rule = platform.firstComment
  const reason = rejectionReason(rule, context)
  if (!rule || reason !== undefined) {
    const facts = { path, source: rule?.source ?? null }
    addViolation('first_comment_unsupported', facts, `${place.name} is not supported${reason}`)
    return
  }
  const { name, length } = measureCountedFields(place.name, context)
  const stored = readStored(comment, context)
  if (isBlank(stored)) {
    const facts = { path, source: rule.source }
    const problem = `${place.name} has no visible character: add one, or remove the comment`
    addViolation('first_comment_blank', facts, problem)
    return
  }
  const findPath = () => path
  const checked = { name, ruleName: 'first_comment', findPath, addedLength: length, sent: comment }
  checkTextLimits(stored, checked, rule, context)
  checkMarkup(comment, place, rule, context)
  checkEntities(comment, { name: place.name, findPath }, rule, context)
}

function checkMarkup(
  text: string,
  place: CommentPlace,
  { unreadMarkup, source }: FirstCommentRule,
  { addViolation }: CheckContext,
): void {
  const position = unreadMarkup ? text.search(unreadMarkup.regex) : -1
  if (!unreadMarkup || position < 0) return
  const { name, mend } = unreadMarkup
  const message = `${place.name} has ${name} at ${locate(text, position)}, which comments show as it is written: ${mend}`
  addViolation('first_comment_markup', { path: place.path, position, source }, message)
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
