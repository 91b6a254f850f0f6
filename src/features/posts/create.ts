import { LRUCache } from 'lru-cache'
import type { Db } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import type { DefaultFields } from '../../../db/queries/accounts.ts'
import type { KeyedResponse } from '../../../db/queries/idempotency.ts'
import { insertPost, type NewPost, type UnreadyAccount } from '../../../db/queries/posts/insert.ts'
import type { Nearby } from '../../../db/queries/posts/nearby.ts'
import type { SentRendition } from '../../../db/queries/posts/sent-renditions.ts'
import type { CreatedPost, CreatePost } from '../../../schemas/create-post.ts'
import type { MediaFacts } from '../../../schemas/media.ts'
import { type PostWarning, WARNINGS_MAX } from '../../../schemas/warning.ts'
import { initialState } from '../../engine/delivery/machine.ts'
import { listMediaIds } from '../../platforms/rules/context.ts'
import { createTextCache, type TextCache } from '../../platforms/rules/text-cache.ts'
import { findViolations, type TargetAccount } from '../../platforms/violations.ts'
import { type RequestedPost, readBody } from './body.ts'
import { type CheckedAccount, checkPost } from './check.ts'
import { requireSmallDefaults, withDefaultFields } from './default-fields.ts'
import { renditionsOf, toAdjustments } from './fit.ts'
import { nearbyTermsOf } from './nearby-terms.ts'
import { contentFor, type PostGap, toNearbyWarnings } from './nearby-warnings.ts'
import { insertQueuedPost } from './queue/insert.ts'
import { failQueue } from './queue/refusal.ts'
import { listSlots, type Slots, withSlots } from './schedule.ts'
import { findWarningError, findWarnings } from './warnings.ts'

interface KnownAccount extends TargetAccount {
  textLengthMax: number | null
  altTextLengthMax: number | null
  factsDigest: string | null
  defaultFields: DefaultFields | null
  /** The facts of the database about an account that is not ready. */
  unready?: UnreadyAccount | undefined
}

/**
 * Cache of accounts that passed `checkPost`, by id. The network of an account and its id there never change. The
 * limits, the defaults and the readiness of an account may change: then `insertPost` writes nothing. The limit of
 * alternative texts may change too: only posts without files are checked by the cache.
 */
export type KnownAccounts = LRUCache<string, KnownAccount>

export const createKnownAccounts = (): KnownAccounts => new LRUCache({ max: 10_000 })

/** A post that can be stored, with its accounts and files. */
interface CheckedPost {
  post: RequestedPost
  accounts: KnownAccount[]
  media: MediaFacts[]
  /** Whether the database was read for the check. */
  isRead: boolean
  renditions: SentRendition[]
}

export interface CreateOptions {
  /** Absent for a post whose checks take long: they run in pieces then. */
  known?: KnownAccounts
  /** Whether a post with warnings is rejected. */
  isStrict?: boolean
  /** The id of the post. Default: a new one. */
  id?: string
  /** The key whose budget pays for the post. */
  keyId?: string
  /** The accounts that the key lists. Default: all. */
  listedIds?: readonly string[] | null
  /** Default: posts may follow each other at any distance. */
  gapMs?: PostGap
}

/** Makes the response to store with the post, under an `Idempotency-Key`. */
type ToStored = (created: CreatedPost) => KeyedResponse

/**
 * Stores a post: scheduled if it has a time, else a draft. Returns undefined, and stores nothing, if the key of its
 * response is taken. Throws what `readBody` and `checkPost` throw, and 400 with details for warnings if it is strict.
 *
 * If all accounts are known and the post breaks no limit, one statement checks the access and writes the post. A read
 * before it would take a third of the whole time. The response is complete before the statement, which writes nothing
 * if the accounts that are not ready are others than it names. After a read, the statement also looks for other
 * posts near the post. It takes 3 % of the whole time, which a post without a read is spared.
 */
