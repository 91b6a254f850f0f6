import type { BodyPath } from '../../../schemas/warning.ts'
import type { CaptionRule, PostTypeRule, TextRule, ThreadRule } from '../contract/limits.ts'
import type { Source } from '../contract/source.ts'
import type { CheckContext } from './context.ts'
import { hasContent } from './field-value.ts'
import type { PartMedia } from './files.ts'
import { captionPath } from './paths.ts'
import { findMarkup, readCaption, readStored } from './stored-text.ts'
import { isBlank } from './text-length.ts'
import { checkEntities, checkTextLimits, measureCountedFields } from './text-limits.ts'
import { atMost, locate } from './wording.ts'

/** A caption or a part of a thread. */
interface PublishedText {
  text: string
  /** In messages, such as "thread part 2". */
  name: string
  /** The prefix of its rules. */
  ruleName: 'caption' | 'thread_part'
  findPath: () => BodyPath
  /** The caption, or the first part of a thread: fields of the post count towards its entities. */
  isMain: boolean
}

/**
 * Checks the text that would be published: the account's thread parts if it has any, or else its caption. Yields
 * between parts.
 */
export function* checkText(context: CheckContext): Generator<void> {
  const { post, target, platform, postTypeRule } = context
  if (postTypeRule?.hasCaption === false) return
  const thread = post.postType === 'thread' ? platform.thread : undefined
  const parts = thread && target.parts
  if (thread && parts) {
    yield* checkThread(parts, thread, context)
    return
  }
  const findPath = () => captionPath(target)
  const name = nameText('caption', target)
  const caption: PublishedText = { text: target.caption, name, ruleName: 'caption', findPath, isMain: true }
  checkPublishedText(caption, platform.caption, context)
  if (postTypeRule && post.isScheduled) checkRequiredText(caption, context)
}

const nameText = (name: string, { captionSuffix }: CheckContext['target']) =>
  captionSuffix ? `${name} with its suffix` : name

function* checkThread(parts: readonly string[], rule: ThreadRule, context: CheckContext): Generator<void> {
  const { post, target, media, addViolation, addCount } = context
  const { partsMax, source } = rule
  const path = ['threadParts', target.accountId]
  const count = { path, actual: parts.length, unit: 'items' as const }
  addCount?.({ ...count, limit: partsMax })
  if (parts.length > partsMax) {
    const facts = { ...count, limit: { max: partsMax }, source }
    addViolation('thread_parts', facts, `thread has ${parts.length} parts, ${atMost(partsMax)}`)
  }
  if (parts.length === 0 && post.isScheduled) {
    const facts = { ...count, limit: { min: 1 }, source }
    addViolation('thread_required', facts, 'thread has no part, at least 1 is required')
  }
  // Parts beyond the maximum have to be removed anyway.
  for (const [index, text] of parts.slice(0, partsMax).entries()) {
    const ownName = `thread part ${index + 1}`
    const name = index === parts.length - 1 ? nameText(ownName, target) : ownName
    const findPath = () => [...path, index]
    const part: PublishedText = { text, name, ruleName: 'thread_part', findPath, isMain: index === 0 }
    checkPublishedText(part, rule, context)
    yield
    if (!post.isScheduled) continue
    if (index === 0) checkRequiredText(part, context)
    else if (isBlank(readStored(text, context)) && !replacesText(media.parts[index], context))
      addViolation('thread_part_required', { path: part.findPath(), source }, `${name} is empty`)
  }
}

/** Checks a caption or a thread part. A part is a post of its own: the caption's limits on entities hold for it too. */
function checkPublishedText(
  { text, name, ruleName, findPath, isMain }: PublishedText,
  rule: TextRule,
  context: CheckContext,
) {
  const { platform, addViolation } = context
  const markup = findMarkup(context)
  const stored = readCaption(text, context)
  if (markup && 'problem' in stored) {
    const facts = { path: findPath(), position: stored.index, source: markup.source }
    const place = locate(text, stored.index)
    addViolation(`${ruleName}_markup`, facts, `${name} has invalid ${markup.name} at ${place}: ${stored.problem}`)
  }
  if ('problem' in stored) return
  const { name: fullName, length: addedLength } = measureCountedFields(name, context)
  const limit = findLengthLimit(rule, context)
  const checked = { name: limit.key ? `${name} with field ${limit.key}` : fullName, ruleName, findPath, addedLength }
  checkTextLimits(stored.text, { ...checked, sent: text, isMain }, { ...rule, ...limit }, context)

  checkEntities(text, { name, findPath, isMain }, platform.caption, context)
}

/** The maximal length of a caption or a part of a thread. */
export const findLengthLimit = (rule: TextRule, context: LimitContext): LengthLimit =>
  lowerLimit(rule === context.platform.caption ? findCaptionLimit(context) : rule, context)

type LimitContext = Pick<CheckContext, 'platform' | 'postTypeRule' | 'fields' | 'media'>

interface LengthLimit {
  lengthMax: number
  lengthSource?: Source | null
  /** The field that sets it. */
  key?: string
}

/** The limit that a field of the post sets, if it is lower. */
function lowerLimit({ lengthMax, lengthSource }: LengthLimit, { platform, fields }: LimitContext): LengthLimit {
  let limit: LengthLimit = { lengthMax, ...(lengthSource !== undefined && { lengthSource }) }
  for (const [key, { captionLengthMax, source }] of Object.entries(platform.fields)) {
    if (captionLengthMax === undefined || !Object.hasOwn(fields, key)) continue
    limit = captionLengthMax < limit.lengthMax ? { lengthMax: captionLengthMax, lengthSource: source } : limit
    limit = { ...limit, key }
  }
  return limit
}

export const hasOnlyImages = ({ image, video }: PostTypeRule) => image !== undefined && video === undefined

function findCaptionLimit({ platform, postTypeRule, media }: LimitContext): LengthLimit {
  const { caption } = platform
  const { source, lengthMaxWithMedia, lengthMaxWithImages } = caption
  // A draft of a type that accepts only images will have images, even if it has none yet.
  const hasImages = media.hasImage || (postTypeRule && hasOnlyImages(postTypeRule))
  if (hasImages && lengthMaxWithImages !== undefined) return { lengthMax: lengthMaxWithImages, lengthSource: source }
  const isReplaced = media.count > 0 && lengthMaxWithMedia !== undefined
  return isReplaced ? { lengthMax: lengthMaxWithMedia, lengthSource: source } : caption
}

/** The field that can replace the text, as media can. */
const replacingFields: Partial<Record<CaptionRule['required'], string>> = {
  'unless media or link': 'link',
  'unless media or embeds': 'embeds',
  'unless media or spoilerText': 'spoilerText',
}

/** Whether a part may have these files and no text. */
const replacesText = (media: PartMedia | undefined, { platform }: CheckContext) =>
  platform.caption.required !== 'always' && (media?.requestedCount ?? 0) > 0

function checkRequiredText({ text, name, ruleName, findPath }: PublishedText, context: CheckContext): void {
  const { platform, fields, media, addViolation } = context
  const { required, source } = platform.caption
  const stored = required === 'never' ? undefined : readCaption(text, context)
  if (!stored || 'problem' in stored || !isBlank(stored.text)) return
  const field = replacingFields[required]
  const value = field && Object.hasOwn(fields, field) ? fields[field] : undefined
  if (replacesText(media.parts[0], context) || (required !== 'always' && hasContent(value))) return
  const alternatives = required === 'always' ? '' : field ? `, media or field ${field}` : ' or media'
  addViolation(`${ruleName}_required`, { path: findPath(), source }, `${name}${alternatives} is required`)
}
