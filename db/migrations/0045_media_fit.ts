import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * Adds `mediaFit` to posts and deliveries, the renditions of each delivery, and the facts of renditions. Workers of
 * older versions send the files as they are: no client may send such posts before these workers are replaced.
 */
export const steps: Step[] = [
  async (db) => {
    await sql`
      alter table renditions
        add column mime_type text,
        -- Null for previews. Without a storage_key: the size of the smallest file that could be made.
        add column bytes bigint,
        add column width integer,
        add column height integer`.execute(db)
  },
  async (db) => {
    await sql`alter table posts add column media_fit text, add column pad_color text`.execute(db)
  },
  async (db) => {
    await sql`
      alter table post_targets
        add column media_fit text,
        add column pad_color text,
        -- By the id of the file: the target of its rendition, and why it is sent.
        add column renditions jsonb`.execute(db)
  },
  concurrentIndex('renditions_storage_key', sql.raw('renditions (storage_key)')),
]
