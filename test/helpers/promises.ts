import type { DeliveryState } from '../../schemas/delivery.ts'
import type { Guarantee } from '../../src/platforms/contract/guarantee.ts'

// The promises of the service, as tests of faults hold it to them. These have no checks of their own beside facts that
// only one of them has.

/** A broken promise: an acknowledgement, the stream of events, or what a network shows. */
export interface Breach {
  kind: 'lost' | 'stored twice' | 'unexpected' | 'forked' | 'events' | 'sent twice' | 'false state' | 'guarantee'
  text: string
}

/** The responses about a post, and the rows that are stored of it. */
export interface Claim {
  name: string
  /** The ids in the responses to its creation: usually one, and none without an acknowledgement. */
  ids: readonly string[]
  /** Nobody was told that it is stored, and it may be. */
  mayBeStored?: boolean
  deletion?: 'possible' | 'acknowledged' | undefined
  /** The ids under which it is stored. */
  stored: readonly string[]
}

/** Nothing acknowledged is lost or there twice, and nothing refused is stored. */
export function findWrongClaim({ name, ids, mayBeStored, deletion, stored }: Claim): Breach[] {
  const made = new Set(ids)
  if (made.size > 1) return [{ kind: 'stored twice', text: `${name} was created ${made.size} times` }]
  const isStored = stored.length > 0
  if (made.size === 0) {
    if (isStored && !mayBeStored) return [{ kind: 'unexpected', text: `${name} was not acknowledged, and is stored` }]
    return stored.length > 1 ? [{ kind: 'stored twice', text: `${name} is stored ${stored.length} times` }] : []
  }
  if (!isStored && !deletion) return [{ kind: 'lost', text: `${name} was acknowledged, and is lost` }]
  if (isStored && deletion === 'acknowledged') return [{ kind: 'lost', text: `${name} was deleted, and is stored` }]
  const others = stored.filter((id) => !made.has(id))
  return others.length > 0
    ? [{ kind: 'stored twice', text: `${name} is stored twice, or under another id than the acknowledged one` }]
    : []
}

/** A change of a version of a post that was acknowledged. */
interface Change {
  postId?: string | undefined
  /** The version that the request named. */
  ifMatch?: string | undefined
}

/** The versions of a post are a chain: each is changed by one request at most. */
export const findForks = (changes: readonly Change[]): Breach[] =>
  [...Map.groupBy(changes, ({ postId, ifMatch }) => `${ifMatch} of ${postId}`)]
    .filter(([, { length }]) => length > 1)
    .map(([version, { length }]) => ({ kind: 'forked', text: `the version ${version} was changed ${length} times` }))

export interface PostEvent {
  id: string
  position: number
  type: string
  postId: string | null
  accountIds: string[] | null
}

interface Delivery {
  postId: string
  accountId: string
  state: string
}

/** Published, and perhaps taken down since. */
const ONCE_PUBLISHED = ['published', 'removing', 'removed', 'remove_failed']

/** The events of one user, without gaps. They tell of each post its creation first, and of each delivery its end. */
export function findWrongEvents(events: PostEvent[], posts: { id: string }[], deliveries: Delivery[]): Breach[] {
  const gaps = events.flatMap(({ position, id }, index) =>
    position === index + 1 ? [] : [`event ${id} has the position ${position}, and is number ${index + 1}`],
  )
  const byPost = Map.groupBy(events, ({ postId }) => postId)
  const wrongPosts = posts.flatMap(({ id }) => {
    const types = (byPost.get(id) ?? []).map(({ type }) => type)
    const isRight = types[0] === 'post.created' && types.lastIndexOf('post.created') === 0
    return isRight ? [] : [`the post ${id} has the events ${types.join()}`]
  })
  const wrongDeliveries = deliveries.flatMap(({ postId, accountId, state }) => {
    const published = (byPost.get(postId) ?? []).filter(
      ({ type, accountIds }) => type === 'delivery.published' && accountIds?.[0] === accountId,
    ).length
    const expected = ONCE_PUBLISHED.includes(state) ? 1 : 0
    if (published === expected) return []
    return [`the delivery of ${postId} to ${accountId} is ${state} and has ${published} delivery.published`]
  })
  return [...gaps, ...wrongPosts, ...wrongDeliveries].map((text) => ({ kind: 'events', text }))
}

