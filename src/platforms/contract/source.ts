/** The page on which a value was read, and its reliability. */
export interface Source {
  url: string
  /**
   * official: the network's own page, schema or source code. copy: a verbatim copy of that page.
   * cross-checked: several independent tools agree. assumed: our inference.
   */
  confidence: 'official' | 'copy' | 'cross-checked' | 'assumed'
  /** Version or date of the page when it was read. */
  version: string
  /** The day on which somebody last compared the rule with the page, such as 2026-11-21. */
  seenAt: string
}
