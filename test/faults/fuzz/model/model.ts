import { isDeepStrictEqual } from 'node:util'
import { deliver } from './deliver.ts'
import {
  type Account,
  actsOf,
  type Call,
  type Delivery,
  FUTURE,
  type KeyedRequest,
  NEVER_MS,
  type NewPost,
  newDelivery,
  PAST_MS,
  type Post,
  statusOf,
} from './state.ts'
import { type Change, isEdited, merge, ownedParts } from './update.ts'

/** A call that was sent may still arrive within this time. */
const CALL_IN_FLIGHT_MS = 30_000

/**
 * A second implementation of the service, as simple as possible: in memory, one request after the other, for accounts
 * on the sandbox. Time is the workers' clock in milliseconds. It only advances by `tick`; requests happen before it.
 */
export class Model {
  accounts: Account[] = []
  posts: Post[] = []
  calls: Call[] = []
  /** Users who are members of the organisation. */
  members = new Set<number>()
  keyedRequests: KeyedRequest[] = []
  #nowMs = 0
  #nextDueOrder = 0

  postsOf = (user: number) => this.posts.filter(({ owner }) => owner === user).toReversed()
  canUse = (user: number, { isConnected, owner, isShared }: Account) =>
    isConnected && (owner === user || (isShared && this.members.has(user)))
  accountsOf = (user: number) => this.accounts.filter((account) => this.canUse(user, account))
  callsOf = (user: number) => this.calls.filter(({ account }) => account.owner === user).toReversed()

  /** The status of a create request, and the error of a 403. */
  check(user: number, post: NewPost): { status: 201 | 400 } | { status: 403; error: string } {
    const { accounts, media } = post
    const usable = accounts.filter((account) => this.canUse(user, account))
    if (post.scheduledAt !== null && usable.some((account) => isIncomplete(post, account))) return { status: 400 }
    const ids = accounts.filter((account) => !usable.includes(account)).map(({ id }) => id)
    const files = [...new Set(media.filter(({ isOwn }) => !isOwn).map(({ id }) => id))]
    const parts = [
      ...(ids.length > 0 ? [`accountIds: ${ids.join(', ')}`] : []),
      ...(files.length > 0 ? [`mediaIds: ${files.join(', ')}`] : []),
    ]
    return parts.length > 0
      ? { status: 403, error: `You have no access to these ${parts.join('; ')}` }
      : { status: 201 }
  }

  create(user: number, id: string, post: NewPost): void {
    const { scheduledAt, caption, firstComment, postType, media, accounts } = post
    const deliveries = accounts.map((account): Delivery => {
      const override = post.overrides.find((override) => override.account === account)
      const delivery = {
        ...newDelivery(account),
        captionOverride: override?.captionOverride ?? null,
        fields: override?.fields ?? null,
        threadParts: post.threadParts.get(account) ?? null,
      }
      this.#schedule(delivery, scheduledAt)
      return delivery
    })
    const mediaIds = media.map(({ id }) => id)
    this.posts.push({
      id,
      owner: user,
      scheduledAt,
      caption,
      firstComment,
      postType,
      mediaIds,
      deliveries,
      externalReference: null,
      metadata: null,
    })
    this.#nextDueOrder++
  }

  delete(post: Post): 200 | 400 {
    if (statusOf(post) === 'published') return 400
    this.posts.splice(this.posts.indexOf(post), 1)
    return 200
  }

  update(post: Post, change: Change): number {
    if (statusOf(post) === 'published') return 400
    const after = merge(post, change)
    if (isDeepStrictEqual(ownedParts(after), ownedParts(post))) return 200
    const { status } = this.check(post.owner, requestOf(after))
    if (status !== 201) return status
    for (const delivery of after.deliveries) {
      const old = post.deliveries.find(({ account }) => account === delivery.account)
      const hasOtherContent = isEdited(post, old, after, delivery)
      // The sandbox knows the calls of a delivery by its token.
      if (hasOtherContent) Object.assign(delivery, { faults: 0, accepted: new Map() })
      const isCancelled = delivery.state === 'cancelled' && after.scheduledAt !== null
      if ((hasOtherContent || after.scheduledAt !== post.scheduledAt) && !isCancelled) {
        this.#schedule(delivery, after.scheduledAt)
      }
    }
    Object.assign(post, after)
    this.#nextDueOrder++
    return 200
  }

  publish(post: Post): number {
    if (statusOf(post) === 'published') return 409
    if (statusOf(post) === 'draft') {
      const { status } = this.check(post.owner, { ...requestOf(post), scheduledAt: 'now' })
      if (status !== 201) return status
    }
    if (post.deliveries.every(({ state }) => state === 'cancelled')) return 409
    const due = post.deliveries.filter((delivery) => {
      const { state, dueOrder } = delivery
      if (state === 'queued') return dueOrder === NEVER_MS
      return state === 'waiting' || state === 'failed'
    })
    for (const delivery of due) this.#requeue(delivery)
    if (due.length > 0) post.scheduledAt = 'now'
    this.#nextDueOrder++
    return 202
  }

  retry(post: Post, delivery: Delivery): 202 | 409 {
    const { state, error, dueOrder } = delivery
    const isEarly = dueOrder === NEVER_MS
    if (state === 'waiting' || (state === 'queued' && isEarly) || (state === 'published' && error === null)) return 409
    this.#requeue(delivery)
    // Only a cancelled one can be before the time of its post.
    if (post.scheduledAt === FUTURE) Object.assign(delivery, { dueOrder: NEVER_MS, claimableAtMs: NEVER_MS })
    this.#nextDueOrder++
    return 202
  }