/** The guarantee for an act whose response was lost. */
interface Rule {
  guarantee: Guarantee
  ifAbsent?: 'sent again' | 'unconfirmed'
}

/** A delivery on which nothing is under way, as the service shows it. */
export interface Outcome {
  name: string
  state: DeliveryState
  /** The acts that it has, and how many of them the service says are out. */
  acts: number
  sent: number
  /** The guarantees of the catalogue for the act that is open, or for all of its acts. */
  rules: readonly Rule[]
  /** Whether the network got the call of the open act. Absent: unknown. */
  isCalled?: boolean | undefined
  /** A network may show an edited post later. */
  mayBeHidden?: boolean
  /** A restored database may lack any of the acts that were sent. */
  isRestored?: boolean
}

/** Whether an act whose response was lost may stay unconfirmed. */
export const allowsDoubt = (rules: readonly Rule[]): boolean =>
  rules.some(({ guarantee, ifAbsent }) => guarantee === 'at-most-once' || ifAbsent === 'unconfirmed')

interface Range {
  min: number
  max: number
}

/** How often the network may show one of the acts, which count from 1. */
function rangeOfAct({ state, sent, isCalled, mayBeHidden, isRestored }: Outcome, act: number): Range {
  if (state === 'removed') return { min: 0, max: 0 }
  if (act <= sent) return { min: mayBeHidden ? 0 : 1, max: 1 }
  if (isRestored && (state === 'unconfirmed' || state === 'queued')) return { min: 0, max: 1 }
  if (act > sent + 1 || state !== 'unconfirmed') return { min: 0, max: 0 }
  return { min: isCalled ? 1 : 0, max: isCalled === false ? 0 : 1 }
}

/** How many acts of these deliveries the network may show in all. */
export function rangeOf(outcomes: readonly Outcome[]): Range {
  const ranges = outcomes.flatMap((outcome) =>
    Array.from({ length: outcome.acts }, (_, index) => rangeOfAct(outcome, index + 1)),
  )
  return {
    min: ranges.reduce((sum, { min }) => sum + min, 0),
    max: ranges.reduce((sum, { max }) => sum + max, 0),
  }
}

/**
 * The network shows what the service says, and no more than the guarantee allows. `shown` has how often it shows each
 * act, or is the number of all that it shows.
 */
export function findWrongOutcome(outcome: Outcome, shown: readonly number[] | number): Breach[] {
  const { name, state, acts, sent, rules } = outcome
  const what = `${name} is ${state}`
  const breaches: Breach[] = []
  if (state === 'published' && sent !== acts) {
    breaches.push({ kind: 'false state', text: `${what} with ${sent} of ${acts} acts` })
  }
  if (state === 'unconfirmed' && !allowsDoubt(rules)) {
    breaches.push({ kind: 'guarantee', text: `${what}, against the guarantee of its network` })
  }
  const compare = (part: string, count: number, most: number, { min, max }: Range) => {
    if (count >= min && count <= max) return
    const kind = count > most ? 'sent twice' : 'false state'
    breaches.push({ kind, text: `${what}: ${part} shown ${count} times in place of ${min} to ${max}` })
  }
  if (typeof shown === 'number') compare('acts are', shown, acts, rangeOf([outcome]))
  else {
    for (const [index, count] of shown.entries()) {
      compare(`act ${index + 1} is`, count, 1, rangeOfAct(outcome, index + 1))
    }
  }
  return breaches
}
