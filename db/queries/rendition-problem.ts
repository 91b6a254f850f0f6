import { sql } from 'kysely'

/** Why a rendition cannot be made. Null if it is stored. An image that cannot be decoded has no `problem`. */
export const renditionProblem = sql<string | null>`case when renditions.storage_key is null then coalesce(
  renditions.problem, 'the smallest rendition has ' || renditions.bytes || ' bytes', 'the image cannot be decoded') end`
