import type { Db } from '../../db/client.ts'
import { isId, newId } from '../../db/id.ts'
import { insertPost, type NewPost, type PostSubjects, readPostSubjects } from '../../db/queries/posts.ts'
import type { Issue } from '../../schemas/error.ts'
import type { CreatedPost, CreatePost } from '../../schemas/post.ts'
import { parseTime } from '../../schemas/time.ts'
import { AppError, invalidRequest } from '../errors.ts'
import { findViolations } from '../platforms/rules/check-post.ts'
import type { PostToCheck } from '../platforms/rules/context.ts'

/**
 * Accounts that posts were judged for, by their ids. An account never changes its network; what its own server takes may
 * change, which writing a post finds out.
 */
export type KnownAccounts = Map<string, Account>

type Account = PostSubjects['accounts'][number]

const KNOWN_MAX = 10_000

/**
 * Stores a post for accounts of the user's reach: scheduled when it has a time, else a draft. Throws 400 with details
 * for parts that belong to no account of the post, 400 for the first limit of a network that it breaks, 403 for accounts
 * and media that the user may not use. Limits are judged before, and only for, what the user may use: a stranger's
 * account shows in no answer.
 *
 * Where all accounts are known, and nothing is wrong with the post, one statement writes it if they are in reach: what
 * else would be read and be found to be fine costs a third of the whole. In all other cases it is read, and told.
 */
export async function createPost(
  db: Db,
  userId: string,
  body: CreatePost,
  known: KnownAccounts = new Map(),
): Promise<CreatedPost> {
  const accountIds = [...new Set(body.accountIds)]
  const issues = strayParts(body, new Set(accountIds))
  if (issues.length > 0) throw invalidRequest(issues)

  const overrides = new Map(body.accountOverrides.map((override) => [override.accountId, override]))
  const threadParts = new Map(Object.entries(body.threadParts ?? {}))
  // The schema's format has let only times pass.
  const scheduledAt = body.scheduledAt === undefined ? null : (parseTime(body.scheduledAt) as { time: Date }).time
  const judged = { ...body, accountIds, scheduled: scheduledAt !== null, overrides, threadParts }
  const judge = async () => remember(known, await judgePost(db, userId, judged))
  let accounts = knownToBeFine(judged, known) ?? (await judge())

  const id = newId()
  const status = scheduledAt ? 'scheduled' : 'draft'
  const post: Omit<NewPost, 'textLengthMaxes'> = {
    id,
    userId,
    caption: body.caption,
    firstComment: body.firstComment ?? null,
    postType: body.postType,
    status,
    scheduledAt,
    accountIds,
    captionOverrides: accountIds.map((accountId) => overrides.get(accountId)?.captionOverride ?? null),
    fields: accountIds.map((accountId) => jsonOrNull(overrides.get(accountId)?.fields)),
    threadParts: accountIds.map((accountId) => jsonOrNull(threadParts.get(accountId))),
    mediaIds: body.mediaIds,
  }
  try {
    // Not written: an account is not in reach, or not any more, which `judge` says, or its server takes another length.
    const textLengthMaxes = () => accounts.map(({ textLengthMax }) => textLengthMax)
    while (!(await insertPost(db, { ...post, textLengthMaxes: textLengthMaxes() }))) accounts = await judge()
  } catch (error) {
    // A file was deleted in the meantime: it is one that the user does not have, like any other. A transaction has ended
    // by that, and is tried again as a whole.
    const isRaced = (error as { constraint?: string }).constraint === 'post_media_media' && !db.isTransaction
    if (isRaced) return createPost(db, userId, body, known)
    throw error
  }
  return { id, status }
}

/** The accounts of a post that can be written without reading more; undefined where it has to be judged. */
function knownToBeFine(post: PostToCheck & { accountIds: string[] }, known: KnownAccounts): Account[] | undefined {
  const accounts = post.accountIds.flatMap((id) => known.get(id) ?? [])
  const isKnown = accounts.length === post.accountIds.length && post.mediaIds.length === 0
  return isKnown && findViolations(post, accounts, []).length === 0 ? accounts : undefined
}

function remember(known: KnownAccounts, accounts: Account[]): Account[] {
  if (known.size + accounts.length > KNOWN_MAX) known.clear()
  for (const account of accounts) known.set(account.id, account)
  return accounts
}

/**
 * Holds a post against the limits of its networks, and against what the user may use. Gives its accounts. Throws 400 for
 * the first limit that it breaks, 403 for accounts and media that are not the user's to use.
 */
export async function judgePost(
  db: Db,
  userId: string,
  post: PostToCheck & { accountIds: readonly string[] },
): Promise<Account[]> {
  const { accountIds, mediaIds } = post
  const [subjects] = await readPostSubjects(db, {
    userId,
    accountIds: accountIds.filter(isId),
    mediaIds: mediaIds.filter(isId),
  })
  const accounts = inOrder(accountIds, subjects!.accounts)
  const media = inOrder(mediaIds, subjects!.media)
  const [violation] = findViolations(post, accounts, media)
  if (violation) throw new AppError(400, 'platform_limit', violation.message)
  refuseUnusable({ accountIds: missing(accountIds, accounts), mediaIds: missing(mediaIds, media) })
  return accounts
}

/** Overrides and thread parts for accounts that the post does not go to, and second overrides for one account. */
function strayParts(body: CreatePost, accountIds: Set<string>): Issue[] {
  const issues: Issue[] = []
  const overridden = new Set<string>()
  for (const [index, { accountId }] of body.accountOverrides.entries()) {
    const path = ['accountOverrides', index, 'accountId']
    if (!accountIds.has(accountId)) issues.push({ code: 'custom', path, message: NOT_TARGETED })
    else if (overridden.has(accountId)) {
      issues.push({ code: 'custom', path, message: 'Only one override for each account is allowed' })
    }
    overridden.add(accountId)
  }
  for (const accountId of Object.keys(body.threadParts ?? {})) {
    if (!accountIds.has(accountId)) {
      issues.push({ code: 'custom', path: ['threadParts', accountId], message: NOT_TARGETED })
    }
  }
  return issues
}

const NOT_TARGETED = 'Not one of the accountIds of this post'

/** What was found of `ids`, in their order and as often. */
function inOrder<T extends { id: string }>(ids: readonly string[], found: T[]): T[] {
  const byId = new Map(found.map((item) => [item.id, item]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function missing(ids: readonly string[], found: { id: string }[]): string[] {
  const known = new Set(found.map(({ id }) => id))
  return [...new Set(ids)].filter((id) => !known.has(id))
}

/** How many ids, and how much of each, an answer repeats. */
const NAMED_MAX = 20
const ID_LENGTH_MAX = 64

function refuseUnusable(unusable: Record<string, string[]>): void {
  const parts = Object.entries(unusable)
    .filter(([, ids]) => ids.length > 0)
    .map(([name, ids]) => {
      const named = ids.slice(0, NAMED_MAX).map((id) => id.slice(0, ID_LENGTH_MAX).toWellFormed())
      const rest = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : ''
      return `${name}: ${named.join(', ')}${rest}`
    })
  if (parts.length > 0) throw new AppError(403, 'no_access', `You have no access to these ${parts.join('; ')}`)
}

const jsonOrNull = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value))
