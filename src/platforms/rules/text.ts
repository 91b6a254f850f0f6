import type { CaptionRule, TextRule, TextUnit } from '../limits.ts'
import type { Submission } from './check-post.ts'
import { findCashtags, findHashtags, findLinks, findMentions, isBlank, textLength, titleFrom } from './measure.ts'
import { atMost } from './wording.ts'

const counters = { hashtag: findHashtags, mention: findMentions, link: findLinks, cashtag: findCashtags }
type Counted = keyof typeof counters

/** The length of a text in a unit, how many of something it contains, or what `show` makes of it. */
export interface Measure {
  length(text: string, unit: TextUnit): number
  count(text: string, what: Counted): number
  shown(text: string, show: (text: string) => string): string
}

/**
 * In UTF-16 units: longer than any network takes, even if it was nothing but URLs that count as short. What is longer is
 * counted plainly, since finding URLs and graphemes in a megabyte would hold up everybody else for a second: also for the
 * few servers that take so much by their own word.
 */
const HOPELESS_LENGTH = 100_000

/** Measures each text once, however many accounts share it: a megabyte of text may go to hundreds of them. */
export function createMeasure(): Measure {
  const once = <T>() => {
    const known = new Map<unknown, Map<string, T>>()
    return (text: string, what: unknown, find: () => T) => {
      const found = known.get(what) ?? new Map<string, T>()
      const value = found.get(text) ?? find()
      known.set(what, found.set(text, value))
      return value
    }
  }
  const [size, text] = [once<number>(), once<string>()]
  return {
    length: (text, unit) => size(text, unit, () => textLength(text, isHopeless(text) ? plain(unit) : unit)),
    count: (text, what) => (isHopeless(text) ? 0 : size(text, what, () => counters[what](text).length)),
    shown: (written, show) => (isHopeless(written) ? written : text(written, show, () => show(written))),
  }
}

const isHopeless = (text: string) => text.length > HOPELESS_LENGTH

const plain = (unit: TextUnit): TextUnit => (unit === 'bytes' || unit === 'UTF-16 units' ? unit : 'code points')

/** What is published as text: the parts of a thread where the account has any, else the caption. */
export function judgeText(submission: Submission): void {
  const { post, accountId, platform, rule, caption, report } = submission
  if (rule?.captionPublished === false) return
  const thread = post.postType === 'thread' ? platform.thread : undefined
  const parts = thread && post.threadParts.get(accountId)
  if (!thread || !parts) {
    judgePart(caption, 'caption', platform.caption, submission)
    if (rule && post.scheduled) judgeMissingText(caption, 'caption', submission)
    return
  }

  if (parts.length > thread.partsMax) {
    report('thread_parts', `thread has ${parts.length} parts, ${atMost(thread.partsMax)}`)
  }
  if (parts.length === 0 && post.scheduled) report('thread_required', 'thread has no part, at least 1 is required')
  // What is past the maximum has to go anyway.
  for (const [index, part] of parts.slice(0, thread.partsMax).entries()) {
    const name = `thread part ${index + 1}`
    judgePart(part, name, thread, submission)
    if (!post.scheduled) continue
    if (index === 0) judgeMissingText(part, name, submission)
    else if (isBlank(part)) report('thread_part_required', `${name} is empty`)
  }
}

/** A comment that is blank is none: there is nothing to publish. */
export function judgeFirstComment(submission: Submission): void {
  const { post, platform, rule, fields, media, report } = submission
  const { firstComment: comment, postType } = post
  const commentRule = platform.firstComment
  if (!comment || isBlank(comment)) return
  const refuse = (why: string) => report('first_comment_unsupported', `first comment is not supported${why}`)
  if (!commentRule) refuse('')
  else if (rule && commentRule.postTypes && !commentRule.postTypes.includes(postType)) {
    refuse(` with post type ${postType}, allowed are ${commentRule.postTypes.join(', ')}`)
  } else if (commentRule.refused?.test(fields, media)) refuse(` when ${commentRule.refused.when}`)
  else {
    const { name, added } = withFields('first comment', submission)
    judgeLength(comment, name, 'first_comment', commentRule, submission, added)
  }
}

export function judgeTitle(submission: Submission): void {
  const { post, platform, caption, fields, report } = submission
  const { title: rule } = platform
  if (!rule) return
  const title = Object.hasOwn(fields, rule.field) ? fields[rule.field] : ''
  if (typeof title !== 'string') return
  if (!isBlank(title)) judgeLength(title, `field ${rule.field}`, 'title', rule, submission)
  else if (rule.required && post.scheduled && titleFrom(caption, rule.lengthMax) === '') {
    report('title_required', `field ${rule.field} or a caption to take it from is required`)
  }
}

