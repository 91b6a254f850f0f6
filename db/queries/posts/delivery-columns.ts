import { ownFilesOf } from '../../../schemas/create-post.ts'
import type { MediaFit } from '../../../schemas/media.ts'
import { jsonColumns } from '../json-columns.ts'
import type { FilesOfDelivery } from './files.ts'
import { type SentRendition, toStored } from './sent-renditions.ts'

/** The content of a delivery that a request writes. Null and absent: that of the post. */
export interface DeliveryContent extends FilesOfDelivery {
  captionOverride?: string | null
  fields?: Record<string, unknown> | null
  threadParts?: readonly string[] | null
  mediaFit?: MediaFit | null
  padColor?: string | null
  captionSuffix?: string | null
  renditions?: readonly SentRendition[]
}

/** A delivery that a request writes. */
export interface WrittenDelivery extends DeliveryContent {
  accountId: string
  /** Null for the time of the post. */
  scheduledAt: Date | null
  /** Whether its time is a slot that the queue has chosen. */
  isInSlot: boolean
}

const CONTENT = {
  captionOverride: 'text',
  fields: 'jsonb',
  threadParts: 'jsonb',
  ownMedia: 'boolean',
  textDigest: 'bigint',
  mediaFit: 'text',
  padColor: 'text',
  captionSuffix: 'text',
  renditions: 'jsonb',
}

export const CONTENT_COLUMNS = jsonColumns(CONTENT)
export const DELIVERY_COLUMNS = jsonColumns({ ...CONTENT, ownScheduledAt: 'timestamptz' })

const computedOf = (content: DeliveryContent, textDigest: string | null) => ({
  textDigest,
  ownMedia: ownFilesOf(content) !== null,
  renditions: toStored(content.renditions ?? []),
})

/** A row of `CONTENT_COLUMNS`. `textDigest` is that of the content: see `NearbyTerms`. */
export const toContentJson = (content: DeliveryContent, textDigest: string | null) =>
  CONTENT_COLUMNS.toJson(content, computedOf(content, textDigest))

/** A row of `DELIVERY_COLUMNS`. */
export const toDeliveryJson = (delivery: WrittenDelivery, textDigest: string | null) =>
  DELIVERY_COLUMNS.toJson(delivery, { ...computedOf(delivery, textDigest), ownScheduledAt: delivery.scheduledAt })
