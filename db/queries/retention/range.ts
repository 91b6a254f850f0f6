/**
 * Rows of these users, created before `beforeId`, after the row `after` of the first user, at most `limit`. Statements with
 * such a range have no name, so that Postgres plans them with these values: a generic plan might read and sort all rows of a
 * user instead of a page.
 */
export interface OldRange {
  userIds: string[]
  after: string
  beforeId: string
  before: Date
  limit: number
}