/** A caption, or a part of a thread: a post of its own, for which every limit on a post's text holds. */
function judgePart(text: string, name: string, rule: TextRule, submission: Submission): void {
  const { platform, fields, media, measure, report } = submission
  const { caption } = platform
  let { lengthMax } = rule
  if (rule === caption && media.count > 0) lengthMax = caption.lengthMaxWithMedia ?? lengthMax
  // A type that carries nothing but images will have them, though a draft may lack them yet.
  const hasImages = media.hasImage || (submission.rule?.image && !submission.rule.video)
  if (rule === caption && hasImages) lengthMax = caption.lengthMaxWithImages ?? lengthMax

  let { name: fullName, added } = withFields(name, submission)
  for (const [key, { captionLengthMax }] of Object.entries(platform.fields)) {
    if (captionLengthMax === undefined || !Object.hasOwn(fields, key)) continue
    fullName = `${name} with field ${key}`
    lengthMax = Math.min(lengthMax, captionLengthMax)
  }
  judgeLength(shown(text, submission), fullName, ruleName(name), { ...rule, lengthMax }, submission, added)

  const maxima = {
    hashtag: caption.hashtagsMax,
    mention: caption.mentionsMax,
    link: caption.linksMax,
    cashtag: caption.cashtagsMax,
  }
  for (const [what, max] of Object.entries(maxima) as [Counted, number | undefined][]) {
    if (max === undefined || measure.count(text, what) <= max) continue
    report(`${what}_count`, `${name} has ${measure.count(text, what)} ${what}s, ${atMost(max)}`)
  }
}

/** What a field adds to the length of a text, and a name for the text that says so. */
function withFields(name: string, { platform, fields, measure }: Submission): { name: string; added: number } {
  let fullName = name
  let added = 0
  for (const [key, { countsInCaption }] of Object.entries(platform.fields)) {
    const value = countsInCaption && Object.hasOwn(fields, key) ? fields[key] : undefined
    if (typeof value !== 'string') continue
    fullName = `${name} with field ${key}`
    added += measure.length(value, 'graphemes')
  }
  return { name: fullName, added }
}

/** The caption without its markup, where a field says that it has some. */
function shown(caption: string, { platform, fields, measure }: Submission): string {
  for (const [key, { captionShown = {} }] of Object.entries(platform.fields)) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined
    const show = typeof value === 'string' && Object.hasOwn(captionShown, value) ? captionShown[value] : undefined
    if (show) return measure.shown(caption, show)
  }
  return caption
}

/** `added` is a length that counts in, of something that is published with the text. */
function judgeLength(
  text: string,
  name: string,
  ruleName: string,
  rule: TextRule,
  { measure, report }: Submission,
  added = 0,
): void {
  const length = measure.length(text, rule.unit) + added
  if (length > rule.lengthMax) {
    const unit = rule.unit === 'bytes' ? 'bytes' : 'characters'
    report(`${ruleName}_length`, `${name} is ${length} ${unit} long, ${atMost(rule.lengthMax)}`)
  }
  if (rule.bytesMax !== undefined && measure.length(text, 'bytes') > rule.bytesMax) {
    report(`${ruleName}_bytes`, `${name} is ${measure.length(text, 'bytes')} bytes long, ${atMost(rule.bytesMax)}`)
  }
  const forbidden = rule.forbiddenCharacters?.filter((character) => text.includes(character)) ?? []
  if (forbidden.length > 0)
    report(`${ruleName}_characters`, `${name} contains ${forbidden.join(' and ')}, which is not allowed`)
}

/** The field that can stand in for a text, as media can. */
const insteadOfText: Partial<Record<CaptionRule['required'], string>> = {
  'unless media or link': 'link',
  'unless media or embeds': 'embeds',
}

function judgeMissingText(text: string, name: string, submission: Submission): void {
  const { platform, fields, media, report } = submission
  const { required } = platform.caption
  if (required === 'never' || !isBlank(shown(text, submission))) return
  const field = insteadOfText[required]
  const value = field && Object.hasOwn(fields, field) ? fields[field] : undefined
  if (required !== 'always' && (media.sent > 0 || hasContent(value))) return
  const others = required === 'always' ? '' : field ? `, media or field ${field}` : ' or media'
  report(`${ruleName(name)}_required`, `${name}${others} is required`)
}

/** Lists and objects of nothing are nothing. */
function hasContent(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasContent)
  return typeof value === 'string' ? !isBlank(value) : value !== undefined && value !== null
}

const ruleName = (name: string) => (name === 'caption' ? 'caption' : 'thread_part')
