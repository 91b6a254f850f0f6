import type { AccountReadiness } from '../../db/queries/accounts.ts'
import type { MediaFacts } from '../../schemas/media.ts'
import { HAS_WARNINGS } from '../../schemas/messages.ts'
import { type BodyPath, type PostWarning, WARNINGS_MAX } from '../../schemas/warning.ts'
import { findAttention, stopsPublishing } from '../accounts/attention.ts'
import { AppError, ISSUES_MAX } from '../errors.ts'
import { truncate } from '../http/json.ts'
import { platforms } from '../platforms/catalogue.ts'
import type { Platform } from '../platforms/limits.ts'
import type { TargetAccount } from '../platforms/rules/check-post.ts'
import { findPostMedia } from '../platforms/rules/context.ts'
import { isEmpty } from '../platforms/rules/field-value.ts'
import { isBlank } from '../platforms/rules/text-length.ts'
import { createAccountNames } from '../platforms/rules/wording.ts'
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
    for (const [key, value] of Object.entries(fields)) {
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
function captionPathOf(
  { overrides, findOverridePath }: Pick<PostToWarn, 'overrides' | 'findOverridePath'>,
  accountId: string,
): BodyPath {
  if (typeof overrides.get(accountId)?.captionOverride !== 'string') return ['caption']
  const index = [...overrides.keys()].indexOf(accountId)
  return [...(findOverridePath?.(accountId) ?? ['accountOverrides', index]), 'captionOverride']
}

function describeUnknown(key: string, known: Platform['fields']): string {
  const nearest = findNearest(key, Object.keys(known))
  const hint = nearest ? `did you mean ${nearest}?` : `known are ${Object.keys(known).join(', ')}`
  return `${JSON.stringify(truncate(key))} is unknown and has no effect: ${hint}`
}
