import type { Db } from '../../../db/client.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import { listRests } from '../../../db/queries/posts/targets.ts'
import type { CreatePost, ValidatePostQuery } from '../../../schemas/create-post.ts'
import { hasScope } from '../../../schemas/scopes.ts'
import {
  type LimitCount,
  type PostValidation,
  type PostViolation,
  VALIDATION_LIST_MAX,
  type ValidatedTarget,
} from '../../../schemas/validate-post.ts'
import { type PostWarning, WARNINGS_MAX } from '../../../schemas/warning.ts'
import { inPieces, mapInPieces } from '../../base/http/pieces.ts'
import { findAttention, stopsPublishing } from '../../engine/credentials/attention.ts'
import { describeAct, planActs } from '../../engine/delivery/plan.ts'
import { type FileKind, findWeakestGuarantee } from '../../platforms/contract/guarantee.ts'
import type { Post } from '../../platforms/contract/post.ts'
import { platforms } from '../../platforms/limits.ts'
import { costOf } from '../../platforms/price.ts'
import { commentsOf } from '../../platforms/rules/account-texts.ts'
import type { PostMedia } from '../../platforms/rules/files.ts'
import { isMissing } from '../../platforms/rules/media-file.ts'
import { createTextCache, type TextCache } from '../../platforms/rules/text-cache.ts'
import type { Violation } from '../../platforms/rules/violation.ts'
import { checkInPieces } from '../../platforms/violations.ts'
import { fromBody } from './body.ts'
import { type CheckedPost, shortenId } from './check.ts'
import { toAdjustments } from './fit.ts'
import type { AccountTarget, LoadedPost } from './load.ts'
import { nameInRequest, type PostGap, readNearbyWarnings } from './nearby-warnings.ts'
import { createComposer } from './parts.ts'
import { type PreparedPost, preparePosts } from './prepare.ts'
import { dueTime, listSlots } from './schedule.ts'
import { findMissingScope } from './scope.ts'
import { findUnchecked } from './unchecked.ts'

export interface ValidationContext {
  rights: KeyRights
  /** Whether a post with warnings would be rejected. */
  isStrict?: boolean
  gapMs: PostGap
  /** Whether each target has its parts. */
  hasParts?: boolean
}

/** The context of a request that validates posts. */
export const readValidation = (
  rights: KeyRights,
  { strict, include }: ValidatePostQuery,
  gapMs: PostGap,
): ValidationContext => ({
  rights,
  isStrict: strict === true,
  gapMs,
  hasParts: include?.includes('parts') ?? false,
})

/**
 * Everything that is to be said about a post before it is stored, by the checks of `createPost`. Throws 400 with
 * details if `createPost` does.
 */
export async function validatePost(
  db: Db,
  userId: string,
  body: CreatePost,
  context: ValidationContext,
): Promise<PostValidation> {
  const [validation] = await validateAll(db, userId, [fromBody(body)], { ...context, listMax: VALIDATION_LIST_MAX })
  return validation!
}

/**
 * The same for several posts, with as many statements. `listMax` is the maximum of entries in each list but the
 * targets.
 */
export async function validateAll(
  db: Db,
  userId: string,
  posts: Post[],
  context: ValidationContext & { listMax: number },
): Promise<PostValidation[]> {
  const texts = createTextCache()
  const counters = posts.map(createCounter)
  // A key that may only read makes nothing that is kept.
  const isPlan = !hasScope(context.rights, 'posts:write')
  const addCounts = counters.map(({ addCount }) => addCount)
  const { prepared, moves } = await preparePosts(db, userId, posts, { ...context, texts, isPlan, addCounts })
  const accountIds = new Set(prepared.flatMap(({ post }) => post.targets.map(({ accountId }) => accountId)))
  const rests = new Map(
    (await listRests(db, { accountIds: [...accountIds] })).map(({ id, restsUntil }) => [id, restsUntil]),
  )
  const placed = prepared.map(({ post }, index) => ({ userId, post, name: nameInRequest(post, index) }))
  const nearby = await readNearbyWarnings(db, placed, { gapMs: context.gapMs, texts, moves })
  const validations: PostValidation[] = []
  const loaded = prepared.map(({ post }) => post)
  const compose = context.hasParts ? await createComposer(loaded, texts) : undefined
  for (const [index, each] of prepared.entries()) {
    const { counts } = counters[index]!
    const validation = await describe(each, { ...context, texts, rests, counts, nearby: nearby[index]! })
    validations.push(compose ? await compose(each.post, validation) : validation)
  }
  return validations
}

interface Counter {
  /** The counters of each account. */
  counts: Map<string, LimitCount[]>
  addCount: (accountId: string, count: LimitCount) => void
}

function createCounter(): Counter {
  const counts = new Map<string, LimitCount[]>()
  const addCount = (accountId: string, count: LimitCount) => {
    const list = counts.get(accountId) ?? []
    list.push(count)
    counts.set(accountId, list)
  }
  return { counts, addCount }
}

