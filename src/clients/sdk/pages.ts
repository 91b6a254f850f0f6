export interface Page<Item> {
  data: Item[]
  nextCursor?: string | null
}

/** A list. Nothing is requested before it is used, and each use begins at the first page. */
export class List<P extends Page<unknown>> implements Promise<P>, AsyncIterable<P['data'][number]> {
  readonly [Symbol.toStringTag] = 'List'
  readonly #fetchPage: (cursor?: string) => Promise<P>
  constructor(fetchPage: (cursor?: string) => Promise<P>) {
    this.#fetchPage = fetchPage
  }
  /** `await list` gives one page. */
  // biome-ignore lint/suspicious/noThenProperty: a list can be awaited
  readonly then: Promise<P>['then'] = (onPage, onError) => this.#fetchPage().then(onPage, onError)
  readonly catch: Promise<P>['catch'] = (onError) => this.#fetchPage().catch(onError)
  readonly finally: Promise<P>['finally'] = (onEnd) => this.#fetchPage().finally(onEnd)

  /** `for await (const item of list)` gives the items of this page and of all that follow. */
  async *[Symbol.asyncIterator](): AsyncGenerator<P['data'][number], void, undefined> {
    for await (const page of this.pages()) yield* page.data as P['data'][number][]
  }
  /** Gives this page and all that follow. With filters, one may be empty although more follow. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: string | null | undefined
    do {
      const page: P = await this.#fetchPage(cursor ?? undefined)
      yield page
      cursor = page.nextCursor
    } while (cursor)
  }
}
