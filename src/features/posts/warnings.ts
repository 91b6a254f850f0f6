import { errorOf } from '../../../schemas/errors.ts'
import { type BodyPath, type PostWarning, WARNINGS_MAX } from '../../../schemas/warning.ts'
import { AppError, ISSUES_MAX } from '../../base/errors.ts'
import { truncate } from '../../base/http/json.ts'
import { describeUnknown } from '../../base/http/nearest.ts'
import { findAttention, stopsPublishing } from '../../engine/credentials/attention.ts'
import type { FieldRule, Properties } from '../../platforms/contract/limits.ts'
import { takesAltText } from '../../platforms/rules/alt-text.ts'
import { isEmpty } from '../../platforms/rules/field-value.ts'
import { captionPath, fieldPath } from '../../platforms/rules/paths.ts'
import { findUnusedOfPoll, hasOwnPoll } from '../../platforms/rules/poll.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import { isBlank } from '../../platforms/rules/text-length.ts'
import { createAccountNames, nameField, nameFile } from '../../platforms/rules/wording.ts'
import { addConvertedFiles } from './file-warnings.ts'
import type { AccountTarget, LoadedPost } from './load.ts'
import { addTextWarnings } from './text-warnings.ts'
import type { WarningContext } from './warning-context.ts'

/** A request that asks for "now" takes some time to arrive, and clocks differ. */
const PAST_MS = 60_000

/**
 * Finds the parts of a post that have no effect, or an effect that its author may not expect, in the order of the
 * schema's codes. The list may be longer than the maximum of a response.
 */
export function findWarnings(post: LoadedPost, texts: TextCache): PostWarning[] {
  const warnings: PostWarning[] = []
  const nameOf = createAccountNames(post.targets)
  const context: WarningContext = {
    post,
    texts,
    // One more than the maximum shows that there are more.
    isFull: () => warnings.length > WARNINGS_MAX,
    add: (code, path, message) => warnings.push({ code, path, message }),
    warn: ({ account }, code, path, problem) =>
      warnings.push({ code, path, accountId: account.id, message: `${nameOf(account)}: ${problem}` }),
  }
  addUnusedParts(context)
  addUnusedCaptions(context)
  addUnusedColors(context)
  addUnusedLinks(context)
  addUnusedOfPoll(context)
  addUnusedFields(context)
  if (post.media.length > 0) addUnusedAltTexts(context)
  addOmittedSuffixes(context)
  addTextWarnings(context)
  if (post.media.length > 0) addConvertedFiles(context)
  addPastTimes(context)
  for (const target of post.targets) {
    if (context.isFull()) break
    if (target.account.isReady) continue
    const attention = findAttention(target.account)
    if (stopsPublishing(attention)) {
      context.warn(target, 'account_attention', ['accountIds', target.index], attention.message)
    }
  }
  return warnings
}

/**
 * The error of a strict request, with one issue for each warning; undefined without warnings. An alternative text
 * belongs to its file, which other accounts of the post show with it, so it is no reason to reject the post.
 */
export function findWarningError(warnings: readonly PostWarning[]): AppError | undefined {
  const counted = warnings.filter(({ code }) => code !== 'unused_alt_text')
  if (counted.length === 0) return undefined
  const issues = counted.slice(0, ISSUES_MAX).map(({ path, message }) => ({ code: 'custom' as const, path, message }))
  return new AppError(errorOf('warnings_not_allowed'), issues)
}

function addPastTimes({ post, isFull, add, warn }: WarningContext): void {
  if (!post.scheduledAt) return
  const isPast = (time: Date | null) => time !== null && time.getTime() < Date.now() - PAST_MS
  const problem = 'scheduledAt is in the past: the post is due immediately'
  if (isPast(post.scheduledAt)) add('past_time', ['scheduledAt'], problem)
  for (const target of post.targets) {
    if (isFull()) return
    if (isPast(target.scheduledAt)) warn(target, 'past_time', [...target.path, 'scheduledAt'], problem)
  }
}

function addUnusedParts({ post: { postType, targets }, add }: WarningContext): void {
  if (postType === 'thread' || !targets.some(({ threadParts }) => threadParts && threadParts.length > 0)) return
  const message = `threadParts has no effect with postType ${postType}: set postType to thread`
  add('unused_thread_parts', ['threadParts'], message)
}

function addUnusedCaptions({ post: { postType, targets }, isFull, warn }: WarningContext): void {
  for (const target of targets) {
    const { caption: rule, postTypes } = target.limits
    const isShown = postTypes[postType]?.hasCaption !== false
    if (isShown && !rule.unused) continue
    if (isBlank(target.caption)) continue
    if (isShown && !rule.unused!.test(target.fields ?? {}, target.media, target)) continue
    if (isFull()) return
    const when = isShown ? rule.unused!.when : `the post is a ${postType}`
    warn(target, 'unused_field', captionPath(target), `caption has no effect when ${when}`)
  }
}

