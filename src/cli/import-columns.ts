import type { CreatePost } from '../../schemas/create-post.ts'

/**
 * How a cell is read: as it is, without the spaces around it, as several ids, as JSON, as a time, with the time, or as
 * a queue.
 */
export type CellKind = 'text' | 'trimmed' | 'ids' | 'json' | 'time' | 'zone' | 'queue'

/** The columns that become the property of their name. */
export const PROPERTY_COLUMNS: Record<keyof CreatePost, CellKind> = {
  accountIds: 'ids',
  caption: 'text',
  firstComment: 'text',
  comments: 'json',
  poll: 'json',
  links: 'json',
  postType: 'trimmed',
  mediaIds: 'ids',
  mediaFit: 'trimmed',
  padColor: 'trimmed',
  altTexts: 'json',
  accountOverrides: 'json',
  threadParts: 'json',
  scheduledAt: 'time',
  timeZone: 'zone',
  fold: 'zone',
  schedule: 'queue',
  externalReference: 'trimmed',
  metadata: 'json',
}

export const JSON_COLUMNS = Object.entries(PROPERTY_COLUMNS).flatMap(([name, kind]) => (kind === 'json' ? [name] : []))

/** A column for one account, such as `scheduledAt@ID`. */
export const OWN_COLUMN = /^(scheduledAt|mediaIds)@(\S+)$/
export const OWN_COLUMN_FORMS = ['scheduledAt@ACCOUNT', 'mediaIds@ACCOUNT']

/** All columns but those of accounts: those, and the reason that a file of refused rows has. */
export const COLUMNS = [...Object.keys(PROPERTY_COLUMNS), 'error']

export const REQUIRED_COLUMNS = ['externalReference', 'accountIds']

/** The columns of a file that comes from elsewhere: names of accounts, and addresses of files. */
export const MOVED_COLUMNS = ['accounts', 'media', ...COLUMNS]
