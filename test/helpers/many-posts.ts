import fc from 'fast-check'
import { v7 } from 'uuid'
import type { Db } from '../../db/client.ts'
import type { DeliveryState } from '../../schemas/delivery.ts'
import { CANCELLED } from '../../schemas/delivery.ts'
import { DELIVERY_STATES } from '../../schemas/delivery-states.ts'
import { POST_TYPES } from '../../schemas/platform.ts'
import { POST_STATUSES } from '../../schemas/post.ts'
import type { Person } from './app.ts'

export interface KnownTarget {
  accountId: string
  platform: string
  state: DeliveryState
  errorCode: string | null
  changedAt: Date | null
  ownScheduledAt: Date | null
}

/** A stored post, as a test knows it. */
export interface KnownPost {
  id: string
  status: string
  postType: string
  createdAt: Date
  updatedAt: Date
  scheduledAt: Date | null
  externalReference: string | null
  targets: KnownTarget[]
}

export const BEGIN = Date.UTC(2026, 0, 1)
const MINUTE_MS = 60_000
export const ERROR_CODES = ['unauthorized', 'timeout'] as const
export const REFERENCES = ['order-1', 'order 2 & more', '💥'] as const

/** Few values, so that many posts have the same time. */
const minute = fc.nat({ max: 90 }).map((minutes) => new Date(BEGIN + minutes * MINUTE_MS))

/** Stores posts of every kind, created one a second, and returns them from the oldest to the newest. */
export async function storeManyPosts(db: Db, person: Person, count: number, seed: number): Promise<KnownPost[]> {
  const accounts: Pick<KnownTarget, 'accountId' | 'platform'>[] = []
  for (const platform of ['x', 'x', 'bluesky', 'telegram'] as const) {
    accounts.push({ accountId: await person.account(platform), platform })
  }
  const target = fc.record({
    account: fc.constantFrom(...accounts),
    // Most are published, as in practice.
    state: fc.oneof({ weight: 4, arbitrary: fc.constant('published' as const) }, fc.constantFrom(...DELIVERY_STATES)),
    errorCode: fc.option(fc.constantFrom(...ERROR_CODES), { freq: 3 }),
    changedAt: fc.option(minute),
    ownScheduledAt: fc.option(minute, { freq: 2 }),
  })
  const drawn = fc.sample(
    fc.record({
      status: fc.constantFrom(...POST_STATUSES),
      postType: fc.constantFrom(...POST_TYPES),
      updatedAt: minute,
      scheduledAt: minute,
      externalReference: fc.option(fc.constantFrom(...REFERENCES)),
      targets: fc.uniqueArray(target, { minLength: 1, maxLength: 3, selector: ({ account }) => account.accountId }),
      msFromId: fc.integer({ min: -900, max: 900 }),
    }),
    { numRuns: count, seed },
  )
  const posts = drawn.map(({ targets, msFromId, scheduledAt, ...post }, index): KnownPost => {
    const msecs = BEGIN + index * 1_000
    return {
      ...post,
      id: v7({ msecs, seq: index }),
      // The clocks of the service and of the database differ.
      createdAt: new Date(msecs + msFromId),
      scheduledAt: post.status === 'draft' ? null : scheduledAt,
      targets: targets.map(({ account, ...rest }) => {
        const errorCode = rest.state === CANCELLED ? CANCELLED : rest.errorCode
        const ownScheduledAt = post.status === 'draft' ? null : rest.ownScheduledAt
        return { ...account, ...rest, errorCode, ownScheduledAt }
      }),
    }
  })
  for (let begin = 0; begin < posts.length; begin += PART) await store(db, person, posts.slice(begin, begin + PART))
  return posts
}

/** When a delivery is scheduled. */
export const timeOf = ({ scheduledAt }: KnownPost, { ownScheduledAt }: KnownTarget) => ownScheduledAt ?? scheduledAt

/** The times of a post: its own, and those of its accounts. */
export const timesOf = ({ scheduledAt, targets }: KnownPost): Date[] =>
  [scheduledAt, ...targets.map(({ ownScheduledAt }) => ownScheduledAt)].filter((time) => time !== null)

/** The place of a post in a list of these times: its own, or else the first of its accounts' in that order. */
export function placeOf(post: KnownPost, isListed: (time: Date) => boolean, sign: number): number {
  const [first, ...others] = timesOf(post).filter(isListed)
  if (first === undefined || first === post.scheduledAt) return Number(first)
  return sign * Math.min(...[first, ...others].map((time) => sign * Number(time)))
}

/** Posts of one statement, which takes well under the time that a statement may take. */
const PART = 100

async function store(db: Db, person: Person, posts: KnownPost[]): Promise<void> {
  await db
    .insertInto('posts')
    .values(posts.map(({ targets, ...post }) => ({ userId: person.id, caption: 'hi', ...post })))
    .execute()
  await db
    .insertInto('postTargets')
    .values(
      posts.flatMap(({ id, targets }) =>
        targets.map(({ errorCode, ...target }) => ({
          userId: person.id,
          postId: id,
          ...target,
          error: errorCode && JSON.stringify({ code: errorCode, message: 'no', retryable: false }),
        })),
      ),
    )
    .execute()
}
