import type { Readable } from 'node:stream'

/** The bytes of a request, which several files take one after the other. */
export class UploadBody {
  /** Why the body ended too early. */
  error: unknown
  isOver = false
  #end = () => {}
  readonly #chunks: AsyncIterator<Buffer>
  readonly #body: Readable
  #left: Buffer | undefined

  constructor(body: Readable) {
    this.#body = body
    // The connection is needed for the response.
    this.#chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  }

  /** The next bytes, at most `bytesMax`. They end, without an error, where the body is cut off: see `error`. */
  async *take(bytesMax: number): AsyncGenerator<Buffer> {
    for (let taken = 0; taken < bytesMax; ) {
      const chunk = this.#left ?? (await this.#read())
      this.#left = undefined
      if (!chunk) return
      const piece = chunk.subarray(0, bytesMax - taken)
      if (piece.length < chunk.length) this.#left = chunk.subarray(piece.length)
      taken += piece.length
      yield piece
    }
  }

  /** Ends the body for those who take its bytes, even if none arrive. */
  end(error: Error): void {
    this.error = error
    this.isOver = true
    this.#end()
  }

  /** Discards the rest, which would hold the connection. A stream does not flow while an iterator listens to it. */
  discard(): void {
    this.#chunks.return?.().then(
      () => this.#body.resume(),
      () => {},
    )
  }

  async #read(): Promise<Buffer | undefined> {
    if (this.isOver) return undefined
    try {
      const ended = new Promise<undefined>((resolve) => {
        this.#end = () => resolve(undefined)
      })
      const next = await Promise.race([this.#chunks.next(), ended])
      if (next && !next.done) return next.value
    } catch (error) {
      this.error = error
    }
    this.isOver = true
    return undefined
  }
}
