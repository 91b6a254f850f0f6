import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../../db/client.ts'
import { writePostSettled, writePostUpdated } from '../../../db/queries/events/post.ts'
import type { PostWithReadiness } from '../../../db/queries/posts/detail.ts'
import type { SentRendition } from '../../../db/queries/posts/sent-renditions.ts'
import { type ChangedDelivery, type ChangedPost, storePostChanges } from '../../../db/queries/posts/update.ts'
import type { Mover } from '../../../db/queries/queue.ts'
import type { PatchPost } from '../../../schemas/patch-post.ts'
import type { PostDetail } from '../../../schemas/post.ts'
import { isLong } from '../../base/http/requests.ts'
import { edited, initialState } from '../../engine/delivery/machine.ts'
import { NAME_KEPT_MS } from '../../engine/delivery/timing.ts'
import { listMediaIds, type PostToCheck } from '../../platforms/rules/context.ts'
import { createTextCache, type TextCache } from '../../platforms/rules/text-cache.ts'
import type { PostAccess, Usable } from './access.ts'
import { type CheckedAccount, checkPost, inspectPosts } from './check.ts'
import {
  contentOf,
  type PostContent,
  requireSize,
  sentContentOf,
  type TargetContent,
  toPostToCheck,
} from './content.ts'
import { renditionsOf } from './fit.ts'
import { type Conditions, changePost, getPost, requireUnpublished } from './get.ts'
import { mergePatch } from './merge-patch.ts'
import { digestTarget } from './nearby-terms.ts'
import { placeInSlots } from './queue/place.ts'
import { timeFor } from './schedule.ts'
import { requirePostScope } from './scope.ts'

/** Rejects a change by throwing. Gets the transaction, and the post with the change. */
type Confirm = (db: Db, changed: PostWithReadiness) => Promise<void>

interface UpdateOptions extends Required<Conditions> {
  confirm: Confirm | undefined
  /** Whose posts make room for it at the front of a queue. */
  mover: Mover
}

/**
 * Changes a post. Throws 404 if the id is unknown, 400 if the post is published, and 409 while it is being sent. Also
 * throws the errors of its conditions, of `confirm`, and of `createPost` for the changed post.
 */
export async function updatePost(
  db: Db,
  access: PostAccess,
  patch: PatchPost,
  { ifMatch, rights, confirm, mover }: UpdateOptions,
): Promise<PostWithReadiness> {
  const { userId, id } = access
  let texts: TextCache | undefined
  for (;;) {
    const { changed, toMeasure } = await changePost(db, access, async (db, locked, usable): Promise<Update> => {
      requirePostScope(rights, locked.status === 'scheduled')
      requireUnpublished(locked, 'edit')
      const post = await getPost(db, userId, id)
      ifMatch?.(post)
      const before = contentOf(post)
      const merged = mergePatch(before, patch)
      if (!patch.schedule && isDeepStrictEqual(before, merged)) {
        await confirm?.(db, post)
        return { changed: post }
      }
      const isOthers = usable?.isOwner === false
      const usableNow = {
        accountIds: usable?.accountIds ?? null,
        ...(isOthers && { mediaIds: listMediaIds(toPostToCheck(before)) }),
      }
      if (isLong(requireSize(merged)) && !texts) return { toMeasure: { content: merged, usable: usableNow } }
      const added = addedTo(before, merged)
      const toCheck = { ...added, scheduled: added.scheduled || patch.schedule !== undefined }
      const { post: checked, accounts, renditions } = await checkPost(db, userId, toCheck, usableNow, texts)
      const slots = patch.schedule && (await placeInSlots(db, { userId, id }, accounts, patch.schedule.queue, mover))
      await store(db, post, { ...withFields(merged, checked), ...slots }, { accounts, renditions, texts })
      const changed = await getPost(db, userId, id)
      await confirm?.(db, changed)
      return { changed }
    })
    if (changed) return changed
    texts = createTextCache()
    await inspectPosts(db, userId, [{ post: toPostToCheck(toMeasure.content) }], toMeasure.usable, texts)
  }
}

/** Stores the content of a locked post after a change. */
async function store(
  db: Db,
  post: PostWithReadiness,
  after: PostContent,
  checked: Parameters<typeof changesOf>[2],
): Promise<void> {
  const before = contentOf(post)
  if (isDeepStrictEqual(before, after)) return
  await storePostChanges(db, post, changesOf(post, after, checked))
  await writePostUpdated(db, post, findChanged(before, after))
  if (removesOpen(post, after)) await writePostSettled(db, post)
}

/**
 * The changed post, or a long one, which is measured while no transaction waits. Another request may change it
 * meanwhile.
 */
type Update =
  | { changed: PostWithReadiness; toMeasure?: never }
  | { changed?: never; toMeasure: { content: PostContent; usable: Usable } }