interface Known extends Pick<Counter, 'counts'> {
  listMax: number
  texts: TextCache
  rests: Map<string, string | null>
  nearby: PostWarning[]
}

async function describe(
  prepared: PreparedPost,
  { rights, listMax, texts, rests, counts, nearby }: ValidationContext & Known,
): Promise<PostValidation> {
  const { post, slots } = prepared
  const { inaccessible } = post
  const violations = await findAllViolations(prepared, texts)
  const unchecked = findUnchecked(post)
  const warnings = [...prepared.warnings, ...nearby]
  const adjustments = toAdjustments(post)
  const describeTarget = (target: AccountTarget): ValidatedTarget => {
    const { accountId, account, media } = target
    const { platform, username } = account
    const attention = findAttention(account)
    const restsUntil = rests.get(accountId)
    const isDelayed = restsUntil && Date.parse(restsUntil) > (dueTime(post, target)?.getTime() ?? 0)
    return {
      accountId,
      platform,
      username,
      publishes: true,
      guarantee: findWeakestGuarantee(platforms[platform], listActs(post, media), listKinds(media)),
      counts: counts.get(accountId) ?? [],
      ...findCost(post, target, texts),
      ...(attention && { attention }),
      ...(isDelayed && { delayedUntil: restsUntil }),
    }
  }
  const targets = await inPieces(mapInPieces(post.targets, describeTarget))
  const rejection = findMissingScope(rights, post.isScheduled) ?? prepared.rejection
  const lists = [violations, unchecked, adjustments, inaccessible.accountIds, inaccessible.mediaIds]
  const warningsMax = Math.min(WARNINGS_MAX, listMax)
  return {
    create: { status: rejection?.statusCode ?? 201, error: rejection?.message ?? null },
    publishable:
      violations.length === 0 &&
      inaccessible.accountIds.length + inaccessible.mediaIds.length === 0 &&
      targets.every(({ attention }) => !stopsPublishing(attention)),
    violations: violations.slice(0, listMax),
    warnings: warnings.slice(0, warningsMax),
    adjustments: adjustments.slice(0, listMax),
    targets,
    ...(slots && { slots: listSlots(slots) }),
    notYours: {
      accountIds: inaccessible.accountIds.slice(0, listMax).map(shortenId),
      mediaIds: inaccessible.mediaIds.slice(0, listMax).map(shortenId),
    },
    unchecked: unchecked.slice(0, listMax),
    truncated: warnings.length > warningsMax || lists.some((list) => list.length > listMax),
  }
}

/** The violations with which the post is rejected, then those that only a scheduled post would have. */
async function findAllViolations({ post, violations }: CheckedPost, texts: TextCache): Promise<PostViolation[]> {
  const rejecting = violations.map((violation): PostViolation => ({ ...violation, blocks: 'create' }))
  if (post.isScheduled) return rejecting
  const keyOf = ({ accountId, message }: Violation) => `${accountId} ${message}`
  const known = new Set(violations.map(keyOf))
  const missing = (await inPieces(checkInPieces({ ...post, isScheduled: true }, { texts })))
    .filter((violation) => !known.has(keyOf(violation)))
    .map((violation): PostViolation => ({ ...violation, blocks: 'publishing' }))
  return [...rejecting, ...missing]
}

/** The cost of the post on an account, by the acts that publish it. */
function findCost(post: LoadedPost, target: AccountTarget, texts: TextCache) {
  const { platform, altTextLengthMax } = target.account
  const media = target.media.parts.map(({ files }) => files)
  const acts = planActs({ ...post, ...target, caption: post.caption, platform })
    .values()
    .map((act) => ({
      ...describeAct(act, { postType: post.postType, platform, media, fields: target.sentFields, altTextLengthMax }),
      parent: act.number > 1 ? {} : null,
    }))
  const cost = costOf(platform, acts, texts)
  return cost && { cost }
}

/** The kinds of the files; undefined if none is known, or one is not. */
function listKinds({ files }: PostMedia): FileKind[] | undefined {
  if (files.some(isMissing)) return undefined
  const kinds = new Set(files.map(({ mimeType }) => (mimeType.startsWith('video/') ? 'videos' : 'images')))
  return kinds.size > 0 ? [...kinds] : undefined
}

/** The kinds of acts that publish the post to an account. */
function listActs({ postType, ...post }: LoadedPost, { requestedCount, parts }: PostMedia) {
  // Only the first part of a thread has files, unless the account has lists for all parts.
  const hasText = parts.length > 1 ? parts.some((part) => part.requestedCount === 0) : postType === 'thread'
  return [
    ...(requestedCount > 0 ? (['files'] as const) : []),
    ...(requestedCount === 0 || hasText ? (['text'] as const) : []),
    ...(commentsOf(post).length > 0 ? (['comment'] as const) : []),
  ]
}
