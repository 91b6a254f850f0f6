/** What of a user's things is asked for. */
export interface Page {
  userId: string
  limit: number
  /** An id: only what has smaller ones, which is what is older. */
  cursor: string
  /** How many of these come before the page. */
  offset: number
}
