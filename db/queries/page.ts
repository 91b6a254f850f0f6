/** One page of a user's rows, newest first. */
export interface Page {
  userId: string
  limit: number
  /** Only rows with a smaller id, which are older. */
  cursor: string
  /** The number of rows to skip before the page. */
  offset: number
}
