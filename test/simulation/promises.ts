import type { Db } from '../../db/client.ts'
import type { DeliveryState } from '../../schemas/delivery.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { findGuarantees } from '../../src/platforms/contract/guarantee.ts'
import { platforms } from '../../src/platforms/limits.ts'
import {
  allowsDoubt,
  type Claim,
  findForks,
  findWrongClaim,
  findWrongEvents,
  type Outcome,
  type PostEvent,
  rangeOf,
} from '../helpers/promises.ts'
import { type SCENES, sceneOf, type startFakeNetworks } from '../networks/fakes/all.ts'
import type { Told } from './owner.ts'

interface Found {
  db: Db
  accounts: ReadonlyMap<PlatformId, string>
  fakes: Awaited<ReturnType<typeof startFakeNetworks>>
  told: Told[]
  /** The ids of the events that the webhook has taken. */
  received: string[]
}

interface StoredDelivery {
  postId: string
  accountId: string
  state: DeliveryState
  dueAt: Date | null
  slotAt: Date | null
  intent: number | null
  sent: { id: string | null }[]
  captionOverride: string | null
  edit: object | null
}

interface StoredEvent extends PostEvent {
  data: Record<string, unknown>
}

/** Broken promises, in words. Nothing is under way any more. */
export async function findBreaches({ db, accounts, fakes, told, received }: Found): Promise<string[]> {
  const posts = await db.selectFrom('posts').select(['id', 'caption']).execute()
  const columns = [
    'postId',
    'accountId',
    'state',
    'dueAt',
    'slotAt',
    'intent',
    'sent',
    'captionOverride',
    'edit',
  ] as const
  const deliveries = (await db.selectFrom('postTargets').select(columns).execute()) as StoredDelivery[]
  const events = (await db
    .selectFrom('events')
    .select(['id', 'position', 'type', 'postId', 'accountIds', 'data'])
    .orderBy('position')
    .execute()) as StoredEvent[]
  return [
    ...[
      ...claimsOf(posts, told).flatMap(findWrongClaim),
      ...findForks(told.filter(({ what, status }) => what === 'patch' && status === 200)),
      ...findWrongEvents(events, posts, deliveries),
    ].map(({ text }) => text),
    ...findOpen(deliveries),
    ...[...accounts].flatMap(([platform, id]) => findWrongNetwork(platform, id, deliveries, events, fakes)),
    ...findWrongTexts(posts, accounts, deliveries, fakes),
    ...findSharedSlots(deliveries),
    ...findUndelivered(events, received),
  ]
}

/** A post that was acknowledged is found by its id, because its text may change; a refused one has only its text. */
function claimsOf(posts: { id: string; caption: string | null }[], told: Told[]): Claim[] {
  const known = new Set(posts.map(({ id }) => id))
  const mayBeDeleted = new Set(
    told.flatMap(({ what, postId, status }) =>
      what === 'delete' && (!status || status < 300 || status >= 500) ? [postId] : [],
    ),
  )
  const creates = told.filter(({ what }) => what === 'create')
  return [...Map.groupBy(creates, ({ text }) => text!)].map(([text, requests]) => {
    const ids = requests.flatMap(({ postId }) => postId ?? [])
    const stored =
      ids.length > 0
        ? new Set(ids.filter((id) => known.has(id)))
        : posts.filter(({ caption }) => caption === text).map(({ id }) => id)
    return {
      name: `"${text}"`,
      ids,
      stored: [...stored],
      deletion: mayBeDeleted.has(ids[0]) ? 'possible' : undefined,
      mayBeStored: !requests.every(({ status }) => status !== undefined && status >= 400 && status < 500),
    }
  })
}

const OPEN = ['queued', 'publishing', 'removing']

/** Each delivery has come to an end, and so has its last call. */
const findOpen = (deliveries: StoredDelivery[]): string[] =>
  deliveries.flatMap(({ postId, accountId, state, intent }) => {
    const name = `the delivery of ${postId} to ${accountId}`
    if (OPEN.includes(state)) return [`${name} is still ${state}`]
    return intent !== null && state !== 'unconfirmed' ? [`${name} is ${state}, and its call is still open`] : []
  })

/** The network shows what the service says, and no more than its guarantee allows. */
function findWrongNetwork(
  platform: PlatformId,
  accountId: string,
  all: StoredDelivery[],
  events: StoredEvent[],
  fakes: Found['fakes'],
): string[] {
  const scene = sceneOf(platform)!
  const fake = fakes[platform as keyof typeof SCENES] as never
  const deliveries = all.filter((delivery) => delivery.accountId === accountId)
  const kept = new Set(deliveries.map(({ postId }) => postId))
  const ofAccount = events.filter(({ accountIds }) => accountIds?.includes(accountId))
  const lastOf = Map.groupBy(
    ofAccount.filter(({ postId, type }) => !kept.has(postId!) && type.startsWith('delivery.')),
    ({ postId }) => postId,
  )
  const states = [
    ...deliveries.map(({ state }) => state),
    ...[...lastOf.values()].map((list) => String(list.at(-1)!.data.state) as DeliveryState),
  ]
  const rules = findGuarantees(platforms[platform], 'text').map(({ rule }) => rule)
  const outcomes = states.map((state): Outcome => {
    const sent = state === 'published' || state === 'remove_failed' ? 1 : 0
    return { name: platform, state, acts: 1, sent, rules }
  })
  const { min, max } = rangeOf(outcomes)
  const visible = scene.countVisible(fake)
  const unconfirmed = max - min
  return [
    ...(visible < min || visible > max
      ? [`${platform} shows ${visible} posts: ${min} are published, ${unconfirmed} unconfirmed`]
      : []),
    ...(unconfirmed > 0 && !allowsDoubt(rules)
      ? [`${platform} has ${unconfirmed} unconfirmed posts, against its guarantee`]
      : []),
  ]
}

/** Networks show the text that the service has. After an edit whose outcome is unknown, either may be there. */
function findWrongTexts(
  posts: { id: string; caption: string | null }[],
  accounts: Found['accounts'],
  deliveries: StoredDelivery[],
  fakes: Found['fakes'],
): string[] {
  const captions = new Map(posts.map(({ id, caption }) => [id, caption]))
  const platforms = new Map([...accounts].map(([platform, id]) => [id, platform]))
  return deliveries.flatMap(({ postId, accountId, state, sent, captionOverride, edit }) => {
    const platform = platforms.get(accountId)!
    const published = sceneOf(platform)!.published?.(fakes[platform as keyof typeof SCENES] as never)
    const id = sent[0]?.id
    if (state !== 'published' || !published || !id || edit) return []
    const stored = captionOverride ?? captions.get(postId)
    const shown = published.textOf(id)
    return shown === stored ? [] : [`${platform} shows "${shown}" of the post ${postId}, and the service "${stored}"`]
  })
}

/** No two posts of an account have one slot. */
const findSharedSlots = (deliveries: StoredDelivery[]): string[] =>
  [
    ...Map.groupBy(
      deliveries,
      ({ accountId, slotAt, dueAt }) =>
        slotAt && slotAt.getTime() === dueAt?.getTime() && `${slotAt.toISOString()} of ${accountId}`,
    ),
  ].flatMap(([slot, list]) => (slot && list.length > 1 ? [`the slot ${slot} has ${list.length} posts`] : []))

/** Each event reached the webhook. */
function findUndelivered(events: StoredEvent[], received: string[]): string[] {
  const ids = new Set(received)
  return events.filter(({ id }) => !ids.has(id)).map(({ id, type }) => `the webhook lacks ${type} ${id}`)
}
