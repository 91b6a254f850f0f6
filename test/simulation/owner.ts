import type { Person, Reply } from '../helpers/app.ts'
import { between, chance, draw, now, oneOf } from './clock.ts'
import { createProcess, type Scheduler } from './scheduler.ts'

/** A request of the owner, and what it was told. */
export interface Told {
  what: 'create' | 'patch' | 'publish' | 'delete' | 'cancel' | 'retry' | 'remove' | 'edit'
  /** The text that the request sends. Each is sent by one request alone. */
  text?: string | undefined
  postId?: string | undefined
  accountId?: string
  /** The version that the request names, and the one that it made. */
  ifMatch?: string
  etag?: string | undefined
  /** Undefined while no response has come. */
  status: number | undefined
}

const MINUTE_MS = 60_000
/** How long after the time of a post its owner acts at most, to meet its delivery. */
const ACTS_AFTER_DUE_MAX_MS = 5_000

/** The owner of accounts: creates posts, acts on them, and keeps the responses. */
export class Owner {
  readonly told: Told[] = []
  readonly #person: Person
  readonly #accounts: string[]
  readonly #scheduler: Scheduler
  readonly #process = createProcess('owner')
  #texts = 0

  constructor(person: Person, accounts: string[], scheduler: Scheduler) {
    this.#person = person
    this.#accounts = accounts
    this.#scheduler = scheduler
  }

  /** Sends one request, drawn from the seed. */
  async act(): Promise<void> {
    const known = this.told.filter(({ what, status }) => what === 'create' && status === 201)
    const post = known.length > 0 ? oneOf(known.slice(-8)) : undefined
    if (!post || chance(0.4)) return this.#create()
    return this.#actOn(post.postId)
  }

  async #actOn(postId: string | undefined): Promise<void> {
    const accountId = oneOf(this.#accounts)
    const delivery = `/posts/${postId}/deliveries/${accountId}`
    const lot = draw()
    if (lot < 0.3) return this.#patch(postId!)
    if (lot < 0.4) return void (await this.#send({ what: 'publish', postId }, 'POST', `/posts/${postId}/publish`))
    if (lot < 0.5) return void (await this.#send({ what: 'delete', postId }, 'DELETE', `/posts/${postId}`))
    if (lot < 0.6) return void (await this.#send({ what: 'cancel', postId, accountId }, 'POST', `${delivery}/cancel`))
    if (lot < 0.75) return void (await this.#send({ what: 'retry', postId, accountId }, 'POST', `${delivery}/retry`))
    if (lot < 0.87) return void (await this.#send({ what: 'remove', postId, accountId }, 'POST', `${delivery}/remove`))
    const text = this.#newText()
    const body = { text, acceptNewId: true }
    await this.#send({ what: 'edit', postId, accountId, text }, 'PATCH', delivery, body)
  }

  #newText = () => `Boat ${++this.#texts} leaves at dawn`

  async #create(): Promise<void> {
    const text = this.#newText()
    const accountIds = this.#accounts.filter(() => chance(0.4))
    if (accountIds.length === 0) accountIds.push(oneOf(this.#accounts))
    const inMs = between(0, 180) * MINUTE_MS
    const time = chance(0.15)
      ? {}
      : chance(0.2)
        ? { schedule: { queue: chance(0.3) ? 'front' : 'next' } }
        : { scheduledAt: new Date(now() + inMs).toISOString() }
    const headers = { 'idempotency-key': text.replaceAll(' ', '-') }
    // A client repeats what it has no answer for.
    for (let attempt = 0; attempt < 3; attempt++) {
      const told: Told = { what: 'create', text, status: undefined }
      const reply = await this.#send(
        told,
        'POST',
        '/posts',
        { accountIds, postType: 'post', caption: text, ...time },
        headers,
      )
      if (!reply || reply.status >= 500) continue
      // The owner often acts while the post is being sent.
      if (chance(0.3)) setTimeout(() => void this.#actOn(told.postId), inMs + between(0, ACTS_AFTER_DUE_MAX_MS))
      return
    }
  }

  async #patch(postId: string): Promise<void> {
    const { status, headers } = await this.#person.call('GET', `/posts/${postId}`)
    if (status !== 200) return
    const text = this.#newText()
    const ifMatch = String(headers.etag)
    const change = chance(0.5)
      ? { caption: text }
      : { caption: text, scheduledAt: new Date(now() + between(0, 120) * MINUTE_MS).toISOString() }
    await this.#send({ what: 'patch', postId, text, ifMatch }, 'PATCH', `/posts/${postId}`, change, {
      'if-match': ifMatch,
    })
  }

  /** Returns the reply; undefined if it was lost. */
  async #send(
    told: Omit<Told, 'status'>,
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Reply | undefined> {
    const entry: Told = { ...told, status: undefined }
    this.told.push(entry)
    const line = `${told.what} ${told.text ?? told.postId}`
    this.#scheduler.tell('owner', line)
    const reply = await this.#person.call(method, path, body, headers)
    const fate = await this.#scheduler.enter(this.#process, '', { works: 'told', faults: ['lost'], share: 0.05 })
    if (fate === 'lost') {
      this.#scheduler.tell('owner', `${line}: no answer`)
      return undefined
    }
    entry.status = reply.status
    entry.etag = reply.headers.etag as string | undefined
    if (told.what === 'create') entry.postId = reply.body.id
    this.#scheduler.tell(
      'owner',
      `${line}: ${reply.status} ${reply.status < 300 ? (reply.body.id ?? '') : JSON.stringify(reply.body.details?.[0]?.message ?? reply.body.error)}`,
    )
    return reply
  }
}
