import type { AccountReadiness } from '../../../db/queries/accounts.ts'
import { errorOf } from '../../../schemas/errors.ts'
import type { MediaFacts } from '../../../schemas/media.ts'
import { type BodyPath, type PostWarning, WARNINGS_MAX } from '../../../schemas/warning.ts'
import { AppError, ISSUES_MAX } from '../../base/errors.ts'
import { truncate } from '../../base/http/json.ts'
import { describeUnknown } from '../../base/http/nearest.ts'
import { findAttention, stopsPublishing } from '../../engine/credentials/attention.ts'
import type { FieldRule, Properties } from '../../platforms/contract/limits.ts'
import { limitsOf } from '../../platforms/limits.ts'
import { takesAltText } from '../../platforms/rules/alt-text.ts'
import { createMediaFinder, createOverridePaths, targetOf } from '../../platforms/rules/context.ts'
import { isEmpty } from '../../platforms/rules/field-value.ts'
import { captionPath, fieldPath } from '../../platforms/rules/paths.ts'
import { createTextCache, type TextCache } from '../../platforms/rules/text-cache.ts'
import { isBlank } from '../../platforms/rules/text-length.ts'
import { createAccountNames, nameField, nameFile } from '../../platforms/rules/wording.ts'
import type { TargetAccount } from '../../platforms/violations.ts'
import { addConvertedFiles } from './file-warnings.ts'
import { addTextWarnings } from './text-warnings.ts'
import type { PostToWarn, WarningContext } from './warning-context.ts'

/** A request that asks for "now" takes some time to arrive, and clocks differ. */
const PAST_MS = 60_000

const READY: AccountReadiness = { attention: null, credentials: 'fixed', credentialsExpireAt: null }

interface Known {
  /** The known files of the post. */
  media: readonly MediaFacts[]
  /** The accounts that may not be ready, by id. Others are. */
  unready: ReadonlyMap<string, AccountReadiness>
  /** Measured texts, for a post that was checked before. */
  texts?: TextCache | undefined
}

/**
 * Finds the parts of a post that have no effect, or an effect that its author may not expect, in the order of the
 * schema's codes. The list may be longer than the maximum of a response.
 */
