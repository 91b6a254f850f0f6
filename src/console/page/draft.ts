import type { CreatePost, Media, PostDetail, PostTarget, PostType } from '../../sdk/index.ts'
import { type TypedFields, toFields, toTyped } from './fields.ts'
import { versionOf } from './session.ts'
import { OWN_ZONE } from './time.ts'
import { fromParts, partsOf, toParts } from './words.ts'

/** A post that is typed. The tab keeps it until it is stored. */
export interface Draft {
  accountIds: string[]
  postType: PostType
  /** Lines of three hyphens divide the parts of a thread. */
  caption: string
  /** Blank for none. */
  firstComment: string
  files: Media[]
  time: string
  timeZone: string
  /** Whether each account publishes in its next free slot. */
  isQueued: boolean
  /** Whether files are changed for networks that do not take them as they are. */
  fits: boolean
  /** The name of this post, so that a repeated click stores it once. */
  key: string
  /** The stored draft that it changes, with its version. */
  stored?: { id: string; ifMatch: string | undefined }
  /** By the ids of accounts. */
  own: Record<string, Own>
}

/** The differences of the post on one account. */
export interface Own {
  caption?: string | undefined
  files?: Media[] | undefined
  time?: string
  fields?: TypedFields
}

export const newDraft = (): Draft => ({
  ...{ accountIds: [], postType: 'post', caption: '', firstComment: '', files: [], fits: true },
  ...{ time: '', timeZone: OWN_ZONE, isQueued: false, key: crypto.randomUUID(), own: {} },
})

export const isTimed = ({ time, isQueued }: Draft) => time !== '' && !isQueued
export const hasFiles = ({ files, accountIds, own }: Draft) =>
  [files, ...accountIds.map((id) => own[id]?.files)].some((list) => list?.length)

const idsOf = (files: Media[]) => files.map(({ id }) => id)

/** The request body of a typed post. */
export const toBody = (draft: Draft): CreatePost => {
  const { accountIds, postType, caption, files, own } = draft
  return {
    ...{ accountIds, postType, caption, mediaIds: idsOf(files) },
    ...(draft.firstComment && { firstComment: draft.firstComment }),
    ...(hasFiles(draft) && draft.fits && { mediaFit: 'auto' }),
    ...(postType === 'thread' && {
      threadParts: Object.fromEntries(accountIds.map((id) => [id, toParts(own[id]?.caption ?? caption)])),
    }),
    accountOverrides: accountIds.map((accountId) => {
      const { caption = null, files, time, fields } = own[accountId] ?? {}
      return {
        ...{ accountId, captionOverride: caption },
        ...(files && { mediaIds: idsOf(files) }),
        ...(time && isTimed(draft) && { scheduledAt: `${time}:00` }),
        ...(fields && { fields: toFields(fields) }),
      }
    }),
    ...(draft.isQueued && { schedule: { queue: 'next' } }),
    ...(isTimed(draft) && { scheduledAt: `${draft.time}:00`, timeZone: draft.timeZone }),
  }
}

/** A stored draft as it would be typed; undefined if the composer has no place for a part of it. */
export function toDraft(post: PostDetail, known: ReadonlyMap<string, Media>): Draft | undefined {
  const { status, postType, targets, mediaIds, mediaFit } = post
  const filesOf = (ids: string[]) => ids.flatMap((id) => known.get(id) ?? [])
  const ids = [...mediaIds, ...targets.flatMap((target) => target.mediaIds ?? [])]
  const hasOthers = targets.some(({ threadMedia, mediaFit, padColor }) => threadMedia || mediaFit || padColor)
  if (status !== 'draft' || hasOthers || !ids.every((id) => known.has(id)) || (mediaFit ?? 'auto') !== 'auto')
    return undefined
  const textOf = (target: PostTarget) => fromParts(partsOf(post, target))
  const caption = postType === 'thread' ? textOf(targets[0]!) : post.caption
  return {
    ...newDraft(),
    ...{ accountIds: targets.map(({ accountId }) => accountId), postType, caption, files: filesOf(mediaIds) },
    ...{
      firstComment: post.firstComment ?? '',
      fits: mediaFit === 'auto',
      stored: { id: post.id, ...versionOf(post) },
    },
    own: Object.fromEntries(
      targets.map((target) => {
        const own: Own = {
          caption: textOf(target) === caption ? undefined : textOf(target),
          files: target.mediaIds ? filesOf(target.mediaIds) : undefined,
          ...(target.fields && { fields: toTyped(target.fields) }),
        }
        return [target.accountId, own]
      }),
    ),
  }
}
