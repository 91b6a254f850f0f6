import { type Expression, sql } from 'kysely'

/** All rows of a subquery as one JSON array, which is empty for no rows. */
export const jsonList = (item: Expression<unknown>, order?: Expression<unknown>) =>
  sql`coalesce(json_agg(${item}${order ? sql` order by ${order}` : sql``}), '[]')`.as('list')
