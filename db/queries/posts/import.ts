import { sql } from 'kysely'
import type { Db } from '../../client.ts'

/**
 * Waits until no other transaction imports posts of this user: otherwise, two imports of one file could both find that
 * a reference is new. Creating posts does not wait. Returns false if there is no such user.
 */
export async function lockImports(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`select id from users where id = ${userId} for no key update`.execute(db)
  return rows.length === 1
}

/** Those of these references that posts of the user have. */
export async function findReferences(db: Db, userId: string, references: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ externalReference: string }>`
    select distinct external_reference from posts
    where user_id = ${userId} and external_reference = any(${references}::text[])`.execute(db)
  return new Set(rows.map(({ externalReference }) => externalReference))
}