  resolve(post: Post, delivery: Delivery, outcome: 'published' | 'not_published'): 200 | 409 {
    if (delivery.state !== 'unconfirmed') return 409
    if (outcome === 'published') delivery.sent.push({ hasId: false })
    const missing = actsOf(post, delivery)[delivery.sent.length]
    delivery.state = !missing || missing.kind === 'comment' ? 'published' : 'failed'
    delivery.error = missing ? (outcome === 'published' ? 'parent_unknown' : 'not_published') : null
    delivery.intent = null
    delivery.history.at(-1)!.outcome = `said_${outcome}`
    return 200
  }

  cancel(post: Post, delivery: Delivery): 200 | 409 {
    const { state, error, intent, sent } = delivery
    if (state !== 'queued') return error === 'cancelled' ? 200 : 409
    const isComment = actsOf(post, delivery)[sent.length]!.kind === 'comment'
    delivery.state = intent !== null ? 'unconfirmed' : isComment ? 'published' : 'cancelled'
    delivery.error = 'cancelled'
    delivery.claimableAtMs = null
    if (intent === null) delivery.isPrepared = false
    return 200
  }

  mark(delivery: Delivery): 200 | 409 {
    const { state, error, intent, sent, history } = delivery
    if (state === 'waiting' || (state === 'published' && error === null)) return 409
    if (intent !== null) history.at(-1)!.outcome = 'said_published'
    sent.push({ hasId: false })
    Object.assign(delivery, { state: 'published', error: null, intent: null, claimableAtMs: null, isPrepared: false })
    return 200
  }

  /** Adds an account, or updates the connected one with this name. A new one has an empty id. */
  connect(user: number, username: string, displayName: string | undefined, isShared: boolean): Account {
    const known = this.accounts.find(
      (account) => account.isConnected && account.owner === user && account.username === username,
    )
    if (known) return Object.assign(known, { displayName, attention: null, isShared: known.isShared || isShared })
    const account: Account = {
      id: '',
      owner: user,
      username,
      displayName,
      isShared,
      isConnected: true,
      attention: null,
      restsUntilMs: PAST_MS,
    }
    this.accounts.push(account)
    return account
  }

  disconnect(user: number, account: Account): 200 | 403 | 404 {
    if (!this.canUse(user, account)) return 404
    if (account.owner !== user) return 403
    account.isConnected = false
    return 200
  }

  /** Advances the clock, and lets workers carry out everything that is due: per account, in the order of due times. */
  tick(ms: number): void {
    this.#nowMs += ms
    for (;;) {
      const [first] = this.posts
        .flatMap((post) => post.deliveries.map((delivery) => ({ post, delivery })))
        .filter(({ delivery }) => delivery.claimableAtMs !== null && delivery.claimableAtMs <= this.#nowMs)
        .filter(({ delivery }) => delivery.account.restsUntilMs <= this.#nowMs)
        .sort((a, b) => a.delivery.dueOrder - b.delivery.dueOrder)
      if (!first) return
      const hasAccess = this.canUse(first.post.owner, first.delivery.account)
      deliver({ ...first, nowMs: this.#nowMs, hasAccess, calls: this.calls })
    }
  }

  /** Restarts a delivery. */
  #schedule(delivery: Delivery, scheduledAt: Post['scheduledAt']): void {
    const isFuture = scheduledAt === FUTURE
    delivery.state = scheduledAt === null ? 'waiting' : 'queued'
    delivery.dueOrder = isFuture ? NEVER_MS : this.#nextDueOrder
    delivery.claimableAtMs = scheduledAt === null ? null : isFuture ? NEVER_MS : PAST_MS
    delivery.failures = 0
    delivery.error = null
    delivery.isPrepared = false
  }

  #requeue(delivery: Delivery): void {
    const { intent, claimableAtMs, intendedAtMs, error } = delivery
    delivery.state = 'queued'
    delivery.dueOrder = this.#nextDueOrder
    // An act whose outcome is open keeps the time at which it is reconciled, and no call may arrive by then.
    const reconciledAtMs = Math.max(claimableAtMs ?? PAST_MS, intendedAtMs + CALL_IN_FLIGHT_MS)
    delivery.claimableAtMs = intent === null ? PAST_MS : reconciledAtMs
    delivery.failures = 0
    if (intent === null) delivery.isPrepared = false
    if (error === 'cancelled') delivery.error = null
  }
}

/** A post as the request that would create it. */
function requestOf({ deliveries, mediaIds, caption, firstComment, postType, scheduledAt }: Post): NewPost {
  return {
    caption,
    firstComment,
    postType,
    scheduledAt,
    accounts: deliveries.map(({ account }) => account),
    media: mediaIds.map((id) => ({ id, isOwn: true })),
    overrides: deliveries,
    threadParts: new Map(
      deliveries.flatMap(({ account, threadParts }) => (threadParts ? [[account, threadParts]] : [])),
    ),
  }
}

/** Whether a post for this account has no content, or an empty thread part. */
function isIncomplete({ postType, caption, media, overrides, threadParts }: NewPost, account: Account): boolean {
  const parts = postType === 'thread' ? threadParts.get(account) : undefined
  const override = overrides.find((override) => override.account === account)
  const [first = '', ...others] = parts ?? [override?.captionOverride ?? caption]
  return parts?.length === 0 || (first === '' && media.length === 0) || others.includes('')
}
