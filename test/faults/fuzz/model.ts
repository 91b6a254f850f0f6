import type { SandboxFault } from '../../../schemas/sandbox.ts'

/**
 * What the service should do, told a second time and as plainly as can be: in memory, one thing after the other, for
 * accounts on the sandbox. Time is that of the workers, in milliseconds; it stands still until a tick moves it on, and
 * what callers do is always before it.
 */

export interface Account {
  id: string
  owner: number
  username: string
  displayName: string | undefined
  shared: boolean
  connected: boolean
  attention: string | null
  restsUntil: number
}

export interface Fault {
  fault?: SandboxFault
  faultTimes?: number
  faultAct?: number
}

export interface Attempt {
  number: number
  act: number
  outcome: string | null
  error: string | null
}

export interface Delivery {
  account: Account
  captionOverride: string | null
  fields: Fault | null
  threadParts: string[] | null
  state: 'waiting' | 'queued' | 'published' | 'failed' | 'unconfirmed'
  attempts: number
  failures: number
  /** The ids of what is out; of one that its owner has seen, nobody knows it. */
  sent: { isKnown: boolean }[]
  /** The act whose call may have been carried out. */
  intent: number | null
  error: string | null
  history: Attempt[]
  /** The turn in which it became due. */
  due: number
  claimableAt: number | null
  /** Which acts the sandbox has accepted, and what it did wrong then: the last call of each counts. */
  accepted: Map<number, SandboxFault | null>
  faults: number
}

export interface Post {
  id: string
  owner: number
  caption: string
  firstComment: string | null
  postType: 'post' | 'thread'
  mediaIds: string[]
  /** Of a draft null; of one that was published by hand, somewhen. */
  scheduledAt: string | null | 'now'
  deliveries: Delivery[]
}

/** A call that the sandbox was sent. */
export interface Call {
  account: Account
  accepted: boolean
  fault: SandboxFault | null
  kind: 'post' | 'comment'
  text: string
}

export interface NewPost {
  accounts: Account[]
  caption: string
  firstComment: string | null
  postType: Post['postType']
  media: { id: string; isOwn: boolean }[]
  scheduledAt: string | null
  overrides: { account: Account; captionOverride: string | null; fields: Fault | null }[]
  threadParts: Map<Account, string[]>
}

export const FUTURE = '2999-01-01T00:00:00.000Z'

const NEVER = Number.POSITIVE_INFINITY
/** Before whatever o'clock it is for workers. */
const BEFORE = -1
const BACKOFF_MAX_MS = 3_600_000
const FAILURES_MAX = 8

interface Problem {
  code: string
  retryable?: boolean
  restMs?: number
  needsAttention?: boolean
}

const FAULTS: Record<Exclude<SandboxFault, 'slow_media'>, Problem & { maybeSent: boolean; accepted: boolean }> = {
  rate_limited: { code: 'rate_limited', retryable: true, restMs: 5_000, maybeSent: false, accepted: false },
  server_error: { code: 'server_error', retryable: true, maybeSent: true, accepted: false },
  server_error_after: { code: 'server_error', retryable: true, maybeSent: true, accepted: true },
  timeout_after: { code: 'timeout', retryable: true, maybeSent: true, accepted: true },
  unknown: { code: 'timeout', retryable: true, maybeSent: true, accepted: true },
  expired_token: { code: 'unauthorized', needsAttention: true, maybeSent: false, accepted: false },
  content_refused: { code: 'content_refused', maybeSent: false, accepted: false },
}

export class Model {
  accounts: Account[] = []
  posts: Post[] = []
  calls: Call[] = []
  /** Who belongs to the organisation. */
  members = new Set<number>()
  #now = 0
  #turn = 0

  postsOf = (user: number) => this.posts.filter(({ owner }) => owner === user).toReversed()
  reach = (user: number, { connected, owner, shared }: Account) =>
    connected && (owner === user || (shared && this.members.has(user)))
  accountsOf = (user: number) => this.accounts.filter((account) => this.reach(user, account))
  callsOf = (user: number) => this.calls.filter(({ account }) => account.owner === user).toReversed()

