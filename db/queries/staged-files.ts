import { sql } from 'kysely'
import type { Media, MediaKind } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { type MediaFacts, shownMedia } from './media.ts'

/** Bytes that belong to no media (yet, or any more). `storageKey` says where they are, or are going to be. */
export interface LooseFile {
  userId: string
  storageKey: string
}

/** Before the first byte is written. Throws a foreign key violation (23503) where the user does not exist. */
export const claimFile = prepared<LooseFile, never>('claim_file', (db, value) =>
  db
    .insertInto('looseFiles')
    .values({ userId: value('userId'), storageKey: value('storageKey') })
    .$castTo<never>(),
)

/** Says that the file is still being written. Gives nothing where it was given up. */
export const renewFile = prepared<LooseFile, { storageKey: string }>('renew_file', (db, value) =>
  db
    .updateTable('looseFiles')
    .set({ renewedAt: sql<Date>`now()` })
    .where('userId', '=', value('userId'))
    .where('storageKey', '=', value('storageKey'))
    .where('renewedAt', 'is not', null)
    .returning('storageKey'),
)

export interface AdoptedFile extends MediaFacts, LooseFile {
  id: string
  kind: MediaKind
  videoCodec: string | null
  audioCodec: string | null
  altText: string | null
  sha256: Buffer
}

/**
 * Makes a file that was claimed one of the user's media, in one statement. Gives nothing, and leaves the file loose,
 * where the claim is gone or the user has the same bytes already.
 */
export const adoptFile = prepared<AdoptedFile, Media>('adopt_file', (db, value) =>
  db
    .with('claimed', (db) =>
      db
        .selectFrom('looseFiles')
        .select(['userId', 'storageKey'])
        .where('userId', '=', value('userId'))
        .where('storageKey', '=', value('storageKey'))
        .where('renewedAt', 'is not', null)
        .forUpdate(),
    )
    .with('adopted', (db) =>
      db
        .insertInto('media')
        .columns([
          'userId',
          'storageKey',
          'id',
          'kind',
          'mimeType',
          'bytes',
          'width',
          'height',
          'durationSeconds',
          'fps',
          'frames',
          'videoCodec',
          'audioCodec',
          'altText',
          'sha256',
        ])
        .expression((eb) =>
          eb
            .selectFrom('claimed')
            .select([
              'userId',
              'storageKey',
              sql<string>`${value('id')}::uuid`.as('id'),
              sql<string>`${value('kind')}::text`.as('kind'),
              sql<string>`${value('mimeType')}::text`.as('mimeType'),
              sql<number>`${value('bytes')}::bigint`.as('bytes'),
              sql<number>`${value('width')}::integer`.as('width'),
              sql<number>`${value('height')}::integer`.as('height'),
              sql<number>`${value('durationSeconds')}::double precision`.as('durationSeconds'),
              sql<number>`${value('fps')}::double precision`.as('fps'),
              sql<number>`${value('frames')}::integer`.as('frames'),
              sql<string>`${value('videoCodec')}::text`.as('videoCodec'),
              sql<string>`${value('audioCodec')}::text`.as('audioCodec'),
              sql<string>`${value('altText')}::text`.as('altText'),
              sql<Buffer>`${value('sha256')}::bytea`.as('sha256'),
            ]),
        )
        .onConflict((conflict) => conflict.columns(['userId', 'sha256']).doNothing())
        .returningAll(),
    )
    .with('released', (db) =>
      db
        .deleteFrom('looseFiles')
        .using('adopted')
        .whereRef('looseFiles.userId', '=', 'adopted.userId')
        .whereRef('looseFiles.storageKey', '=', 'adopted.storageKey'),
    )
    .selectFrom('adopted')
    .select(shownMedia),
)

/** From now on nobody can adopt the file. Gives nothing where it is not loose. */
export const doomFile = prepared<LooseFile, LooseFile>('doom_file', (db, value) =>
  db
    .updateTable('looseFiles')
    .set({ renewedAt: null })
    .where('userId', '=', value('userId'))
    .where('storageKey', '=', value('storageKey'))
    .returning(['userId', 'storageKey']),
)

/** Whether the file belongs to one of the user's media. */
export const isAdopted = prepared<LooseFile, { id: string }>('is_adopted', (db, value) =>
  db
    .selectFrom('media')
    .select('id')
    .where('userId', '=', value('userId'))
    .where('storageKey', '=', value('storageKey')),
)

/** After the last byte is gone, and no other can come. */
export const forgetFile = prepared<LooseFile, never>('forget_file', (db, value) =>
  db
    .deleteFrom('looseFiles')
    .where('userId', '=', value('userId'))
    .where('storageKey', '=', value('storageKey'))
    .$castTo<never>(),
)

/** Dooms the files that nobody has renewed for `leaseSeconds`. Gives all that are doomed. */
export async function doomAbandonedFiles(db: Db, leaseSeconds: number) {
  await db
    .updateTable('looseFiles')
    .set({ renewedAt: null })
    .where('renewedAt', '<', sql<Date>`now() - make_interval(secs => ${leaseSeconds})`)
    .execute()
  return db.selectFrom('looseFiles').select(['userId', 'storageKey']).where('renewedAt', 'is', null).execute()
}

/** Notes that the file's bytes were removed. Gives false where that is known already. */
export async function markFileRemoved(db: Db, { userId, storageKey }: LooseFile): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('looseFiles')
    .set({ removedAt: sql<Date>`now()` })
    .where('userId', '=', userId)
    .where('storageKey', '=', storageKey)
    .where('removedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Forgets the files that were removed more than `seconds` ago. */
export async function forgetRemovedFiles(db: Db, seconds: number): Promise<void> {
  await db
    .deleteFrom('looseFiles')
    .where('removedAt', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .execute()
}

/** The files that are being written, and when that was last said. */
export function listClaimedFiles(db: Db) {
  return db
    .selectFrom('looseFiles')
    .select(['storageKey', sql<string>`renewed_at::text`.as('renewedAt')])
    .where('renewedAt', 'is not', null)
    .execute()
}

/** Of `storageKeys`, those of files that are loose. */
export async function filterLoose(db: Db, storageKeys: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('looseFiles')
    .select('storageKey')
    .where('storageKey', '=', sql<string>`any(${storageKeys}::text[])`)
    .execute()
  return new Set(rows.map(({ storageKey }) => storageKey))
}