export function findWarnings(
  post: PostToWarn,
  accounts: readonly TargetAccount[],
  { media, unready, texts = createTextCache() }: Known,
): PostWarning[] {
  const warnings: PostWarning[] = []
  const nameOf = createAccountNames(accounts)
  const findOverridePath = post.findOverridePath ?? createOverridePaths(post)
  const context: WarningContext = {
    post,
    accounts,
    findMedia: createMediaFinder(post, media, findOverridePath),
    texts,
    findOverridePath,
    // One more than the maximum shows that there are more.
    isFull: () => warnings.length > WARNINGS_MAX,
    warn: (account, code, path, problem) =>
      warnings.push({ code, path, accountId: account.id, message: `${nameOf(account)}: ${problem}` }),
  }
  addUnusedParts(post, warnings)
  addUnusedCaptions(context)
  addUnusedColors(context, warnings)
  addUnusedFields(context)
  addUnusedAltTexts(context)
  addTextWarnings(context)
  addConvertedFiles(context)
  addPastTimes(context, warnings)
  for (const account of accounts) {
    if (context.isFull()) break
    const { id } = account
    const attention = findAttention(unready.get(id) ?? READY)
    if (!stopsPublishing(attention)) continue
    context.warn(account, 'account_attention', ['accountIds', post.findAccountIndex(id)], attention.message)
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

function addPastTimes({ post, accounts, findOverridePath, isFull, warn }: WarningContext, warnings: PostWarning[]) {
  const isPast = (time: Date | null | undefined) => time && time.getTime() < Date.now() - PAST_MS
  if (isPast(post.scheduledAt)) {
    const message = 'scheduledAt is in the past: the post is due immediately'
    warnings.push({ code: 'past_time', path: ['scheduledAt'], message })
  }
  if (post.accountTimes.size === 0) return
  for (const account of accounts) {
    if (isFull()) return
    if (!isPast(post.accountTimes.get(account.id))) continue
    const path = [...findOverridePath(account.id), 'scheduledAt']
    warn(account, 'past_time', path, 'scheduledAt is in the past: the post is due immediately')
  }
}

function addUnusedParts({ postType, threadParts }: PostToWarn, warnings: PostWarning[]): void {
  if (postType === 'thread' || threadParts.size === 0) return
  if (![...threadParts.values()].some((parts) => parts && parts.length > 0)) return
  const message = `threadParts has no effect with postType ${postType}: set postType to thread`
  warnings.push({ code: 'unused_thread_parts', path: ['threadParts'], message })
}

function addUnusedCaptions({ post, accounts, findMedia, findOverridePath, isFull, warn }: WarningContext): void {
  const { overrides, postType, caption } = post
  for (const account of accounts) {
    const platform = limitsOf(account)
    const { caption: rule, postTypes } = platform
    const isShown = postTypes[postType]?.hasCaption !== false
    if (isShown && !rule.unused) continue
    const { captionOverride, fields = {} } = overrides.get(account.id) ?? {}
    if (isBlank(captionOverride ?? caption)) continue
    if (isShown && !rule.unused!.test(fields, findMedia(account.id), targetOf(post, account, platform))) continue
    if (isFull()) return
    const path = captionPath({ post, accountId: account.id, findOverridePath })
    const when = isShown ? rule.unused!.when : `the post is a ${postType}`
    warn(account, 'unused_field', path, `caption has no effect when ${when}`)
  }
}

/** The colour of bars that no file gets. */
function addUnusedColors({ post, accounts, findOverridePath, isFull, warn }: WarningContext, warnings: PostWarning[]) {
  const { mediaFit, padColor, overrides } = post
  const isPadded = ({ id }: TargetAccount) => (overrides.get(id)?.mediaFit ?? mediaFit) === 'pad'
  const hasOwn = ({ id }: TargetAccount) => Boolean(overrides.get(id)?.padColor)
  if (padColor && !accounts.some((account) => isPadded(account) && !hasOwn(account))) {
    const message = 'padColor has no effect: no account that follows it has mediaFit pad'
    warnings.push({ code: 'unused_field', path: ['padColor'], message })
  }
  if (overrides.size === 0) return
  for (const account of accounts) {
    if (isFull()) return
    if (!hasOwn(account) || isPadded(account)) continue
    warn(
      account,
      'unused_field',
      [...findOverridePath(account.id), 'padColor'],
      'padColor has no effect: set mediaFit to pad',
    )
  }
}

function addUnusedFields({ post, accounts, findMedia, findOverridePath, isFull, warn }: WarningContext): void {
  const { overrides } = post
  const byId = new Map(overrides.size > 0 ? accounts.map((account) => [account.id, account]) : [])
  for (const [accountId, override] of overrides) {
    if (isFull()) return
    const account = byId.get(accountId)
    if (!account) continue
    const platform = limitsOf(account)
    const { fields: known } = platform
    const { fields = {} } = override
    const media = findMedia(accountId)
    const target = targetOf(post, account, platform)
    // Object.keys is cheaper than Object.entries: there may be a hundred thousand keys.
    for (const key of Object.keys(fields)) {
      if (isFull()) return
      const value = fields[key]
      const rule = Object.hasOwn(known, key) ? known[key] : undefined
      const add = (code: PostWarning['code'], problem: string, inside: BodyPath = []) =>
        warn(account, code, fieldPath({ accountId, findOverridePath }, truncate(key), inside), problem)
      if (!rule) {
        add('unknown_field', `field ${describeUnknown(key, known)}`)
      } else if (!isEmpty(value) && rule.unused?.test(fields, media, target)) {
        add('unused_field', `${nameField(key, override)} has no effect when ${rule.unused.when}`)
      } else {
        for (const { place, path, property, properties } of findUnknownProperties(value, rule)) {
          if (isFull()) return
          add('unknown_field', `${nameField(key, override)}${place} ${describeUnknown(property, properties)}`, path)
        }
      }
    }
  }
}

/** One warning for each account whose network leaves out alternative texts of files. */
function addUnusedAltTexts({ post, accounts, findMedia, isFull, warn }: WarningContext): void {
  for (const account of accounts) {
    if (isFull()) return
    const platform = limitsOf(account)
    const media = findMedia(account.id)
    const unused = media.parts.flatMap(({ files }) =>
      files.filter((file, index) => file.altText && !takesAltText(platform, post.postType, file, index)),
    )
    const [first, ...others] = unused
    if (!first) continue
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    const problem = `the network gets no alternative text of media ${nameFile(first)}${more}`
    warn(account, 'unused_alt_text', media.findPath(first.id), problem)
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