  /** Gives the status and, of a 403, the ids that are named. */
  judge(user: number, post: NewPost): { status: 201 | 400 } | { status: 403; error: string } {
    const { accounts, media } = post
    const reached = accounts.filter((account) => this.reach(user, account))
    if (post.scheduledAt !== null && reached.some((account) => isIncomplete(post, account))) return { status: 400 }
    const ids = accounts.filter((account) => !reached.includes(account)).map(({ id }) => id)
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
    const { scheduledAt } = post
    const isFuture = scheduledAt === FUTURE
    this.posts.push({
      ...{
        id,
        owner: user,
        scheduledAt,
        caption: post.caption,
        firstComment: post.firstComment,
        postType: post.postType,
      },
      mediaIds: post.media.map(({ id }) => id),
      deliveries: post.accounts.map((account) => {
        const override = post.overrides.find((override) => override.account === account)
        return {
          account,
          captionOverride: override?.captionOverride ?? null,
          fields: override?.fields ?? null,
          threadParts: post.threadParts.get(account) ?? null,
          state: scheduledAt === null ? 'waiting' : 'queued',
          ...{
            attempts: 0,
            failures: 0,
            sent: [],
            intent: null,
            error: null,
            history: [],
            faults: 0,
            accepted: new Map(),
          },
          due: isFuture ? NEVER : this.#turn,
          claimableAt: scheduledAt === null ? null : isFuture ? NEVER : BEFORE,
        }
      }),
    })
    this.#turn++
  }

  delete(post: Post): 200 | 400 {
    if (statusOf(post) === 'published') return 400
    this.posts.splice(this.posts.indexOf(post), 1)
    return 200
  }

  publish(post: Post): number {
    if (statusOf(post) === 'published') return 409
    if (statusOf(post) === 'draft') {
      const { deliveries, mediaIds, scheduledAt: _, ...rest } = post
      const { status } = this.judge(post.owner, {
        ...rest,
        scheduledAt: 'now',
        accounts: deliveries.map(({ account }) => account),
        media: mediaIds.map((id) => ({ id, isOwn: true })),
        overrides: deliveries,
        threadParts: new Map(
          deliveries.flatMap(({ account, threadParts }) => (threadParts ? [[account, threadParts]] : [])),
        ),
      })
      if (status !== 201) return status
    }
    const due = post.deliveries.filter(
      ({ state, due }) => state === 'waiting' || state === 'failed' || (state === 'queued' && due === NEVER),
    )
    for (const delivery of due) this.#requeue(delivery)
    if (due.length > 0) post.scheduledAt = 'now'
    this.#turn++
    return 202
  }

  retry(delivery: Delivery): 202 | 409 {
    const { state, error, due, attempts } = delivery
    const isEarly = attempts === 0 && due === NEVER
    if (state === 'waiting' || (state === 'queued' && isEarly) || (state === 'published' && error === null)) return 409
    this.#requeue(delivery)
    this.#turn++
    return 202
  }

  resolve(post: Post, delivery: Delivery, outcome: 'published' | 'not_published'): 200 | 409 {
    if (delivery.state !== 'unconfirmed') return 409
    if (outcome === 'published') delivery.sent.push({ isKnown: false })
    const missing = actsOf(post, delivery)[delivery.sent.length]
    delivery.state = !missing || missing.kind === 'comment' ? 'published' : 'failed'
    delivery.error = missing ? (outcome === 'published' ? 'parent_unknown' : 'not_published') : null
    delivery.intent = null
    delivery.history.at(-1)!.outcome = `said_${outcome}`
    return 200
  }

  /** Gives the account, and whether it is new; nothing where the network or the organisation refuses. */
  connect(user: number, username: string, displayName: string | undefined, shared: boolean) {
    const known = this.accounts.find(
      (account) => account.connected && account.owner === user && account.username === username,
    )
    if (known) return Object.assign(known, { displayName, attention: null, shared: known.shared || shared })
    const account: Account = {
      ...{ id: '', owner: user, username, displayName, shared },
      ...{ connected: true, attention: null, restsUntil: BEFORE },
    }
    this.accounts.push(account)
    return account
  }

  disconnect(user: number, account: Account): 200 | 403 | 404 {
    if (!this.reach(user, account)) return 404
    if (account.owner !== user) return 403
    account.connected = false
    return 200
  }

