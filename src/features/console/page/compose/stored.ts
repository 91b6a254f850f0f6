import type { Media, PostDetail, PostTarget } from '../../../../clients/sdk/index.ts'
import { retried } from '../../../../engine/delivery/owner-rules.ts'
import { versionOf } from '../session.ts'
import { OWN_ZONE, toLocal } from '../time.ts'
import { fromParts, partsOf, toParts } from '../words.ts'
import { type Draft, newDraft, type Own, type Stored, timesOf } from './draft.ts'
import { toTyped } from './fields.ts'
import { toRetry } from './retry.ts'

const ownFiles = ({ threadMedia, mediaIds }: PostTarget) => threadMedia ?? (mediaIds && [mediaIds])

export const fileIdsOf = ({ mediaIds, targets }: PostDetail) => [
  ...new Set([mediaIds, ...targets.map((target) => ownFiles(target)?.flat() ?? [])].flat()),
]

/** The accounts of a post to which it is sent again on request, with other content. */
export const retriedOf = ({ targets }: PostDetail): PostTarget[] =>
  targets.filter(
    ({ delivery }) =>
      ['failed', 'missed', 'cancelled'].includes(delivery.state) &&
      'state' in retried({ ...delivery, isEarly: false }, false),
  )

const textOf = (post: PostDetail, target: PostTarget) => fromParts(partsOf(post, target))

/** Whether a part of the thread would become several where parts are typed as one text. */
export const isDivided = (post: PostDetail) =>
  post.postType === 'thread' &&
  post.targets.some((target) => toParts(textOf(post, target)).join('\0') !== partsOf(post, target).join('\0'))

/** A stored post as it would be typed for some of its accounts, with the known ones of its files. */
export function toDraft(post: PostDetail, known: ReadonlyMap<string, Media>, targets = post.targets): Draft {
  const { postType, mediaFit = null, padColor = null, firstComment, altTexts } = post
  const toFiles = (ids: string[]) => ids.flatMap((id) => known.get(id) ?? [])
  const caption = postType === 'thread' ? textOf(post, post.targets[0]!) : post.caption
  const toOwn = (target: PostTarget): Own => {
    const { fields, mediaFit = null, padColor = null } = target
    const text = textOf(post, target)
    return {
      mediaFit,
      padColor,
      caption: text === caption ? undefined : text,
      partFiles: ownFiles(target)?.map(toFiles),
      ...(fields && { fields: toTyped(fields) }),
    }
  }
  return {
    ...newDraft(),
    accountIds: targets.map(({ accountId }) => accountId),
    postType,
    caption,
    files: toFiles(post.mediaIds),
    altTexts,
    firstComment: firstComment ?? '',
    mediaFit,
    padColor,
    own: Object.fromEntries(targets.map((target) => [target.accountId, toOwn(target)])),
  }
}

/** A draft with the times of the post, in its time zone. */
export function withTimes(draft: Draft, { scheduledAt, timeZone = OWN_ZONE, targets }: PostDetail): Draft {
  const typed = (time: string | null) => (time ? toLocal(new Date(time), timeZone) : '')
  const own = targets.map(({ accountId, scheduledAt }) => [
    accountId,
    { ...draft.own[accountId], time: typed(scheduledAt) },
  ])
  return { ...draft, time: typed(scheduledAt), timeZone, own: Object.fromEntries(own) }
}

/** The stored post that a draft changes. */
export const toStored = (post: PostDetail, draft: Draft): Stored => ({
  id: post.id,
  ...versionOf(post),
  status: post.status,
  times: timesOf(draft),
  states: Object.fromEntries(post.targets.map(({ accountId, delivery }) => [accountId, delivery.state])),
  fields: Object.fromEntries(post.targets.map(({ accountId, fields }) => [accountId, fields])),
  ...(post.status === 'published' && {
    retried: Object.fromEntries(retriedOf(post).map(({ accountId }) => [accountId, toRetry(draft, accountId)])),
  }),
})
