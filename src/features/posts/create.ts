import type { Db } from '../../../db/client.ts'
import { newId } from '../../../db/id.ts'
import type { AccountReadiness } from '../../../db/queries/accounts.ts'
import type { KeyedResponse } from '../../../db/queries/idempotency.ts'
import { insertPost, type UnreadyAccount } from '../../../db/queries/posts/insert.ts'
import type { Nearby } from '../../../db/queries/posts/nearby.ts'
import type { CreatedPost, CreatePost } from '../../../schemas/create-post.ts'
import { createTextCache } from '../../platforms/rules/text-cache.ts'
import { findViolations } from '../../platforms/violations.ts'
import { fromBody } from './body.ts'
import { checkPost } from './check.ts'
import { type AccountTarget, type KnownAccounts, type LoadedPost, loadKnown } from './load.ts'
import { type PostGap, toNearbyWarnings } from './nearby-warnings.ts'
import { insertQueuedPost } from './queue/insert.ts'
import { failQueue } from './queue/refusal.ts'
import { toCreated } from './respond.ts'
import { inSlots, type Slots } from './schedule.ts'
import { findWarningError, findWarnings } from './warnings.ts'
import { toRow } from './write.ts'

interface CreateOptions {
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
 * response is taken. Throws what `fromBody` and `checkPost` throw, and 400 with details for warnings if it is strict.
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
  const requested = fromBody(body)
  const texts = createTextCache()
  let isRead = false
  const check = async () => {
    isRead = true
    return remember(known, await checkPost(db, userId, requested, { usable: { accountIds: listedIds }, texts }))
  }
  const checkKnown = () => {
    const post = loadKnown(requested, known)
    return post && findViolations(post, { texts }).length === 0 ? post : undefined
  }
  // Warnings of accounts that are ready again must not reject a post. An open queue tells the name of its account.
  const isReadFirst = isStrict || requested.queue
  let post = (isReadFirst ? undefined : checkKnown()) ?? (await check())
  let nearby: Nearby[] | undefined
  for (;;) {
    const checked = post
    const warnings = findWarnings(checked, texts)
    const error = isStrict ? findWarningError(warnings) : undefined
    if (error) throw error
    const respond = (nearby: Nearby[] = [], slots?: Slots) => {
      const placed = slots ? inSlots(checked, slots) : checked
      return toCreated(id, placed, [...warnings, ...toNearbyWarnings(placed, nearby)], slots)
    }
    const row = toRow(checked, { id, userId, keyId }, texts)
    if (checked.queue) {
      const toKeyed = (slots: Slots, nearby: Nearby[]) => toStored?.(respond(nearby, slots))
      const queueing = { row, order: checked.queue, gapMs, mover: { userId, accountIds: listedIds }, toKeyed }
      const queued = await insertQueuedPost(db, queueing).catch(ignoreDeletedMedia)
      if (queued && 'refused' in queued) throw failQueue(queued, checked.targets)
      if (queued?.outcome === 'written') return respond(queued.nearby, queued.slots)
      if (queued?.outcome === 'key_taken') return undefined
      const hasChanged = queued?.outcome === 'unready_changed'
      post = hasChanged ? remember(known, withReadiness(checked, queued.unready ?? [])) : await check()
      continue
    }
    const looks = isRead && !nearby
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
    post = insertion ? remember(known, withReadiness(checked, insertion.unready ?? [])) : await check()
  }
}

/** A file was deleted after the check, so the next check reports it. */
function ignoreDeletedMedia(error: Error & { constraint?: string }): undefined {
  if (error.constraint !== 'post_media_media') throw error
}

const READY: AccountReadiness = { attention: null, credentials: 'fixed', credentialsExpireAt: null }

/** The post with the accounts that are not ready now. */
function withReadiness(post: LoadedPost, unready: readonly UnreadyAccount[]): LoadedPost {
  const found = new Map(unready.map(({ accountId, ...readiness }) => [accountId, readiness]))
  const withOwn = (target: AccountTarget): AccountTarget => {
    const readiness = found.get(target.accountId)
    return { ...target, account: { ...target.account, ...(readiness ?? READY), isReady: !readiness } }
  }
  return { ...post, targets: post.targets.map(withOwn) }
}

function remember(known: KnownAccounts | undefined, post: LoadedPost): LoadedPost {
  for (const { accountId, account } of post.targets) known?.set(accountId, account)
  return post
}
