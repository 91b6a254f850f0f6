import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../../db/client.ts'
import type { Actor } from '../../../db/queries/events/actor.ts'
import { writePostSettled, writePostUpdated } from '../../../db/queries/events/post.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import { toStored } from '../../../db/queries/posts/sent-renditions.ts'
import { type ChangedDelivery, type ChangedPost, storePostChanges } from '../../../db/queries/posts/update.ts'
import { edited, initialState, requeued } from '../../engine/delivery/machine.ts'
import { NAME_KEPT_MS } from '../../engine/delivery/timing.ts'
import { type Post, type Target, toOwnContent } from '../../platforms/contract/post.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import { contentOf, sentContentOf } from './content.ts'
import type { LoadedPost } from './load.ts'
import { digestTexts } from './nearby-terms.ts'
import { dueTime } from './schedule.ts'

interface Change extends Actor {
  before: Post
  after: LoadedPost
  texts: TextCache
}

/** Stores the content of a locked post after a change. */
export async function writeChanges(db: Db, row: PostWithReadiness, change: Change): Promise<void> {
  const { before, after } = change
  if (isDeepStrictEqual(contentOf(before), contentOf(after))) return
  await storePostChanges(db, { ...row, keyId: change.keyId }, changesOf(row, change))
  await writePostUpdated(db, row, findChanged(before, after))
  if (removesOpen(row, after)) await writePostSettled(db, row)
}

/** Whether a change makes a delivery due at `now` that nobody would have sent by then: it moves there, or restarts. */
export function publishesImmediately(row: PostWithReadiness, change: Change, now: Date): boolean {
  const { before, after } = change
  const times = new Map(before.targets.map((target) => [target.accountId, dueTime(before, target)?.getTime()]))
  const states = new Map(row.targets.map(({ accountId, delivery }) => [accountId, delivery.state]))
  return changesOf(row, change).targets.some(({ state, ...target }) => {
    const due = dueTime(after, target)
    if (state !== 'queued' || due === null || due > now) return false
    return states.get(target.accountId) !== 'queued' || times.get(target.accountId) !== due.getTime()
  })
}

/** The names of the properties that differ, as a request has them. */
function findChanged(before: Post, after: Post): string[] {
  const { targets: _, localSchedule: __, ...old } = contentOf(before)
  const { targets: ___, localSchedule: ____, ...columns } = contentOf(after)
  const differs = (get: (target: Target) => unknown) =>
    !isDeepStrictEqual(given(before.targets, get), given(after.targets, get))
  const isOverrideChanged = OVERRIDDEN.some((key) => differs((target) => target[key]))
  return [
    ...Object.keys(columns).filter(
      (key) => !isDeepStrictEqual(old[key as keyof typeof old], columns[key as keyof typeof columns]),
    ),
    ...(before.localSchedule?.timeZone === after.localSchedule?.timeZone ? [] : ['timeZone']),
    ...(before.isScheduled === after.isScheduled ? [] : ['status']),
    ...(differs(({ accountId }) => accountId) ? ['accountIds'] : []),
    ...(isOverrideChanged ? ['overrides'] : []),
    ...(differs(({ threadParts }) => threadParts) ? ['threadParts'] : []),
  ]
}

/** The properties that overrides have: all of a target but its parts. */
const OVERRIDDEN = Object.keys({ ...toOwnContent({}), scheduledAt: null }).filter(
  (key) => key !== 'threadParts',
) as (keyof Target)[]

/** The values of `get` that are not null, by account. */
const given = (targets: readonly Target[], get: (target: Target) => unknown) =>
  new Map(targets.map((target) => [target.accountId, get(target)] as const).filter(([, value]) => value !== null))

/** Whether the post no longer goes to an account to which it was still to be published. */
const removesOpen = (row: PostWithReadiness, { targets }: Post) =>
  row.targets.some(
    ({ accountId, delivery }) =>
      delivery.state === 'queued' && !targets.some((target) => target.accountId === accountId),
  )

/** The changes to store. Deliveries whose content or time has changed restart. */
function changesOf(row: PostWithReadiness, { before, after, texts }: Change): ChangedPost {
  const { targets, ...columns } = contentOf(after)
  const { isScheduled } = after
  const known = new Map(before.targets.map((target) => [target.accountId, target]))
  const deliveries = new Map(row.targets.map(({ accountId, delivery }) => [accountId, delivery]))
  return {
    ...columns,
    status: isScheduled ? 'scheduled' : 'draft',
    hasOtherFiles: !isDeepStrictEqual(filesOf(before), filesOf(after)),
    nameKeptMs: NAME_KEPT_MS,
    targets: targets.map((content, index): ChangedDelivery => {
      const { account, renditions } = after.targets[index]!
      const { platform } = account
      const textDigest = isScheduled ? digestTexts(platform, after, content, texts) : null
      const stored = { ...content, renditions, platform, textDigest }
      const old = known.get(content.accountId)
      if (!old) return { ...stored, isNew: true, isEdited: false, state: initialState(isScheduled), event: null }
      const sent = (row.adjustments ?? []).filter(({ accountId }) => accountId === content.accountId)
      const isEdited =
        !isDeepStrictEqual(sentContentOf(before, old), sentContentOf(after, content)) ||
        !isDeepStrictEqual(toStored(sent), toStored(renditions))
      const isMoved = dueTime(before, old)?.getTime() !== dueTime(after, content)?.getTime()
      const from = deliveries.get(content.accountId)!.state
      const state = isEdited || isMoved ? edited(from, isScheduled) : null
      return { ...stored, isNew: false, isEdited, state, event: state === 'queued' ? requeued(from) : null }
    }),
  }
}

/** The files of a post, and those of each account that has its own. */
const filesOf = ({ mediaIds, targets }: Post) => [mediaIds, given(targets, storedFilesOf)]

/** Files of the first part differ from the same files as a list of one part: both are stored and shown as they came. */
const storedFilesOf = ({ mediaIds, threadMedia }: Target) => threadMedia ?? mediaIds
