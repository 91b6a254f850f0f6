import type { Db } from '../../../db/client.ts'
import { giveBack, payForReading } from '../../../db/queries/budgets.ts'
import type { Now } from '../../../db/queries/clock.ts'
import type { CredentialsRow } from '../../../db/queries/credentials.ts'
import { credentialsRow } from '../../../db/queries/credentials.ts'
import type { StoredReading } from '../../../db/queries/numbers/store.ts'
import type { DuePost } from '../../../db/queries/numbers/turns.ts'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { MetricReason } from '../../../schemas/metric-names.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Log } from '../../base/log.ts'
import { withTimeout } from '../../base/with-timeout.ts'
import type { Networks } from '../../platforms/adapters.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
import type { Price } from '../../platforms/contract/limits.ts'
import type { PostReading } from '../../platforms/contract/metrics.ts'
import { PublishError } from '../../platforms/contract/publish-error.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { offeredTo } from '../../platforms/offered-metrics.ts'
import { isGranted, mayKeep } from './mode.ts'
import { CONFIRM_AFTER_MS, nextReadingInMs } from './timing.ts'

export interface ReadDeps {
  db: Db
  networks: Networks
  openCredentials(accountId: string, sealed: CredentialsRow): Credentials
  fetch: typeof fetch
  /** Milliseconds since 1970. */
  now(): number
  /** The time of statements. */
  clock(): Now
  log: Pick<Log, 'error'>
}

/** An account, with its credentials as they are stored. */
interface ReadAccount extends Record<keyof CredentialsRow, CredentialsRow[keyof CredentialsRow] | null> {
  accountId: string
  platform: PlatformId
  scopes: string[] | null
  keyId: string | null
  dataKey: Buffer | null
  data: Buffer | null
}

interface ReadPosts {
  /** One for each post that was read, or could not be. */
  readings: StoredReading[]
  /** Why the account rests; undefined if every call worked. */
  failure?: { error: DeliveryError; retryAfterMs?: number | undefined }
}

/** How long an adapter may take to return after its signal has aborted. */
const ABORT_GRACE_MS = 1_000

/**
 * Reads the numbers of posts of one account, with as many calls as they need, within `limitMs`. Stops at the first
 * failure of a call, which belongs to all posts that are left. An error of one post does not concern the others.
 */
export async function readPosts(
  deps: ReadDeps,
  account: ReadAccount,
  posts: readonly DuePost[],
  { limitMs, signal: outer }: { limitMs: number; signal?: AbortSignal },
): Promise<ReadPosts> {
  const rules = NETWORKS[account.platform].metrics
  const known = { ...account, externalId: posts[0]?.externalId ?? null }
  const [granted, withheld] = [true, false].map((isOpen) =>
    offeredTo(known).filter((rule) => isGranted(rule, known) === isOpen),
  )
  const names = new Set(granted!.map(({ native }) => native))
  const notAsked = Object.fromEntries(withheld!.map(({ native }) => [native, SCOPE_MISSING]))
  const keepsPoint = mayKeep(rules, known)
  const readings: StoredReading[] = []
  const add = ({ userId, postId, accountId, publishedAt }: DuePost, reading: Outcome) => {
    const nextInMs = nextReadingInMs(deps.now() - publishedAt.getTime())
    readings.push({ userId, postId, accountId, nextInMs, keepsPoint, ...reading })
  }
  // Every number needs a scope that is missing: nothing is to be asked.
  if (names.size === 0 && !rules.tellsPresence) {
    for (const post of posts) add(post, { counts: null, presence: 'not_asked' })
    return { readings }
  }
  const toMeasured = ({ publishedAt, ...post }: DuePost) => ({ ...post, ageMs: deps.now() - publishedAt.getTime() })
  const timeout = AbortSignal.timeout(limitMs)
  const signal = outer ? AbortSignal.any([timeout, outer]) : timeout
  let done = 0
  try {
    const io = { credentials: open(deps, account), fetch: deps.fetch, signal }
    const { readMetrics } = deps.networks[account.platform]
    while (done < posts.length) {
      const batch = posts.slice(done, done + rules.postsPerCall)
      const call = () => withTimeout(limitMs + ABORT_GRACE_MS, readMetrics!(batch.map(toMeasured), names, io))
      const read = rules.price ? await readPaid(deps, batch, rules.price, call) : await call()
      for (const [index, post] of batch.entries()) add(post, read ? toStored(read[index]!, post, notAsked) : USED_UP)
      done += batch.length
    }
    return { readings }
  } catch (error) {
    const { retryAfterMs, ...failure } = describeFailure(deps, account, error)
    for (const post of posts.slice(done)) add(post, { counts: null, presence: 'unknown', error: failure })
    return { readings, failure: { error: failure, retryAfterMs } }
  }
}

