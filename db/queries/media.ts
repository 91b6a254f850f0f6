import { type SqlBool, sql } from 'kysely'
import type { DeliveryState } from '../../schemas/delivery.ts'
import type { Media, MediaFacts, MediaKind } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { isoTime } from './iso-time.ts'
import type { Page } from './page.ts'

export interface NewMedia extends Omit<MediaFacts, 'fps' | 'frames'> {
  userId: string
  bytes: number
}

/**
 * Registers the facts of a file without its bytes. A type that is neither image nor video has no kind: no network accepts
 * such media, and the API does not show them. Throws a foreign key violation (23503) if the user does not exist.
 */
export function insertMedia(db: Db, media: NewMedia) {
  return db
    .insertInto('media')
    .values({ ...media, kind: kindOf(media.mimeType) })
    .execute()
}

function kindOf(mimeType: string): MediaKind | null {
  if (mimeType === 'image/gif') return 'gif'
  if (mimeType.startsWith('image/')) return 'image'
  return mimeType.startsWith('video/') ? 'video' : null
}

/** The columns of a file that the API shows. */
export const shownMedia = [
  'id',
  sql<MediaKind>`kind`.as('kind'),
  'mimeType',
  'bytes',
  'width',
  'height',
  'durationSeconds',
  'fps',
  'altText',
  isoTime('createdAt').as('createdAt'),
] as const

/** The user's files that the API shows. */
const mediaOf = (db: Db, userId: string) =>
  db.selectFrom('media').select(shownMedia).where('userId', '=', userId).where('kind', 'is not', null)

