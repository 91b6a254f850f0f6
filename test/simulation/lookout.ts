import type { Db } from '../../db/client.ts'
import { readNextWork } from '../../db/queries/next-work.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { POLL_MS as METRICS_POLL_MS } from '../../src/engine/numbers/timing.ts'
import type { Task, WorkKind } from '../../src/run/worker/loop.ts'
import { now } from './clock.ts'
import type { Process, Source } from './scheduler.ts'

/** The pause between rounds of a task without a kind of work. Its own pause would take most steps of a day. */
const RARE_MS = 6 * 3_600_000

/** The kinds of work that are due, as the lookouts of workers find them. */
export class Lookout {
  readonly #db: Db
  #due = new Set<WorkKind>()
  #looks = 0
  /** The kinds of work that the tasks do. */
  readonly #kinds = new Set<WorkKind>()

  constructor(db: Db) {
    this.#db = db
  }

  get hasWork(): boolean {
    return this.#due.size > 0
  }

  /** Looks for due work. Returns the milliseconds until more is due; infinite without any. */
  async look(): Promise<number> {
    const [next] = await readNextWork(this.#db, { platforms: [...PLATFORM_IDS], metricsAfterMs: METRICS_POLL_MS })
    const times = (Object.entries(next!) as [WorkKind, number | null][]).filter(([kind]) => this.#kinds.has(kind))
    this.#due = new Set(times.flatMap(([kind, ms]) => (ms !== null && ms <= 0 ? kind : [])))
    this.#looks++
    return Math.min(...times.map(([, ms]) => (ms !== null && ms > 0 ? Math.ceil(ms) : Number.POSITIVE_INFINITY)))
  }

  /** Rounds of a task: one when its work is found to be due, and further ones as long as it asks for them. */
  roundsOf(process: Process, { kind, round, retryMs }: Task): Source {
    if (kind) this.#kinds.add(kind)
    const never = new AbortController().signal
    let isRunning = false
    let look = 0
    let isNextWanted = false
    let rareAt = 0
    return {
      process,
      isReady: () => {
        if (isRunning) return false
        if (kind === undefined) return now() >= rareAt
        return look === this.#looks ? isNextWanted : this.#due.has(kind)
      },
      begin: () => {
        isRunning = true
        look = this.#looks
        void round(never)
          .catch(() => retryMs)
          .then((pauseMs) => {
            isRunning = false
            isNextWanted = pauseMs === 0
            rareAt = now() + (isNextWanted ? 0 : RARE_MS)
          })
      },
    }
  }
}
