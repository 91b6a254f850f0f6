import type {
  CreatePost,
  DeliveryState,
  Media,
  MediaFit,
  PostDetail,
  PostType,
  RetryDelivery,
} from '../../../../clients/sdk/index.ts'
import { OWN_ZONE, toInstant } from '../time.ts'
import { toParts } from '../words.ts'
import { type TypedFields, toFields } from './fields.ts'

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
  /** Descriptions of files for this post alone, by the id of the file. */
  altTexts?: Record<string, string> | undefined
  time: string
  timeZone: string
  /** Whether each account publishes in its next free slot. */
  isQueued: boolean
  /** The name of this post, so that a repeated click stores it once. */
  key: string
  /** The stored post that it changes. */
  stored?: Stored
  /** Sentences about what the post from which it was made has, and it has not. */
  lost?: string[]
  /** By the ids of accounts. */
  own: Record<string, Own>
}

/** A stored post when it was opened. */
export interface Stored {
  id: string
  ifMatch: string | undefined
  status: PostDetail['status']
  /** The times as they would be typed, as in `timesOf`. */
  times: Record<string, string>
  /** The states of its deliveries, and the fields, by the ids of accounts. */
  states: Record<string, DeliveryState>
  fields: Record<string, object | null>
  /** For a post that is out: what each account would get that can be retried, by the ids of these accounts. */
  retried?: Record<string, RetryDelivery>
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

/** Whether nothing of a post is typed yet. Its accounts and its time may be chosen. */
export function isBlank(draft: Draft): boolean {
  const { accountIds, postType, time, timeZone, isQueued, key } = draft
  const blank = { ...newDraft(), accountIds, postType, time, timeZone, isQueued, key }
  return JSON.stringify({ ...blank, ...draft }) === JSON.stringify(blank)
}

export const isTimed = ({ time, isQueued }: Draft) => time !== '' && !isQueued
export const hasFiles = ({ files, accountIds, own }: Draft) =>
  [files, ...accountIds.map((id) => own[id]?.partFiles?.flat())].some((list) => list?.length)

/** When an account gets a post that has a time. */
export const timeOf = ({ own, time, timeZone }: Draft, accountId: string): Date =>
  toInstant(own[accountId]?.time || time, timeZone)

export const hasFile = ({ files, accountIds, own }: Draft, fileId: string) =>
  [files, ...accountIds.map((id) => own[id]?.partFiles?.flat() ?? [])].flat().some(({ id }) => id === fileId)

/** The typed times: that of the post as `post`, and those of single accounts by their ids. None for a draft. */
export function timesOf(draft: Draft): Record<string, string> {
  const { accountIds, own, time, timeZone } = draft
  if (!isTimed(draft)) return {}
  const ofAccounts = accountIds.flatMap((id) => (own[id]?.time ? [[id, `${own[id].time} ${timeZone}`]] : []))
  return { post: `${time} ${timeZone}`, ...Object.fromEntries(ofAccounts) }
}

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
    ...(draft.altTexts && {
      altTexts: Object.fromEntries(Object.entries(draft.altTexts).filter(([id]) => hasFile(draft, id))),
    }),
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
