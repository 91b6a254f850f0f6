import type { CreatePost, Media, MediaFit, PostDetail, PostTarget, PostType } from '../../../clients/sdk/index.ts'
import { type TypedFields, toFields, toTyped } from './fields.ts'
import { versionOf } from './session.ts'
import { OWN_ZONE, toInstant } from './time.ts'
import { fromParts, partsOf, toParts } from './words.ts'

/** How files are changed for a network that does not take them. For an account, null is as for the post. */
export interface Fit {
  mediaFit?: MediaFit | null
  padColor?: string | null
}

/** A post that is typed. The tab keeps it until it is stored. */
export interface Draft extends Fit {
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
  /** The name of this post, so that a repeated click stores it once. */
  key: string
  /** The stored draft that it changes, with its version. */
  stored?: { id: string; ifMatch: string | undefined }
  /** By the ids of accounts. */
  own: Record<string, Own>
}

/** The differences of the post on one account. */
export interface Own extends Fit {
  caption?: string | undefined
  /** Its own files, by part. Only a thread has more than one. */
  partFiles?: Media[][] | undefined
  time?: string
  fields?: TypedFields
}

export const newDraft = (): Draft => ({
  accountIds: [],
  postType: 'post',
  caption: '',
  firstComment: '',
  files: [],
  mediaFit: 'auto',
  time: '',
  timeZone: OWN_ZONE,
  isQueued: false,
  key: crypto.randomUUID(),
  own: {},
})

export const isTimed = ({ time, isQueued }: Draft) => time !== '' && !isQueued
export const hasFiles = ({ files, accountIds, own }: Draft) =>
  [files, ...accountIds.map((id) => own[id]?.partFiles?.flat())].some((list) => list?.length)

/** When an account gets a post that has a time. */
export const timeOf = ({ own, time, timeZone }: Draft, accountId: string): Date =>
  toInstant(own[accountId]?.time || time, timeZone)

const idsOf = (files: Media[]) => files.map(({ id }) => id)

/** The parts of the text that an account gets. */
const textsOf = ({ postType, caption, own }: Draft, accountId: string): string[] => {
  const text = own[accountId]?.caption ?? caption
  return postType === 'thread' ? toParts(text) : [text]
}

/** The own files of an account, by the parts of its text. Files of parts that are gone belong to the last part. */
export const filesOf = (draft: Draft, accountId: string, partFiles: Media[][]): Media[][] =>
  textsOf(draft, accountId).map((_, part, { length }) =>
    part === length - 1 ? partFiles.slice(part).flat() : (partFiles[part] ?? []),
  )

/** The request body of a typed post. */
export const toBody = (draft: Draft): CreatePost => {
  const { accountIds, postType, caption, files, own, mediaFit, padColor } = draft
  return {
    accountIds,
    postType,
    caption,
    mediaIds: idsOf(files),
    ...(draft.firstComment && { firstComment: draft.firstComment }),
    ...((hasFiles(draft) || draft.stored) && mediaFit && { mediaFit }),
    ...(padColor && { padColor }),
    ...(postType === 'thread' && {
      threadParts: Object.fromEntries(accountIds.map((id) => [id, textsOf(draft, id)])),
    }),
    accountOverrides: accountIds.map((accountId) => {
      const { caption = null, partFiles, mediaFit = null, padColor = null, time, fields } = own[accountId] ?? {}
      const files = partFiles && filesOf(draft, accountId, partFiles).map(idsOf)
      return {
        accountId,
        captionOverride: caption,
        mediaFit,
        padColor,
        ...(files && (postType === 'thread' ? { threadMedia: files } : { mediaIds: files.flat() })),
        ...(time && isTimed(draft) && { scheduledAt: `${time}:00` }),
        ...(fields && { fields: toFields(fields) }),
      }
    }),
    ...(draft.isQueued && { schedule: { queue: 'next' } }),
    ...(isTimed(draft) && { scheduledAt: `${draft.time}:00`, timeZone: draft.timeZone }),
  }
}

/**
 * A stored draft as it would be typed; undefined if the composer has no place for a part of it: a file that cannot be
 * shown, what files show in this post alone, or a part of a thread that would be divided.
 */
export function toDraft(post: PostDetail, known: ReadonlyMap<string, Media>): Draft | undefined {
  const { status, postType, targets, mediaIds, mediaFit = null, padColor = null, firstComment } = post
  const ownFiles = targets.map(({ threadMedia, mediaIds }) => threadMedia ?? (mediaIds && [mediaIds]))
  const textOf = (target: PostTarget) => fromParts(partsOf(post, target))
  const isShown = [mediaIds, ...ownFiles].flat(2).every((id) => id === null || known.has(id))
  const isTypable = (target: PostTarget) =>
    postType !== 'thread' || toParts(textOf(target)).join('\0') === partsOf(post, target).join('\0')
  if (status !== 'draft' || !isShown || post.altTexts || !targets.every(isTypable)) return undefined
  const toFiles = (ids: string[]) => ids.map((id) => known.get(id)!)
  const caption = postType === 'thread' ? textOf(targets[0]!) : post.caption
  const own = targets.map((target, index): Own => {
    const { fields, mediaFit = null, padColor = null } = target
    return {
      mediaFit,
      padColor,
      caption: textOf(target) === caption ? undefined : textOf(target),
      partFiles: ownFiles[index]?.map(toFiles),
      ...(fields && { fields: toTyped(fields) }),
    }
  })
  return {
    ...newDraft(),
    accountIds: targets.map(({ accountId }) => accountId),
    postType,
    caption,
    files: toFiles(mediaIds),
    firstComment: firstComment ?? '',
    mediaFit,
    padColor,
    stored: { id: post.id, ...versionOf(post) },
    own: Object.fromEntries(targets.map(({ accountId }, index) => [accountId, own[index]!])),
  }
}
