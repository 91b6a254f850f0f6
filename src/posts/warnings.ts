import type { AccountReadiness } from '../../db/queries/accounts.ts'
import type { MediaFacts } from '../../schemas/media.ts'
import { HAS_WARNINGS } from '../../schemas/messages.ts'
import { type BodyPath, type PostWarning, WARNINGS_MAX } from '../../schemas/warning.ts'
import { findAttention, stopsPublishing } from '../accounts/attention.ts'
import { AppError, ISSUES_MAX } from '../errors.ts'
import { truncate } from '../http/json.ts'
import { platforms } from '../platforms/catalogue.ts'
import type { Platform, TextRule } from '../platforms/limits.ts'
import { findAltText, findAltTextRule } from '../platforms/rules/alt-text.ts'
import type { TargetAccount } from '../platforms/rules/check-post.ts'
import { findPostMedia } from '../platforms/rules/context.ts'
import { cutText } from '../platforms/rules/cut-text.ts'
import { isEmpty } from '../platforms/rules/field-value.ts'
import { countLength, isBlank } from '../platforms/rules/text-length.ts'
import { firstLineOf } from '../platforms/rules/title.ts'
import { atMost, createAccountNames } from '../platforms/rules/wording.ts'
import type { RequestedPost } from './body.ts'
import { findNearest } from './nearest.ts'
import { findTextWarnings } from './text-warnings.ts'

/** A request that asks for "now" takes some time to arrive, and clocks differ. */
const PAST_MS = 60_000

const READY: AccountReadiness = { attention: null, credentials: 'fixed', credentialsExpireAt: null }

type PostToWarn = Pick<
  RequestedPost,
  'postType' | 'caption' | 'firstComment' | 'threadParts' | 'overrides' | 'scheduledAt' | 'findAccountIndex'
> & {
  mediaIds: readonly string[]
  /** Where the override of an account is in the body. Absent for the body of a create. */
  findOverridePath?: (accountId: string) => BodyPath
}

interface Context {
  /** The known files of the post. */
  media: readonly MediaFacts[]
  /** The accounts that may not be ready, by id. Others are. */
  unready: ReadonlyMap<string, AccountReadiness>
}

/**
 * What has no effect in a post, or another one than its author may expect, in the order of the schema's codes. There may
 * be more than the maximum of a response.
 */
export function findWarnings(post: PostToWarn, accounts: readonly TargetAccount[], context: Context): PostWarning[] {
  const warnings: PostWarning[] = []
  const nameOf = createAccountNames(accounts)
  addUnusedParts(post, warnings)
  addUnusedFields(post, accounts, { nameOf, files: context.media }, warnings)
  warnings.push(...findTextWarnings({ ...post, findCaptionPath: (id) => captionPathOf(post, id) }, accounts, nameOf))
  addCutTexts(post, accounts, { nameOf, files: context.media }, warnings)
  addUncertainTexts(post, accounts, nameOf, warnings)
  if (post.scheduledAt && post.scheduledAt.getTime() < Date.now() - PAST_MS) {
    const message = 'scheduledAt is in the past: the post is due immediately'
    warnings.push({ code: 'past_time', path: ['scheduledAt'], message })
  }
  for (const account of accounts) {
    const { id } = account
    const attention = findAttention(context.unready.get(id) ?? READY)
    if (!stopsPublishing(attention)) continue
    warnings.push({
      code: 'account_attention',
      path: ['accountIds', post.findAccountIndex(id)],
      accountId: id,
      message: `${nameOf(account)}: ${attention.message}`,
    })
  }
  return warnings
}

/** The error of a strict request, with one issue for each warning; undefined without warnings. */
export function findWarningError(warnings: readonly PostWarning[]): AppError | undefined {
  if (warnings.length === 0) return undefined
  const issues = warnings.slice(0, ISSUES_MAX).map(({ path, message }) => ({ code: 'custom' as const, path, message }))
  return new AppError(400, 'warnings_not_allowed', HAS_WARNINGS, issues)
}

function addUnusedParts({ postType, threadParts }: PostToWarn, warnings: PostWarning[]): void {
  if (postType === 'thread' || threadParts.size === 0) return
  if (![...threadParts.values()].some((parts) => parts && parts.length > 0)) return
  const message = `threadParts has no effect with postType ${postType}: set postType to thread`
  warnings.push({ code: 'unused_thread_parts', path: ['threadParts'], message })
}

function addUnusedFields(
  post: PostToWarn,
  accounts: readonly TargetAccount[],
  { nameOf, files }: { nameOf: (account: TargetAccount) => string; files: readonly MediaFacts[] },
  warnings: PostWarning[],
): void {
  const { overrides, postType, caption, mediaIds, findOverridePath } = post
  if (overrides.size === 0) return
  const media = findPostMedia(mediaIds, files)
  const byId = new Map(accounts.map((account) => [account.id, account]))
  let index = -1
  for (const [accountId, { captionOverride, fields = {} }] of overrides) {
    index++
    const account = byId.get(accountId)
    if (!account) continue
    const { fields: known, caption: rule } = platforms[account.platform]
    const path = findOverridePath?.(accountId) ?? ['accountOverrides', index]
    if (rule.unused?.test(fields, media, postType) && !isBlank(captionOverride ?? caption)) {
      warnings.push({
        code: 'unused_field',
        path: captionPathOf(post, accountId),
        accountId,
        message: `${nameOf(account)}: caption has no effect when ${rule.unused.when}`,
      })
    }
    // Without Object.entries: there may be a hundred thousand keys.
    for (const key of Object.keys(fields)) {
      const value = fields[key]
      const unused = Object.hasOwn(known, key) ? known[key]!.unused : undefined
      if (Object.hasOwn(known, key) && (isEmpty(value) || !unused?.test(fields, media, postType))) continue
      // One more than the maximum shows that there are more.
      if (warnings.length > WARNINGS_MAX) return
      const reason = unused ? `${key} has no effect when ${unused.when}` : describeUnknown(key, known)
      warnings.push({
        code: unused ? 'unused_field' : 'unknown_field',
        path: [...path, 'fields', truncate(key)],
        accountId,
        message: `${nameOf(account)}: field ${reason}`,
      })
    }
  }
}

