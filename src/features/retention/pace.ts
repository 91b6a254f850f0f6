/** Time of one statement that a batch is sized for: half of what a statement may take. */
const STATEMENT_MS = 50
const LIMIT = { first: 50, min: 10, max: 500 }

interface PaceOptions {
  /** The milliseconds after which the work is to be left to a later sweep. */
  lastsMs: number
  /** Share of the time that the work may take. */
  share: number
  /** Rests for this time. Rejects if the sweep has to end. */
  rest(ms: number): Promise<void>
}

/**
 * Runs work piece by piece, and rests after each piece in proportion to the time that it took. So the work never takes
 * more than its share of one core, and less where the machine is busy.
 */
export class Pace {
  /** How many rows the next statement may change. */
  limit = LIMIT.first
  readonly #options: PaceOptions
  readonly #startedAt = performance.now()
  #wasCutShort = false

  constructor(options: PaceOptions) {
    this.#options = options
  }

  /** Whether the time is up. Callers that have more to do return. */
  isOver(): boolean {
    this.#wasCutShort ||= performance.now() - this.#startedAt > this.#options.lastsMs
    return this.#wasCutShort
  }

  /** Whether a caller was told that the time is up. */
  get wasCutShort(): boolean {
    return this.#wasCutShort
  }

  run = async <T>(work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    const result = await work()
    const ms = performance.now() - startedAt
    if (ms > STATEMENT_MS) this.limit = Math.max(LIMIT.min, Math.floor(this.limit / 2))
    else if (ms < STATEMENT_MS / 5) this.limit = Math.min(LIMIT.max, Math.ceil(this.limit * 1.25))
    await this.#options.rest(ms * (1 / this.#options.share - 1))
    return result
  }
}
