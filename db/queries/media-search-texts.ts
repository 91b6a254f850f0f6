import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'

/** The texts of a file that a search compares. */
export interface SearchedTexts {
  fileName: string | null
  altText: string | null
  externalReference: string | null
}

type SearchedFile = SearchedTexts & { userId: string; id: string }

/** Files of all users whose text for searches is not written yet. */
export const listUnsearchedFiles = prepared<{ limit: number }, SearchedFile>('list_unsearched_files', (db, value) =>
  db
    .selectFrom('media')
    .select(['userId', 'id', 'fileName', 'altText', 'externalReference'])
    .where('searchText', 'is', null)
    .where('kind', 'is not', null)
    .orderBy('userId')
    .orderBy('id')
    .limit(value('limit')),
)

/** Leaves a file alone whose alternative text has changed since it was read. */
export async function writeSearchTexts(db: Db, files: readonly (SearchedFile & { searchText: string })[]) {
  const rows = files.map(({ userId, id, altText, searchText }) => ({
    user_id: userId,
    id,
    alt_text: altText,
    search_text: searchText,
  }))
  await sql`
    update media set search_text = item.search_text
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as item(user_id uuid, id uuid, alt_text text, search_text text)
    where media.user_id = item.user_id and media.id = item.id and media.search_text is null
      and media.alt_text is not distinct from item.alt_text`.execute(db)
}