function addOmittedSuffixes({ post: { targets }, isFull, warn }: WarningContext): void {
  for (const target of targets) {
    if (isFull()) return
    if (!target.isSuffixOmitted) continue
    warn(
      target,
      'omitted_suffix',
      captionPath(target),
      'the post goes out without the captionSuffix of the account, with which it is over a limit',
    )
  }
}

/** The colour of bars that no file gets. */
function addUnusedColors({ post, isFull, add, warn }: WarningContext): void {
  const isPadded = (target: AccountTarget) => (target.mediaFit ?? post.mediaFit) === 'pad'
  const hasOwn = (target: AccountTarget) => Boolean(target.padColor)
  if (post.padColor && !post.targets.some((target) => isPadded(target) && !hasOwn(target))) {
    add('unused_field', ['padColor'], 'padColor has no effect: no account that follows it has mediaFit pad')
  }
  for (const target of post.targets) {
    if (isFull()) return
    if (!hasOwn(target) || isPadded(target)) continue
    warn(target, 'unused_field', [...target.path, 'padColor'], 'padColor has no effect: set mediaFit to pad')
  }
}

function addUnusedOfPoll({ post: { poll, targets }, isFull, warn }: WarningContext): void {
  if (!poll) return
  for (const target of targets) {
    if (isFull()) return
    if (hasOwnPoll(target.fields) || !target.limits.fields.poll?.fromPoll) continue
    for (const key of findUnusedOfPoll(poll, target.limits)) {
      warn(target, 'unused_field', ['poll', key], `poll.${key} has no effect: the network does not take it`)
    }
  }
}

/** Parameters that no address gets. */
function addUnusedLinks({ post: { links, targets }, add }: WarningContext): void {
  if (!links) return
  const isUsed = targets.some(
    ({ caption, parts, commentTexts, fields, sentFields }) =>
      [caption, ...(parts ?? []), ...commentTexts].some((text) => text.includes('utm_')) ||
      (fields !== null && fields !== sentFields),
  )
  if (!isUsed) add('unused_field', ['links'], 'links has no effect: no text of the post has an address with https://')
}

function addUnusedFields({ post, isFull, warn }: WarningContext): void {
  for (const target of post.targets) {
    if (isFull()) return
    const { fields, media } = target
    if (!fields) continue
    const { fields: known } = target.limits
    // Object.keys is cheaper than Object.entries: there may be a hundred thousand keys.
    for (const key of Object.keys(fields)) {
      if (isFull()) return
      const value = fields[key]
      const rule = Object.hasOwn(known, key) ? known[key] : undefined
      const add = (code: PostWarning['code'], problem: string, inside: BodyPath = []) =>
        warn(target, code, fieldPath(target, truncate(key), inside), problem)
      if (!rule) {
        add('unknown_field', `field ${describeUnknown(key, known)}`)
      } else if (!isEmpty(value) && rule.unused?.test(fields, media, target)) {
        add('unused_field', `${nameField(key, target)} has no effect when ${rule.unused.when}`)
      } else {
        for (const { place, path, property, properties } of findUnknownProperties(value, rule)) {
          if (isFull()) return
          add('unknown_field', `${nameField(key, target)}${place} ${describeUnknown(property, properties)}`, path)
        }
      }
    }
  }
}

/** One warning for each account whose network leaves out alternative texts of files. */
function addUnusedAltTexts({ post, isFull, warn }: WarningContext): void {
  for (const target of post.targets) {
    if (isFull()) return
    const { media, limits } = target
    const unused = media.parts.flatMap(({ files }) =>
      files.filter((file, index) => file.altText && !takesAltText(limits, post.postType, file, index)),
    )
    const [first, ...others] = unused
    if (!first) continue
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    const problem = `the network gets no alternative text of media ${nameFile(first)}${more}`
    warn(target, 'unused_alt_text', media.findPath(first.id), problem)
  }
}

interface UnknownProperty {
  property: string
  /** Those that are known. */
  properties: Properties
  /** In messages: empty, or such as " item 2". */
  place: string
  /** Inside the field. */
  path: BodyPath
}

/** The properties of a field's objects that the network does not get. */
function* findUnknownProperties(value: unknown, rule: FieldRule): Generator<UnknownProperty> {
  if ((rule.type !== 'object' && rule.type !== 'object[]') || rule.passedOn) return
  const { type, properties } = rule
  const objects = type === 'object' ? [value] : Array.isArray(value) ? value : []
  for (const [index, object] of objects.entries()) {
    if (typeof object !== 'object' || object === null || Array.isArray(object)) continue
    for (const property of Object.keys(object)) {
      if (Object.hasOwn(properties, property)) continue
      const inside = type === 'object' ? [] : [index]
      const place = type === 'object' ? '' : ` item ${index + 1}`
      yield { property, properties, place, path: [...inside, truncate(property)] }
    }
  }
}
