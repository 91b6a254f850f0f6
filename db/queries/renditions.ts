import { sql } from 'kysely'
import type { MediaKind, MediaType } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { renditionProblem } from './rendition-problem.ts'
import { lockStaged, type StagedFile } from './staged-files.ts'

/** A file that is made from media of the user. `target` names what it is made for. */
export interface RenditionKey {
  userId: string
  id: string
  target: string
}

export interface RenditionSource {
  kind: MediaKind
  mimeType: MediaType
  width: number | null
  height: number | null
  storageKey: string | null
  /** Whether it was made, or could not be. */
  isMade: boolean
  /** Null if it could not be made. */
  renditionKey: string | null
}

/** The user's file, and what was made from it for the target. */
export const findRendition = prepared<RenditionKey, RenditionSource>(
  'find_rendition',
  (_db, value) => sql`
    select media.kind, media.mime_type, media.width, media.height, media.storage_key,
      renditions.target is not null as is_made, renditions.storage_key as rendition_key
    from media
    left join renditions on renditions.user_id = media.user_id and renditions.media_id = media.id
      and renditions.target = ${value('target')}
    where media.user_id = ${value('userId')} and media.id = ${value('id')} and media.kind is not null`,
)

/** The facts of a rendition. Null for previews, which count towards no quota. */
export interface RenditionFacts {
  mimeType: MediaType | null
  bytes: number | null
  width: number | null
  height: number | null
}

/**
 * Turns a staged file into a rendition. Leaves it staged and returns no row if there is one, or if it is marked for
 * deletion. Throws a foreign key violation (23503) if the file that it is made from was deleted.
 */
export const promoteRendition = prepared<RenditionKey & StagedFile & RenditionFacts, { storageKey: string }>(
  'promote_rendition',
  (_db, value) => sql`
    with staged as ${lockStaged(value)},
    made as (
      insert into renditions (user_id, media_id, target, storage_key, mime_type, bytes, width, height)
      select user_id, ${value('id')}::uuid, ${value('target')}::text, storage_key, ${value('mimeType')}::text,
        ${value('bytes')}::bigint, ${value('width')}::integer, ${value('height')}::integer
      from staged
      on conflict do nothing
      returning user_id, storage_key
    ),
    unstaged as (
      delete from loose_files using made
      where loose_files.user_id = made.user_id and loose_files.storage_key = made.storage_key
    )
    select storage_key from made`,
)

/** Forgets a rendition whose bytes are lost. */
export const forgetRendition = prepared<StagedFile, never>('forget_rendition', (db, value) =>
  db
    .deleteFrom('renditions')
    .where('userId', '=', value('userId'))
    .where('storageKey', '=', value('storageKey'))
    .$castTo<never>(),
)

/**
 * Records that no file can be made for the target. `bytes`: the size of the smallest one, if that is the reason.
 * `problem`: the reason for a video, or for an image that takes too long.
 */
export async function noteNoRendition(
  db: Db,
  { userId, id, target }: RenditionKey,
  { bytes = null, problem = null }: { bytes?: number | null; problem?: string | null } = {},
): Promise<void> {
  await sql`
    insert into renditions (user_id, media_id, target, bytes, problem)
    select user_id, id, ${target}, ${bytes}, ${problem} from media where user_id = ${userId} and id = ${id}
    on conflict do nothing`.execute(db)
}

export interface KnownRendition extends RenditionFacts {
  mediaId: string
  target: string
  /** Why it cannot be made. Null if it is stored. */
  problem: string | null
}

/** The renditions of these files of the user, and the targets for which none can be made. */
export const listRenditions = prepared<{ userId: string; mediaIds: string[] }, KnownRendition>(
  'list_renditions',
  (db, value) =>
    db
      .selectFrom('renditions')
      .select((eb) => [
        'mediaId',
        'target',
        eb.ref('mimeType').$castTo<MediaType | null>().as('mimeType'),
        'bytes',
        'width',
        'height',
        renditionProblem.as('problem'),
      ])
      .where('userId', '=', value('userId'))
      .where('mediaId', '=', sql<string>`any(${value('mediaIds')}::uuid[])`),
)