export function createPost(db: Db, userId: string, body: CreatePost, options?: CreateOptions): Promise<CreatedPost>
export function createPost(
  db: Db,
  userId: string,
  body: CreatePost,
  options: CreateOptions,
  toStored: ToStored | undefined,
): Promise<CreatedPost | undefined>
export async function createPost(
  db: Db,
  userId: string,
  body: CreatePost,
  { known, isStrict = false, id = newId(), gapMs = null, keyId, listedIds = null }: CreateOptions = {},
  toStored?: ToStored,
): Promise<CreatedPost | undefined> {
  const requested = readBody(body)
  const texts = createTextCache()
  const check = async () => {
    const { post, accounts, media, renditions } = await checkPost(
      db,
      userId,
      requested,
      { accountIds: listedIds },
      texts,
    )
    return remember(known, { post, accounts: accounts.map(toKnown), media, renditions, isRead: true })
  }
  // Warnings of accounts that are ready again must not reject a post. An open queue tells the name of its account.
  const isReadFirst = isStrict || requested.queue
  let checked = (isReadFirst ? undefined : checkWithoutDatabase(requested, known, texts)) ?? (await check())
  let nearby: Nearby[] | undefined
  for (;;) {
    const { post, accounts, media, renditions } = checked
    const row = { ...toRow(userId, post, accounts, { texts, renditions }), id, keyId }
    const warnings = findWarnings(post, accounts, { media, unready: byAccount(row.unready), texts })
    const error = isStrict ? findWarningError(warnings) : undefined
    if (error) throw error
    const respond = (nearby: Nearby[] = [], slots?: Slots) => {
      const placed = slots ? { ...post, ...withSlots(slots) } : post
      const all = [...warnings, ...toNearbyWarnings(placed, accounts, nearby)]
      return toCreated(id, placed, { warnings: all, renditions, slots })
    }
    if (post.queue) {
      const toKeyed = (slots: Slots, nearby: Nearby[]) => toStored?.(respond(nearby, slots))
      const queueing = { row, order: post.queue, gapMs, mover: { userId, accountIds: listedIds }, toKeyed }
      const queued = await insertQueuedPost(db, queueing).catch(ignoreDeletedMedia)
      if (queued && 'refused' in queued) throw failQueue(queued, accounts)
      if (queued?.outcome === 'written') return respond(queued.nearby, queued.slots)
      if (queued?.outcome === 'key_taken') return undefined
      const hasChanged = queued?.outcome === 'unready_changed'
      checked = hasChanged ? remember(known, withReadiness(checked, queued.unready ?? [])) : await check()
      continue
    }
    const looks = checked.isRead && !nearby
    const lookout = looks ? { mode: toStored ? ('refused' as const) : ('reported' as const), gapMs } : undefined
    const keyed = toStored?.(respond(nearby))
    const insertion = await insertPost(db, { ...row, lookout, keyed }).catch(ignoreDeletedMedia)
    if (insertion?.outcome === 'written') return respond(nearby ?? insertion.nearby ?? [])
    if (insertion?.outcome === 'key_taken') return undefined
    if (insertion?.outcome === 'has_nearby') {
      nearby = insertion.nearby ?? []
      continue
    }
    // If nothing was inserted, a limit or a default has changed. Or the user may not use an account or a file any more:
    // then `check` throws.
    checked = insertion ? remember(known, withReadiness(checked, insertion.unready ?? [])) : await check()
  }
}

/** A file was deleted after the check, so the next check reports it. */
function ignoreDeletedMedia(error: Error & { constraint?: string }): undefined {
  if (error.constraint !== 'post_media_media') throw error
}

/** The account, with what the database says if it is not ready. */
export const toKnown = ({ isReady, attention, credentials, credentialsExpireAt, ...account }: CheckedAccount) => ({
  ...account,
  unready: isReady ? undefined : { accountId: account.id, attention, credentials, credentialsExpireAt },
})

function withReadiness({ accounts, ...checked }: CheckedPost, unready: UnreadyAccount[]): CheckedPost {
  const found = byAccount(unready)
  return { ...checked, accounts: accounts.map((account) => ({ ...account, unready: found.get(account.id) })) }
}

const byAccount = (unready: readonly UnreadyAccount[]) =>
  new Map(unready.map((account) => [account.accountId, account]))

/** A post as it is stored. */
export const toRow = (
  userId: string,
  post: RequestedPost,
  accounts: readonly KnownAccount[],
  { texts, renditions }: { texts: TextCache; renditions: readonly SentRendition[] },
): NewPost => ({
  ...post,
  id: newId(),
  userId,
  status: post.scheduled ? 'scheduled' : 'draft',
  deliveryState: initialState(post.scheduled),
  deliveries: accounts.map(({ id: accountId, platform, textLengthMax, factsDigest, defaultFields }) => ({
    ...post.overrides.get(accountId),
    accountId,
    textLengthMax,
    factsDigest,
    defaultFields,
    threadParts: post.threadParts.get(accountId) ?? null,
    scheduledAt: post.accountTimes.get(accountId) ?? null,
    nearby: nearbyTermsOf({ platform }, contentFor(post, accountId), texts),
    renditions: renditionsOf(renditions, accountId),
    isInSlot: post.slotted.has(accountId),
  })),
  unready: accounts.flatMap(({ unready }) => unready ?? []),
})

/** The response for a stored post. */
export const toCreated = (
  id: string,
  post: RequestedPost,
  {
    warnings,
    renditions,
    slots,
  }: { warnings: PostWarning[]; renditions: readonly SentRendition[]; slots?: Slots | undefined },
): CreatedPost => ({
  id,
  status: post.scheduled ? 'scheduled' : 'draft',
  ...(slots && { slots: listSlots(slots) }),
  ...(renditions.length > 0 && { adjustments: toAdjustments(renditions) }),
  ...(warnings.length > 0 && { warnings: warnings.slice(0, WARNINGS_MAX) }),
})

/** The accounts of a post that needs no `checkPost`; undefined if it needs one. */
function checkWithoutDatabase(
  requested: RequestedPost,
  known: KnownAccounts | undefined,
  texts: TextCache,
): CheckedPost | undefined {
  const accounts = requested.accountIds.flatMap((id) => known?.get(id) ?? [])
  if (accounts.length < requested.accountIds.length || listMediaIds(requested).length > 0) return undefined
  requireSmallDefaults(accounts)
  const post = withDefaultFields(requested, accounts)
  if (findViolations(post, accounts, [], { texts }).length > 0) return undefined
  return { post, accounts, media: [], renditions: [], isRead: false }
}

function remember(known: KnownAccounts | undefined, checked: CheckedPost): CheckedPost {
  const { accounts } = checked
  for (const account of accounts) known?.set(account.id, account)
  return checked
}
