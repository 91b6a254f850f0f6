import type { CreatePost } from '../../schemas/create-post.ts'

/** How a cell is read: as it is, without the spaces around it, as several ids, as JSON, or as a time of a time zone. */
export type CellKind = 'text' | 'trimmed' | 'ids' | 'json' | 'time'

/** The columns that become the property of their name. */
export const PROPERTY_COLUMNS: Record<keyof CreatePost, CellKind> = {
  accountIds: 'ids',
  caption: 'text',
  firstComment: 'text',
  postType: 'trimmed',
  mediaIds: 'ids',
  altTexts: 'json',
  accountOverrides: 'json',
  threadParts: 'json',
  scheduledAt: 'time',
  externalReference: 'trimmed',
  metadata: 'json',
}

/** All columns: those, the time zone of a row, and the reason that a file of refused rows has. */
export const COLUMNS = [...Object.keys(PROPERTY_COLUMNS), 'timeZone', 'error']

export const REQUIRED_COLUMNS = ['externalReference', 'accountIds']
