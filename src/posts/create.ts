import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import { insertPost, type NewPost, type NewTarget } from '../../db/queries/insert-post.ts'
import type { CreatedPost, CreatePost } from '../../schemas/create-post.ts'
import type { Issue } from '../../schemas/error.ts'
import { parseTime } from '../../schemas/time.ts'
import { initialState } from '../delivery/states.ts'
import { invalidRequest } from '../errors.ts'
import { findViolations } from '../platforms/rules/check-post.ts'
import type { PostToCheck } from '../platforms/rules/context.ts'
import { type CheckedAccount, checkPost } from './check.ts'

/**
 * Cache of accounts that passed `checkPost`, by id. The network of an account never changes. The text limit of its
 * server may change: then `insertPost` writes nothing.
 */
export type KnownAccounts = Map<string, CheckedAccount>

const KNOWN_MAX = 10_000

/**
 * Stores a post: scheduled if it has a time, else a draft. Throws 400 with details for overrides and thread parts of
 * accounts that the post does not have, and else what `checkPost` throws.
 *
 * If all accounts are known and the post breaks no limit, one statement checks the access and writes the post. A read
 * before it would take a third of the whole time.
 */
export async function createPost(
  db: Db,
  userId: string,
  body: CreatePost,
  known: KnownAccounts = new Map(),
): Promise<CreatedPost> {
  const accountIds = [...new Set(body.accountIds)]
  const issues = findStrayParts(body, new Set(accountIds))
  if (issues.length > 0) throw invalidRequest(issues)

  const overrides = new Map(body.accountOverrides.map((override) => [override.accountId, override]))
  const threadParts = new Map(Object.entries(body.threadParts ?? {}))
  const scheduledAt = readTime(body.scheduledAt)
  const checked = { ...body, accountIds, scheduled: scheduledAt !== null, overrides, threadParts }
  const check = async () => remember(known, await checkPost(db, userId, checked))
  let accounts = checkWithoutDatabase(checked, known) ?? (await check())

  const id = newId()
  const status = scheduledAt ? 'scheduled' : 'draft'
  const post: Omit<NewPost, 'targets'> = {
    id,
    userId,
    caption: body.caption,
    firstComment: body.firstComment ?? null,
    postType: body.postType,
    status,
    scheduledAt,
    deliveryState: initialState(scheduledAt !== null),
    mediaIds: body.mediaIds,
  }
  const toTarget = ({ id: accountId, textLengthMax }: CheckedAccount): NewTarget => ({
    accountId,
    textLengthMax,
    captionOverride: overrides.get(accountId)?.captionOverride ?? null,
    fields: overrides.get(accountId)?.fields ?? null,
    threadParts: threadParts.get(accountId) ?? null,
  })
  try {
    const insert = () => insertPost(db, { ...post, targets: accounts.map(toTarget) })
    // Nothing is written if the user may not use an account, for which `check` throws, or if its text limit has
    // changed.
    while (!(await insert())) accounts = await check()
  } catch (error) {
    // A file was deleted after the check, so the next check reports it. The error has aborted a surrounding
    // transaction, which is retried as a whole instead.
    const isMediaDeleted = (error as { constraint?: string }).constraint === 'post_media_media'
    if (isMediaDeleted && !db.isTransaction) return createPost(db, userId, body, known)
    throw error
  }
  return { id, status }
}

/** The format of the schema has validated the text. */
const readTime = (text: string | undefined): Date | null =>
  text === undefined ? null : (parseTime(text) as { time: Date }).time

/** The accounts of a post that needs no `checkPost`; undefined if it needs one. */
function checkWithoutDatabase(
  post: PostToCheck & { accountIds: string[] },
  known: KnownAccounts,
): CheckedAccount[] | undefined {
  const accounts = post.accountIds.flatMap((id) => known.get(id) ?? [])
  const isKnown = accounts.length === post.accountIds.length && post.mediaIds.length === 0
  return isKnown && findViolations(post, accounts, []).length === 0 ? accounts : undefined
}

function remember(known: KnownAccounts, accounts: CheckedAccount[]): CheckedAccount[] {
  if (known.size + accounts.length > KNOWN_MAX) known.clear()
  for (const account of accounts) known.set(account.id, account)
  return accounts
}

const NOT_TARGETED = 'Not one of the accountIds of this post'

/** Finds overrides and thread parts for accounts that the post does not have, and repeated overrides. */
function findStrayParts(body: CreatePost, accountIds: Set<string>): Issue[] {
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
