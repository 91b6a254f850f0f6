import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/client.ts'
import { newId } from '../../db/id.ts'
import type { KeyedResponse } from '../../db/queries/idempotency.ts'
import { insertPost, type NewDelivery, type NewPost } from '../../db/queries/posts/insert.ts'
import type { CreatedPost, CreatePost } from '../../schemas/create-post.ts'
import type { MediaFacts } from '../../schemas/media.ts'
import { type PostWarning, WARNINGS_MAX } from '../../schemas/warning.ts'
import { initialState } from '../delivery/states.ts'
import { findViolations, type TargetAccount } from '../platforms/check-post.ts'
import { createTextCache, type TextCache } from '../platforms/rules/text-cache.ts'
import { type RequestedPost, readBody } from './body.ts'
import { checkPost } from './check.ts'
import { findWarningError, findWarnings } from './warnings.ts'

interface KnownAccount extends TargetAccount {
  textLengthMax: number | null
  altTextLengthMax: number | null
}

/**
 * Cache of accounts that passed `checkPost`, by id. The network of an account never changes. The text limit of its
 * server may change: then `insertPost` writes nothing. That of alternative texts may change too: only posts without files
 * are checked by the cache.
 */
export type KnownAccounts = LRUCache<string, KnownAccount>

export const createKnownAccounts = (): KnownAccounts => new LRUCache({ max: 10_000 })

/** The accounts and files of a post that can be stored. */
interface CheckedPost {
  accounts: KnownAccount[]
  media: MediaFacts[]
}

export interface CreateOptions {
  /** Absent for a post whose checks take long: they run in pieces then. */
  known?: KnownAccounts
  /** Whether a post with warnings is rejected. */
  isStrict?: boolean
  /** The id of the post. Default: a new one. */
  id?: string
  /** Measured texts, for a post that is checked more than once. */
  texts?: TextCache
}

/**
 * Stores a post: scheduled if it has a time, else a draft. Throws what `readBody` and `checkPost` throw, and 400 with
 * details for warnings if it is strict.
 *
 * If all accounts are known and the post breaks no limit, one statement does everything: it checks the access, writes
 * the post, and returns the accounts that are not ready. A read before it would take a third of the whole time.
 */
export async function createPost(
  db: Db,
  userId: string,
  body: CreatePost,
  options: CreateOptions = {},
): Promise<CreatedPost> {
  const { known, isStrict = false, id = newId(), texts = createTextCache() } = options
  const post = readBody(body)
  const check = async () => remember(known, await checkPost(db, userId, post, undefined, texts))
  let { accounts, media } = isStrict
    ? await checkStrictly(db, userId, post, texts)
    : (checkWithoutDatabase(post, known, texts) ?? (await check()))

  const row = { ...toRow(userId, post, body), id }
  try {
    const insert = () => insertPost(db, { ...row, deliveries: toDeliveries(post, accounts) })
    let unready = await insert()
    // Nothing is written if the user may not use an account, for which `check` throws, or if its text limit has
    // changed.
    while (!unready) {
      ;({ accounts, media } = await check())
      unready = await insert()
    }
    const readiness = new Map(unready.map((account) => [account.accountId, account]))
    return toCreated(id, post, findWarnings(post, accounts, { media, unready: readiness, texts }))
  } catch (error) {
    // A file was deleted after the check, so the next check reports it. The error has aborted a surrounding
    // transaction, which is retried as a whole instead.
    const isMediaDeleted = (error as { constraint?: string }).constraint === 'post_media_media'
    if (isMediaDeleted && !db.isTransaction) return createPost(db, userId, body, options)
    throw error
  }
}

/**
 * Stores a post and the response to its request in one statement, which concurrent requests share. Returns undefined, and
 * stores nothing, if the post needs `createPost` and a transaction: it has files, an account that is not known or not
 * ready, or a key that already has a response. Throws what `readBody` throws.
 */
export async function createKeyedPost(
  db: Db,
  userId: string,
  body: CreatePost,
  { known }: CreateOptions,
  toStored: (created: CreatedPost) => KeyedResponse,
): Promise<CreatedPost | undefined> {
  const post = readBody(body)
  const texts = createTextCache()
  const checked = checkWithoutDatabase(post, known, texts)
  if (!checked) return undefined
  const { accounts, media } = checked
  const row = toRow(userId, post, body)
  const created = toCreated(row.id, post, findWarnings(post, accounts, { media, unready: new Map(), texts }))
  const isWritten = await insertPost(db, { ...row, deliveries: toDeliveries(post, accounts), keyed: toStored(created) })
  return isWritten && created
}

/** Checks a post before it is written, with a statement of its own. Throws 400 for warnings too. */
async function checkStrictly(db: Db, userId: string, post: RequestedPost, texts: TextCache): Promise<CheckedPost> {
  const { accounts, media } = await checkPost(db, userId, post, undefined, texts)
  const unready = new Map(accounts.map((account) => [account.id, account]))
  const error = findWarningError(findWarnings(post, accounts, { media, unready, texts }))
  if (error) throw error
  return { accounts, media }
}

/** A post as it is stored. */
export const toRow = (
  userId: string,
  post: RequestedPost,
  { externalReference, metadata }: CreatePost,
): Omit<NewPost, 'deliveries'> => ({
  id: newId(),
  userId,
  caption: post.caption,
  firstComment: post.firstComment ?? null,
  postType: post.postType,
  status: post.scheduled ? 'scheduled' : 'draft',
  scheduledAt: post.scheduledAt,
  externalReference,
  metadata,
  deliveryState: initialState(post.scheduled),
  mediaIds: post.mediaIds,
})

/** The deliveries of a post, as they are stored. */
export const toDeliveries = (post: RequestedPost, accounts: readonly KnownAccount[]): NewDelivery[] =>
  accounts.map(({ id: accountId, textLengthMax }) => ({
    accountId,
    textLengthMax,
    captionOverride: post.overrides.get(accountId)?.captionOverride ?? null,
    fields: post.overrides.get(accountId)?.fields ?? null,
    threadParts: post.threadParts.get(accountId) ?? null,
  }))

/** The response for a stored post. */
export const toCreated = (id: string, post: RequestedPost, warnings: PostWarning[]): CreatedPost => ({
  id,
  status: post.scheduled ? 'scheduled' : 'draft',
  ...(warnings.length > 0 && { warnings: warnings.slice(0, WARNINGS_MAX) }),
})

/** The accounts of a post that needs no `checkPost`; undefined if it needs one. */
function checkWithoutDatabase(
  post: RequestedPost,
  known: KnownAccounts | undefined,
  texts: TextCache,
): CheckedPost | undefined {
  const accounts = post.accountIds.flatMap((id) => known?.get(id) ?? [])
  const isKnown = accounts.length === post.accountIds.length && post.mediaIds.length === 0
  return isKnown && findViolations(post, accounts, [], { texts }).length === 0 ? { accounts, media: [] } : undefined
}

function remember(known: KnownAccounts | undefined, checked: CheckedPost): CheckedPost {
  const { accounts } = checked
  for (const { id, platform, username, textLengthMax, altTextLengthMax } of accounts) {
    known?.set(id, { id, platform, username, textLengthMax, altTextLengthMax })
  }
  return checked
}