/**
 * Calls a network that charges for each post that it returns, once a UTC day. Undefined, and without a call: the
 * account's budget does not cover it. A call whose response was lost may have cost its price.
 */
async function readPaid(
  { db, clock }: ReadDeps,
  batch: readonly DuePost[],
  { usdMicros }: Price,
  call: () => Promise<readonly PostReading[]>,
): Promise<readonly PostReading[] | undefined> {
  const { accountId } = batch[0]!
  const priceOf = (posts: readonly DuePost[]) => usdMicros * posts.filter(({ isReadToday }) => !isReadToday).length
  const micros = priceOf(batch)
  if (micros === 0) return call()
  const [paid] = await payForReading(db, { accountId, micros, now: clock() })
  if (!paid) return undefined
  const refund = (micros: number) => giveBack(db, { accountId, micros, month: paid.month })
  try {
    const read = await call()
    await refund(priceOf(batch.filter((_, index) => !hasCounts(read[index]!))))
    return read
  } catch (error) {
    if (error instanceof PublishError && !error.maybeSent) await refund(micros)
    throw error
  }
}

const hasCounts = (reading: PostReading): boolean => typeof reading === 'object' && 'counts' in reading

type Outcome = Pick<StoredReading, 'counts' | 'presence'> & Partial<StoredReading>

/** Stored with a reading that did not ask for the number: the scope may be granted later. */
const SCOPE_MISSING: MetricReason = 'scope_missing'

function toStored(reading: PostReading, { isGone }: DuePost, notAsked: Record<string, MetricReason>): Outcome {
  if (reading === 'gone') return { counts: null, presence: 'unseen', ...(!isGone && { nextInMs: CONFIRM_AFTER_MS }) }
  if (reading === 'shown') return { counts: null, presence: 'seen' }
  if (reading === 'too_old') return { counts: null, presence: 'not_asked', error: TOO_OLD, nextInMs: null }
  if ('error' in reading) return { counts: null, presence: 'unknown', error: reading.error }
  return { counts: reading.counts, presence: 'seen', missing: { ...notAsked, ...reading.missing } }
}

/** The code is that of the reason that the API shows. */
const TOO_OLD = {
  code: 'too_old' satisfies MetricReason,
  message: 'The network no longer tells numbers of this post',
  retryable: false,
}

/** Read again at its next time: a new month, or another budget, may cover it then. */
const USED_UP: Outcome = {
  counts: null,
  presence: 'not_asked',
  error: {
    code: 'budget_used_up',
    message: 'The budget of the account does not cover this reading: raise it, or wait for the next month',
    retryable: true,
  },
}

function open(deps: ReadDeps, account: ReadAccount): Credentials {
  const row = credentialsRow(account)
  if (!row) throw new PublishError('The account has no credentials: connect it', NOT_CONNECTED)
  return deps.openCredentials(account.accountId, row)
}

const NOT_CONNECTED = { code: 'not_connected', maybeSent: false, retryable: false }

function describeFailure(deps: ReadDeps, { accountId, platform }: ReadAccount, error: unknown) {
  if (error instanceof PublishError) {
    const { code, message, retryable, retryAfterMs } = error
    return { code, message, retryable, retryAfterMs }
  }
  deps.log.error({ err: error, accountId, platform }, 'numbers could not be read')
  return { code: 'internal_error', message: 'An unexpected failure of this service', retryable: true, retryAfterMs: 0 }
}