/** Where the caption of an account is in the body. */
const captionPathOf = (post: PostToWarn, accountId: string): BodyPath =>
  typeof post.overrides.get(accountId)?.captionOverride === 'string'
    ? overridePathOf(post, accountId, 'captionOverride')
    : ['caption']

/** Texts whose end the network does not get. */
function addCutTexts(
  post: PostToWarn,
  accounts: readonly TargetAccount[],
  { nameOf, files }: { nameOf: (account: TargetAccount) => string; files: readonly MediaFacts[] },
  warnings: PostWarning[],
): void {
  const { overrides, caption, mediaIds } = post
  const described = [...new Set(files)].filter(({ altText }) => altText)
  for (const account of accounts) {
    const network = platforms[account.platform]
    const override = overrides.get(account.id)
    const fields = override?.fields ?? {}
    const add = (path: BodyPath, problem: string) => {
      const message = `${nameOf(account)}: ${problem}, which is cut when it is sent`
      if (warnings.length <= WARNINGS_MAX) warnings.push({ code: 'text_cut', path, accountId: account.id, message })
    }
    const pathOf = (...keys: string[]) => overridePathOf(post, account.id, ...keys)
    for (const file of isText(fields.altText) ? files : described) {
      const rule = findAltTextRule(network, file, account.altTextLengthMax)
      const text = rule && findAltText(file, fields)
      if (!text || cutText(text, rule) === text) continue
      const name = file.fileName ? `${file.fileName} (${file.id})` : file.id
      const path = text === file.altText ? ['mediaIds', mediaIds.indexOf(file.id)] : pathOf('fields', 'altText')
      add(path, `media ${name} has an alternative text ${describeExcess(text, rule)}`)
    }
    const { title } = network
    const isDerived = title?.required && !(isText(fields[title.field]) && !isBlank(fields[title.field] as string))
    const line = isDerived ? firstLineOf(override?.captionOverride ?? caption) : ''
    if (!title || cutText(line, title) === line) continue
    add(captionPathOf(post, account.id), `the title is the first line of the caption ${describeExcess(line, title)}`)
  }
}

/** Texts that the network may refuse, although its page allows them. */
function addUncertainTexts(
  post: PostToWarn,
  accounts: readonly TargetAccount[],
  nameOf: (account: TargetAccount) => string,
  warnings: PostWarning[],
): void {
  for (const account of accounts) {
    const { caption, thread, firstComment } = platforms[account.platform]
    const add = (text: string, rule: TextRule | undefined, path: BodyPath, name: string) => {
      const max = rule?.uncertainBytesMax?.max
      const bytes = max === undefined ? 0 : countLength(text, 'bytes')
      if (max === undefined || bytes <= max || warnings.length > WARNINGS_MAX) return
      const message = `${nameOf(account)}: ${name} is ${bytes} bytes long: texts of more than ${max} bytes were refused`
      warnings.push({ code: 'may_be_refused', path, accountId: account.id, message })
    }
    const parts = post.postType === 'thread' ? post.threadParts.get(account.id) : undefined
    const own = post.overrides.get(account.id)?.captionOverride ?? post.caption
    if (parts) {
      for (const [index, part] of parts.entries()) {
        add(part, thread, ['threadParts', account.id, index], `thread part ${index + 1}`)
      }
    } else add(own, caption, captionPathOf(post, account.id), 'caption')
    add(post.firstComment ?? '', firstComment, ['firstComment'], 'first comment')
  }
}

const overridePathOf = (
  { overrides, findOverridePath }: PostToWarn,
  accountId: string,
  ...keys: string[]
): BodyPath => [
  ...(findOverridePath?.(accountId) ?? ['accountOverrides', [...overrides.keys()].indexOf(accountId)]),
  ...keys,
]

const isText = (value: unknown): value is string => typeof value === 'string'

/** How long a text is, and how long it may be. */
function describeExcess(text: string, { lengthMax, unit, bytesMax }: Parameters<typeof cutText>[1]): string {
  const length = countLength(text, unit)
  return length > lengthMax
    ? `of ${length} characters, ${atMost(lengthMax)}`
    : `of ${countLength(text, 'bytes')} bytes, ${atMost(bytesMax!)}`
}

function describeUnknown(key: string, known: Platform['fields']): string {
  const nearest = findNearest(key, Object.keys(known))
  const hint = nearest ? `did you mean ${nearest}?` : `known are ${Object.keys(known).join(', ')}`
  return `${JSON.stringify(truncate(key))} is unknown and has no effect: ${hint}`
}
