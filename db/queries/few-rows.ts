import { sql } from 'kysely'

/**
 * A limit that Postgres cannot see when it plans. It limits nothing, but makes Postgres expect a tenth of the rows.
 * Postgres expects 100 rows of a function that returns JSON, 1,000 of `generate_series`, and a two-hundredth of the
 * table for a search in an array. It would read a whole table in place of some rows, or compile the plan for longer
 * than it runs.
 */
export const FEW_ROWS = sql`limit (select null::bigint)`