  /** Lets workers do all that is due once time has gone on by so much, of each account the earliest first. */
  tick(ms: number): void {
    this.#now += ms
    for (;;) {
      const ready = this.posts
        .flatMap((post) => post.deliveries.map((delivery) => ({ post, delivery })))
        .filter(({ delivery }) => delivery.claimableAt !== null && delivery.claimableAt <= this.#now)
        .filter(({ delivery }) => delivery.account.restsUntil <= this.#now)
        .sort((a, b) => a.delivery.due - b.delivery.due)
      const [first] = ready
      if (!first) return
      this.#carryOut(first.post, first.delivery)
    }
  }

  #requeue(delivery: Delivery): void {
    const { intent, claimableAt } = delivery
    delivery.state = 'queued'
    delivery.due = this.#turn
    // What was called is left alone as long as it was to be.
    delivery.claimableAt = intent === null ? BEFORE : (claimableAt ?? BEFORE)
    delivery.failures = 0
  }

  #carryOut(post: Post, delivery: Delivery): void {
    const plan = actsOf(post, delivery)
    const { account, sent, history } = delivery

    const settle = (state: Delivery['state'], claimableAt: number | null, restMs = 0) => {
      Object.assign(delivery, { state, claimableAt })
      account.restsUntil = this.#now + restMs
    }
    const note = (outcome: string, error: string | null) => {
      const attempt = history.at(-1)!
      // What is found out later changes nothing about how it ended.
      if (attempt.outcome === null) attempt.error = error
      attempt.outcome = outcome
    }
    const later = () => this.#now + BACKOFF_MAX_MS

    const fail = ({ code, retryable = false, restMs = 0, needsAttention = false }: Problem) => {
      delivery.failures++
      delivery.error = code
      if (needsAttention) account.attention = code
      if (delivery.intent === null)
        history.push({ number: ++delivery.attempts, act: sent.length + 1, outcome: null, error: null })
      note('failed', code)
      delivery.intent = null
      const isTriedAgain = retryable && delivery.failures < FAILURES_MAX
      const isOut = plan[sent.length]!.kind === 'comment'
      const state = isTriedAgain ? 'queued' : isOut ? 'published' : 'failed'
      const isWish = restMs > 0 && delivery.failures === 1
      settle(state, isTriedAgain ? (isWish ? this.#now + restMs : later()) : null, restMs)
    }
    const leaveOpen = ({ code, retryable = false }: Problem, isAnotherCall = false) => {
      delivery.failures++
      delivery.error = code
      note('unknown', code)
      const isAsked = retryable && (isAnotherCall || delivery.failures < FAILURES_MAX)
      settle(isAsked ? 'queued' : 'unconfirmed', isAsked ? later() : null)
    }
    const succeed = (outcome: 'published' | 'found') => {
      sent.push({ isKnown: true })
      Object.assign(delivery, { failures: 0, error: null, intent: null })
      account.attention = null
      note(outcome, null)
      if (sent.length === plan.length) settle('published', null)
    }

    if (!this.reach(post.owner, account)) {
      if (delivery.intent === null) fail({ code: 'no_access' })
      else leaveOpen({ code: 'no_access' })
      return
    }
    if (delivery.intent !== null) {
      const found = delivery.accepted.get(delivery.intent)
      if (found === 'unknown') {
        leaveOpen({ code: 'unknown_outcome' })
        return
      }
      if (found !== undefined) succeed('found')
      else {
        note('absent', null)
        delivery.intent = null
        if (delivery.failures >= FAILURES_MAX) {
          settle(plan[sent.length]!.kind === 'comment' ? 'published' : 'failed', null)
          return
        }
      }
    }
    while (sent.length < plan.length) {
      const { kind, text } = plan[sent.length]!
      const number = sent.length + 1
      if ([sent[0], sent.at(-1)].some((each) => each?.isKnown === false)) {
        fail({ code: 'parent_unknown' })
        return
      }
      history.push({ number: ++delivery.attempts, act: number, outcome: null, error: null })
      delivery.intent = number
      const { fault, faultTimes = 1, faultAct = 1 } = delivery.fields ?? {}
      // Only what has files is slow.
      const isFaulty = fault && number === faultAct && (fault === 'slow_media' || delivery.faults < faultTimes)
      const wrong = isFaulty && fault !== 'slow_media' ? FAULTS[fault] : undefined
      if (isFaulty) delivery.faults++
      const accepted = wrong?.accepted ?? true
      const call = { account, accepted, fault: isFaulty ? fault : null, kind, text }
      this.calls.push(call)
      if (accepted) delivery.accepted.set(number, call.fault)
      if (!wrong) {
        succeed('published')
        continue
      }
      if (wrong.maybeSent) leaveOpen(wrong, true)
      else fail(wrong)
      return
    }
  }
}

/** A post is published as soon as anything of it is, or may be, out. */
export const statusOf = ({ deliveries, scheduledAt }: Post): 'draft' | 'scheduled' | 'published' =>
  deliveries.some(({ state, intent, sent }) => state === 'published' || intent !== null || sent.length > 0)
    ? 'published'
    : scheduledAt === null
      ? 'draft'
      : 'scheduled'

/** What is published one after the other. */
function actsOf({ postType, caption, firstComment }: Post, { threadParts, captionOverride }: Delivery) {
  const texts = postType === 'thread' && threadParts?.length ? threadParts : [captionOverride ?? caption]
  const posts = texts.map((text) => ({ kind: 'post' as const, text }))
  return firstComment ? [...posts, { kind: 'comment' as const, text: firstComment }] : posts
}

/** Whether there is nothing to publish, or nothing in a part of it. */
function isIncomplete({ postType, caption, media, overrides, threadParts }: NewPost, account: Account): boolean {
  const parts = postType === 'thread' ? threadParts.get(account) : undefined
  const override = overrides.find((override) => override.account === account)
  const [first = '', ...others] = parts ?? [override?.captionOverride ?? caption]
  return parts?.length === 0 || (first === '' && media.length === 0) || others.includes('')
}