/** The changed post as `checkPost` gets it: the accounts that it adds are new. */
const addedTo = (before: PostContent, after: PostContent) => ({
  ...toPostToCheck(after),
  isNewAccount: (id: string) => !before.targets.some(({ accountId }) => accountId === id),
})

/** The content with the fields of the checked post, which has the defaults of new accounts. */
const withFields = (content: PostContent, { overrides }: Pick<PostToCheck, 'overrides'>): PostContent => ({
  ...content,
  targets: content.targets.map((target) => {
    const { fields, defaultKeys } = overrides.get(target.accountId)!
    return defaultKeys ? { ...target, fields: fields! } : target
  }),
})

/** The names of the properties that differ, as a request has them. */
function findChanged(
  { targets: old, localSchedule: oldLocal, accountTimes: oldTimes, slotted: _, ...before }: PostContent,
  { targets, localSchedule: local, accountTimes: times, slotted: __, ...after }: PostContent,
): string[] {
  const differs = (get: (target: TargetContent) => unknown) => !isDeepStrictEqual(given(old, get), given(targets, get))
  return [
    ...Object.keys(after).filter(
      (key) => !isDeepStrictEqual(before[key as keyof typeof before], after[key as keyof typeof after]),
    ),
    ...(oldLocal?.timeZone === local?.timeZone ? [] : ['timeZone']),
    ...((before.scheduledAt === null) === (after.scheduledAt === null) ? [] : ['status']),
    ...(differs(({ accountId }) => accountId) ? ['accountIds'] : []),
    ...([
      differs(({ captionOverride }) => captionOverride),
      differs(({ fields }) => fields),
      differs(storedFilesOf),
      !isDeepStrictEqual(oldTimes, times),
      differs(({ mediaFit }) => mediaFit),
      differs(({ padColor }) => padColor),
    ].includes(true)
      ? ['overrides']
      : []),
    ...(differs(({ threadParts }) => threadParts) ? ['threadParts'] : []),
  ]
}

/** The values of `get` that are not null, by account. */
const given = (targets: TargetContent[], get: (target: TargetContent) => unknown) =>
  new Map(targets.map((target) => [target.accountId, get(target)] as const).filter(([, value]) => value !== null))

/** Whether the post no longer goes to an account to which it was still to be published. */
const removesOpen = (post: PostDetail, { targets }: PostContent) =>
  post.targets.some(
    ({ accountId, delivery }) =>
      delivery.state === 'queued' && !targets.some((target) => target.accountId === accountId),
  )

/** The changes to store. Deliveries whose content or time has changed restart. */
function changesOf(
  post: PostWithReadiness,
  after: PostContent,
  {
    accounts,
    renditions: sent,
    texts = createTextCache(),
  }: { accounts: CheckedAccount[]; renditions: readonly SentRendition[]; texts: TextCache | undefined },
): ChangedPost {
  const before = contentOf(post)
  const { targets, mediaIds, scheduledAt, accountTimes, slotted, ...rest } = after
  const isScheduled = scheduledAt !== null
  const platforms = new Map(accounts.map(({ id, platform }) => [id, platform]))
  return {
    ...rest,
    status: isScheduled ? 'scheduled' : 'draft',
    scheduledAt,
    mediaIds,
    hasOtherFiles: !isDeepStrictEqual(filesOf(before), filesOf(after)),
    nameKeptMs: NAME_KEPT_MS,
    deliveries: targets.map((content): ChangedDelivery => {
      const { accountId } = content
      const old = post.targets.find((target) => target.accountId === accountId)
      const platform = platforms.get(accountId)!
      const renditions = renditionsOf(sent, accountId)
      const textDigest = digestTarget(platform, after, content, texts)
      const stored = {
        ...{ ...content, renditions, platform, textDigest },
        scheduledAt: accountTimes.get(accountId) ?? null,
        isInSlot: slotted.has(accountId),
      }
      if (!old) return { ...stored, isNew: true, isEdited: false, state: initialState(isScheduled) }
      const isEdited =
        !isDeepStrictEqual(sentContentOf(before, old), sentContentOf(after, content)) ||
        !isDeepStrictEqual(renditionsOf(post.adjustments ?? [], accountId), renditions)
      const isMoved = timeFor(before, accountId)?.getTime() !== timeFor(after, accountId)?.getTime()
      const state = isEdited || isMoved ? edited(old.delivery.state, isScheduled) : null
      return { ...stored, isNew: false, isEdited, state }
    }),
  }
}

/** The files of a post, and those of each account that has its own. */
const filesOf = ({ mediaIds, targets }: PostContent) => [mediaIds, given(targets, storedFilesOf)]

/** Files of the first part differ from the same files as a list of one part: both are stored and shown as they came. */
const storedFilesOf = ({ mediaIds, threadMedia }: TargetContent) => threadMedia ?? mediaIds
