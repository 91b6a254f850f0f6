import type { Db } from '../../db/client.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { findGuarantees } from '../../src/platforms/contract/guarantee.ts'
import { platforms } from '../../src/platforms/limits.ts'
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
  state: string
  dueAt: Date | null
  slotAt: Date | null
  intent: number | null
  sent: { id: string | null }[]
  captionOverride: string | null
  edit: object | null
}

interface StoredEvent {
  id: string
  position: number
  type: string
  postId: string | null
  accountIds: string[] | null
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
    ...findLost(posts, told),
    ...findForks(told),
    ...findGaps(events),
    ...findWrongPosts(posts, events),
    ...findWrongDeliveries(deliveries, events),
    ...[...accounts].flatMap(([platform, id]) => findWrongNetwork(platform, id, deliveries, events, fakes)),
    ...findWrongTexts(posts, accounts, deliveries, fakes),
    ...findSharedSlots(deliveries),
    ...findUndelivered(events, received),
  ]
}

/** Finds posts that are lost or doubled although acknowledged, or stored although refused. */
function findLost(posts: { id: string; caption: string | null }[], told: Told[]): string[] {
  const ids = new Set(posts.map(({ id }) => id))
  const mayBeDeleted = new Set(
    told.flatMap(({ what, postId, status }) => (what === 'delete' && (!status || status < 300) ? [postId] : [])),
  )
  return [...Map.groupBy(told, ({ what, text }) => (what === 'create' ? text : undefined))].flatMap(
    ([text, creates]) => {
      if (text === undefined) return []
      const made = new Set(creates.flatMap(({ postId }) => postId ?? []))
      if (made.size > 1) return [`"${text}" was created ${made.size} times under one key`]
      const [id] = made
      if (id !== undefined && !ids.has(id) && !mayBeDeleted.has(id)) return [`the post ${id}, "${text}", is lost`]
      const isRefused = creates.every(({ status }) => status !== undefined && status >= 400 && status < 500)
      return isRefused && posts.some(({ caption }) => caption === text) ? [`"${text}" was refused and is stored`] : []
    },
  )
}

/** Each version of a post is changed by one request at most. */
const findForks = (told: Told[]): string[] =>
  [
    ...Map.groupBy(told, ({ what, status, postId, ifMatch }) =>
      what === 'patch' && status === 200 ? `${postId} ${ifMatch}` : undefined,
    ),
  ]
    .filter(([version, changes]) => version !== undefined && changes.length > 1)
    .map(([version, changes]) => `the version ${version} was changed ${changes.length} times`)

/** The positions of a user are 1, 2, 3 … */
export const findGaps = (events: Pick<StoredEvent, 'id' | 'position'>[]): string[] =>
  events.flatMap(({ position, id }, index) =>
    position === index + 1 ? [] : [`event ${id} has the position ${position}, and is number ${index + 1}`],
  )

/** The first event of each post is its only `post.created`. */
export function findWrongPosts(posts: { id: string }[], events: Pick<StoredEvent, 'postId' | 'type'>[]): string[] {
  const byPost = Map.groupBy(events, ({ postId }) => postId)
  return posts.flatMap(({ id }) => {
    const types = (byPost.get(id) ?? []).map(({ type }) => type)
    const isRight = types[0] === 'post.created' && types.lastIndexOf('post.created') === 0
    return isRight ? [] : [`the post ${id} has the events ${types.join()}`]
  })
}

const OPEN = ['queued', 'publishing', 'removing']

/** Each delivery has come to an end, and its events tell which. */
function findWrongDeliveries(deliveries: StoredDelivery[], events: StoredEvent[]): string[] {
  const byDelivery = Map.groupBy(events, ({ postId, accountIds }) => `${postId} ${accountIds?.[0]}`)
  return deliveries.flatMap(({ postId, accountId, state, intent }) => {
    const name = `the delivery of ${postId} to ${accountId}`
    if (OPEN.includes(state)) return [`${name} is still ${state}`]
    if (intent !== null && state !== 'unconfirmed') return [`${name} is ${state}, and its call is still open`]
    const types = (byDelivery.get(`${postId} ${accountId}`) ?? []).map(({ type }) => type)
    const published = types.filter((type) => type === 'delivery.published').length
    const expected = state === 'published' || state === 'removed' || state === 'remove_failed' ? 1 : 0
    return published === expected ? [] : [`${name} is ${state} and has ${published} delivery.published`]
  })
}

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
    ...[...lastOf.values()].map((list) => String(list.at(-1)!.data.state)),
  ]
  const certain = states.filter((state) => state === 'published' || state === 'remove_failed').length
  const unconfirmed = states.filter((state) => state === 'unconfirmed').length
  const visible = scene.countVisible(fake)
  const allowsDoubt = findGuarantees(platforms[platform], 'text').some(
    ({ rule }) =>
      rule.guarantee === 'at-most-once' || (rule.guarantee === 'reconcilable' && rule.ifAbsent === 'unconfirmed'),
  )
  return [
    ...(visible < certain || visible > certain + unconfirmed
      ? [`${platform} shows ${visible} posts: ${certain} are published, ${unconfirmed} unconfirmed`]
      : []),
    ...(unconfirmed > 0 && !allowsDoubt
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