/** A page of the user's files older than `cursor`, newest first. */
export const listMedia = prepared<Page, Media>('list_media', (db, value) =>
  mediaOf(db, value('userId'))
    .where('id', '<', value('cursor'))
    .orderBy('id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

export const findMedia = prepared<{ userId: string; id: string }, Media>('find_media', (db, value) =>
  mediaOf(db, value('userId')).where('id', '=', value('id')),
)

export const findMediaBySha256 = prepared<{ userId: string; sha256: Buffer }, Media>(
  'find_media_by_sha256',
  (db, value) => mediaOf(db, value('userId')).where('sha256', '=', value('sha256')),
)

/** The storage key of the user's file. The key is null if only the file's facts were registered. */
export const findStoredFile = prepared<{ userId: string; id: string }, { storageKey: string | null; mimeType: string }>(
  'find_stored_file',
  (db, value) =>
    db
      .selectFrom('media')
      .select(['storageKey', 'mimeType'])
      .where('userId', '=', value('userId'))
      .where('id', '=', value('id'))
      .where('kind', 'is not', null),
)

/** Returns no row if the user has no such file. */
export const updateAltText = prepared<{ userId: string; id: string; altText: string | null }, { id: string }>(
  'update_alt_text',
  (db, value) =>
    db
      .updateTable('media')
      .set({ altText: value('altText') })
      .where('userId', '=', value('userId'))
      .where('id', '=', value('id'))
      .where('kind', 'is not', null)
      .returning('id'),
)

/** Locks the deliveries of the posts that use the file, so that their states last until the transaction ends. */
export const lockDeliveriesOfMedia = prepared<{ userId: string; id: string }, { postId: string }>(
  'lock_deliveries_of_media',
  (db, value) =>
    db
      .selectFrom('postTargets')
      .innerJoin('postMedia', (join) =>
        join.onRef('postMedia.userId', '=', 'postTargets.userId').onRef('postMedia.postId', '=', 'postTargets.postId'),
      )
      .select('postTargets.postId')
      .where('postMedia.userId', '=', value('userId'))
      .where('postMedia.mediaId', '=', value('id'))
      .orderBy('postTargets.postId')
      .orderBy('postTargets.accountId')
      .forUpdate('postTargets'),
)

/** Whether a delivery has not published its first part, which carries the files. */
const needsFiles = sql<SqlBool>`post_targets.sent = '[]'`

/**
 * Deletes the user's file unless a draft, a scheduled post or an unfinished delivery uses it. Published posts lose the
 * file. Their failed deliveries that would still need it get the error in `error` (JSON) and can no longer be retried. The
 * bytes of the file become staged and marked for deletion. Returns no row if the user has no such file.
 *
 * Call it in a transaction that holds `lockDeliveriesOfMedia`. A post that is created concurrently makes it fail with a
 * foreign key violation (23503): the file is in use then.
 */
export const deleteUnusedMedia = prepared<
  { userId: string; id: string; from: DeliveryState[]; to: DeliveryState; error: string },
  { storageKey: string | null; used: boolean }
>('delete_unused_media', (db, value) =>
  db
    .with('found', (db) =>
      db
        .selectFrom('media')
        .select(['userId', 'id', 'storageKey'])
        .where('userId', '=', value('userId'))
        .where('id', '=', value('id'))
        .where('kind', 'is not', null)
        .forUpdate(),
    )
    .with('usage', (db) =>
      db
        .selectFrom('postMedia')
        .innerJoin('posts', (join) =>
          join.onRef('posts.userId', '=', 'postMedia.userId').onRef('posts.id', '=', 'postMedia.postId'),
        )
        .select('posts.id')
        .where('postMedia.userId', '=', value('userId'))
        .where('postMedia.mediaId', '=', value('id'))
        .where(({ or, eb, exists, selectFrom }) =>
          or([
            eb('posts.status', '!=', 'published'),
            exists(
              selectFrom('postTargets')
                .select('postTargets.accountId')
                .whereRef('postTargets.userId', '=', 'posts.userId')
                .whereRef('postTargets.postId', '=', 'posts.id')
                .where('postTargets.state', 'in', ['queued', 'publishing', 'unconfirmed'])
                .where(needsFiles),
            ),
          ]),
        )
        .limit(1),
    )
    .with('given_up', (db) =>
      db
        .updateTable('postTargets')
        .from('postMedia')
        .set({ state: value('to'), error: sql`${value('error')}::jsonb` })
        .whereRef('postMedia.userId', '=', 'postTargets.userId')
        .whereRef('postMedia.postId', '=', 'postTargets.postId')
        .where('postMedia.userId', '=', value('userId'))
        .where('postMedia.mediaId', '=', value('id'))
        .where('postTargets.state', '=', sql<string>`any(${value('from')}::text[])`)
        .where(needsFiles)
        .where(({ not, exists, selectFrom }) => not(exists(selectFrom('usage').select('id')))),
    )
    .with('detached', (db) =>
      db
        .deleteFrom('postMedia')
        .using('found')
        .whereRef('postMedia.userId', '=', 'found.userId')
        .whereRef('postMedia.mediaId', '=', 'found.id')
        .where(({ not, exists, selectFrom }) => not(exists(selectFrom('usage').select('id')))),
    )
    .with('deleted', (db) =>
      db
        .deleteFrom('media')
        .using('found')
        .whereRef('media.userId', '=', 'found.userId')
        .whereRef('media.id', '=', 'found.id')
        .where(({ not, exists, selectFrom }) => not(exists(selectFrom('usage').select('id'))))
        .returning(['media.userId', 'media.storageKey']),
    )
    .with('staged', (db) =>
      db
        .insertInto('looseFiles')
        .columns(['userId', 'storageKey', 'renewedAt'])
        .expression((eb) =>
          eb
            .selectFrom('deleted')
            .select((eb) => [
              'userId',
              eb.ref('storageKey').$notNull().as('storageKey'),
              sql<null>`null`.as('renewedAt'),
            ])
            .where('storageKey', 'is not', null),
        ),
    )
    .selectFrom('found')
    .select(({ exists, selectFrom }) => [
      'storageKey',
      exists(selectFrom('usage').select('id')).$castTo<boolean>().as('used'),
    ]),
)
