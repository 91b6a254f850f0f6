import type { CaptionRule, TextRule, ThreadRule } from '../limits.ts'
import type { CheckContext } from './context.ts'
import type { Entity } from './text-cache.ts'
import { isBlank } from './text-length.ts'
import { checkTextLimits, measureCountedFields } from './text-limits.ts'
import { atMost } from './wording.ts'

/** Checks the text that would be published: the account's thread parts if it has any, or else its caption. */
export function checkText(context: CheckContext): void {
  const { post, accountId, platform, postTypeRule, caption } = context
  if (postTypeRule?.hasCaption === false) return
  const thread = post.postType === 'thread' ? platform.thread : undefined
  const parts = thread && post.threadParts.get(accountId)
  if (thread && parts) {
    checkThread(parts, thread, context)
    return
  }
  checkPublishedText(caption, 'caption', platform.caption, context)
  if (postTypeRule && post.scheduled) checkRequiredText(caption, 'caption', context)
}

function checkThread(parts: readonly string[], rule: ThreadRule, context: CheckContext): void {
  const { post, addViolation } = context
  if (parts.length > rule.partsMax) {
    addViolation('thread_parts', `thread has ${parts.length} parts, ${atMost(rule.partsMax)}`)
  }
  if (parts.length === 0 && post.scheduled) {
    addViolation('thread_required', 'thread has no part, at least 1 is required')
  }
  // Parts beyond the maximum have to be removed anyway.
  for (const [index, part] of parts.slice(0, rule.partsMax).entries()) {
    const name = `thread part ${index + 1}`
    checkPublishedText(part, name, rule, context)
    if (!post.scheduled) continue
    if (index === 0) checkRequiredText(part, name, context)
    else if (isBlank(part)) addViolation('thread_part_required', `${name} is empty`)
  }
}

/** Checks a caption or a thread part. A part is a post of its own: the caption's limits on entities hold for it too. */
function checkPublishedText(text: string, name: string, rule: TextRule, context: CheckContext): void {
  const { platform, fields, texts, addViolation } = context
  let { name: fullName, length: addedLength } = measureCountedFields(name, context)
  let lengthMax = rule === platform.caption ? findCaptionLengthMax(context) : rule.lengthMax
  for (const [key, { captionLengthMax }] of Object.entries(platform.fields)) {
    if (captionLengthMax === undefined || !Object.hasOwn(fields, key)) continue
    fullName = `${name} with field ${key}`
    lengthMax = Math.min(lengthMax, captionLengthMax)
  }
  const checked = { name: fullName, ruleName: toRuleName(name), addedLength }
  checkTextLimits(removeMarkup(text, context), checked, { ...rule, lengthMax }, context)

  const { hashtagsMax, mentionsMax, linksMax, cashtagsMax } = platform.caption
  const maxima = { hashtag: hashtagsMax, mention: mentionsMax, link: linksMax, cashtag: cashtagsMax }
  for (const [entity, max] of Object.entries(maxima) as [Entity, number | undefined][]) {
    if (max === undefined || texts.countEntities(text, entity) <= max) continue
    addViolation(`${entity}_count`, `${name} has ${texts.countEntities(text, entity)} ${entity}s, ${atMost(max)}`)
  }
}

function findCaptionLengthMax({ platform, postTypeRule, media }: CheckContext): number {
  const { lengthMax, lengthMaxWithMedia, lengthMaxWithImages } = platform.caption
  // A draft of a type that accepts only images will have images, even if it has none yet.
  const hasImages = media.hasImage || (postTypeRule?.image && !postTypeRule.video)
  if (hasImages && lengthMaxWithImages !== undefined) return lengthMaxWithImages
  return media.count > 0 ? (lengthMaxWithMedia ?? lengthMax) : lengthMax
}

/** The text without its markup, if a field declares markup. */
function removeMarkup(text: string, { platform, fields, texts }: CheckContext): string {
  for (const [key, { captionToPlainText = {} }] of Object.entries(platform.fields)) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (typeof value !== 'string' || !Object.hasOwn(captionToPlainText, value)) continue
    return texts.removeMarkup(text, captionToPlainText[value]!)
  }
  return text
}

/** The field that can replace the text, as media can. */
const replacingFields: Partial<Record<CaptionRule['required'], string>> = {
  'unless media or link': 'link',
  'unless media or embeds': 'embeds',
}

function checkRequiredText(text: string, name: string, context: CheckContext): void {
  const { platform, fields, media, addViolation } = context
  const { required } = platform.caption
  if (required === 'never' || !isBlank(removeMarkup(text, context))) return
  const field = replacingFields[required]
  const value = field && Object.hasOwn(fields, field) ? fields[field] : undefined
  if (required !== 'always' && (media.requestedCount > 0 || hasContent(value))) return
  const alternatives = field ? `, media or field ${field}` : ' or media'
  addViolation(`${toRuleName(name)}_required`, `${name}${required === 'always' ? '' : alternatives} is required`)
}

/** False for blank texts, and for lists and objects that contain nothing else. */
function hasContent(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasContent)
  return typeof value === 'string' ? !isBlank(value) : value !== undefined && value !== null
}

const toRuleName = (name: string) => (name === 'caption' ? 'caption' : 'thread_part')
