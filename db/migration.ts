import { type Kysely, type RawBuilder, sql } from 'kysely'

/** A migration, as `db/migrations/` exports it and db/README.md describes it. */
export interface Migration {
  /**
   * Each step is committed before the next one begins, and runs once. An interrupted migration goes on at its next
   * step.
   */
  steps: Step[]
  /**
   * The oldest version of Postroom that the migrated schema serves, if the migration takes away what older code needs.
   */
  servesFrom?: string
}

/** The work of one transaction, or an index that is built without blocking writers. */
export type Step = ((db: Kysely<unknown>) => Promise<unknown>) | ConcurrentIndex

export interface ConcurrentIndex {
  index: string
  create: RawBuilder<unknown>
}

/**
 * Builds an index on an existing table, such as `concurrentIndex('accounts_platform', sql.raw('accounts (platform)'))`.
 */
export const concurrentIndex = (
  index: string,
  on: RawBuilder<unknown>,
  { unique = false }: { unique?: boolean } = {},
): ConcurrentIndex => ({
  index,
  create: sql`create ${sql.raw(unique ? 'unique index' : 'index')} concurrently ${sql.ref(index)} on ${on}`,
})

/** The later of two versions such as 1.10.0. */
export const maxVersion = <T extends string | null>(a: T, b: T): T =>
  a === null || (b !== null && a.localeCompare(b, 'en', { numeric: true }) < 0) ? b : a
