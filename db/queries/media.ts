import { type SqlBool, sql } from 'kysely'
import type { Media, MediaKind } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { isoTime } from './iso-time.ts'
import type { Page } from './page.ts'

/** What is known of a file: its size in bytes, pixels and seconds; null where it does not apply or is not known. */
export interface MediaFacts {
  mimeType: string
  bytes: number
  width: number | null
  height: number | null
  durationSeconds: number | null
  fps: number | null
  frames: number | null
}

export interface NewMedia extends Omit<MediaFacts, 'fps' | 'frames'> {
  id: string
  userId: string
}

/**
 * Registers the facts of a file without its bytes. Media of a type that is neither image nor video are of no kind: no
 * network takes them, and nobody is shown them. Throws a foreign key violation (23503) where there is no such user.
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

/** A file as the interface shows it. */
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

/** The user's files that are shown. */
const mediaOf = (db: Db, userId: string) =>
  db.selectFrom('media').select(shownMedia).where('userId', '=', userId).where('kind', 'is not', null)

/** A page of the user's files that come after `cursor`, newest first. */
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

/** Where the bytes of the user's file are; null where only its facts were registered. */
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

/** Gives nothing where the user has no such file. */
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

/** Locks the deliveries of the posts that use the file: until the transaction ends, they stay in their states. */
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

/** Of a delivery whose beginning, which carries the files, is not out. */
const needsFiles = sql<SqlBool>`post_targets.sent = '[]'`

/**
 * Deletes the user's file, unless a draft or a scheduled post uses it, or a delivery that may still send it; posts that are
 * out lose it, and those of their deliveries that have failed for good are given up for the reason in `error` (JSON). Its
 * bytes become loose. Gives nothing where the user has no such file. In a transaction that has locked the deliveries. A
 * post that is written at the same moment makes it fail with a foreign key violation (23503): the file is then in use.
 */
export const deleteUnusedMedia = prepared<
  { userId: string; id: string; error: string },
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
        .set({ state: 'failed', error: sql`${value('error')}::jsonb` })
        .whereRef('postMedia.userId', '=', 'postTargets.userId')
        .whereRef('postMedia.postId', '=', 'postTargets.postId')
        .where('postMedia.userId', '=', value('userId'))
        .where('postMedia.mediaId', '=', value('id'))
        .where('postTargets.state', 'in', ['failed', 'missed'])
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
    .with('loosened', (db) =>
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
