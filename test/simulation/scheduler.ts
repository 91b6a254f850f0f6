import { advance, begin, chance, now, oneOf } from './clock.ts'

/** The fates of a step. */
export interface Fates<F> {
  works: F
  /** As likely as each other. */
  faults: readonly F[]
  /** The share of steps that fail. */
  share: number
}

/** A process of the service. What it waits for when it ends is never answered. */
export interface Process {
  name: string
  isEnded: boolean
  canBeSuspended: boolean
  /** It takes no step until this time. */
  suspendedUntilMs: number
}

export const createProcess = (name: string, { canBeSuspended = false } = {}): Process => ({
  name,
  isEnded: false,
  canBeSuspended,
  suspendedUntilMs: 0,
})

/** A statement or a call that waits for its turn. */
interface Step {
  process: Process
  take(): void
}

/** Work that begins when it is drawn. */
export interface Source {
  process: Process
  isReady(): boolean
  begin(): void
}

export interface SchedulerOptions {
  seed: number
  startMs: number
  /** The faults that happen, by their numbers. Absent: all. */
  faults?: ReadonlySet<number> | undefined
}

/** A step that waits is drawn this much more often than work that may begin. */
const STEP_WEIGHT = 4

/** Up to several leases: another worker takes over what the process holds. */
const SUSPENSION: Fates<number> = { works: 0, faults: [10_000, 30_000, 60_000], share: 0.01 }

const immediate = globalThis.setImmediate

/** The resources that Node has while nothing happens. */
const IDLE = new Set(['TCPServerWrap', 'TTYWrap', 'PipeWrap', 'Timeout', 'MessagePort', 'ProcessWrap'])

/** Draws, from the seed, what goes next. At any time, one step runs. */
export class Scheduler {
  readonly history: string[] = []
  readonly sources = new Set<Source>()
  hasFaults = false
  /** The numbers of the faults that have happened. */
  readonly faults: number[] = []
  #faultNumber = 0
  readonly #steps: Step[] = []
  readonly #names = new Map<string, string>()
  readonly #options: SchedulerOptions

  constructor(options: SchedulerOptions) {
    begin(options.seed, options.startMs)
    this.#options = options
  }

  tell(who: string, what: string): void {
    const seconds = ((now() - this.#options.startMs) / 1000).toFixed(3).padStart(10)
    this.history.push(`${seconds} ${who.padEnd(9)} ${this.name(what)}`)
  }

  /** Gives ids short names, by the order in which they are told. */
  name(text: string): string {
    return text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      const name = this.#names.get(id) ?? `#${this.#names.size + 1}`
      this.#names.set(id, name)
      return name
    })
  }

  /** Resolves with the fate of a step when it is its turn. Never, if the process has ended. */
  enter<F>(process: Process, name: string, fates: Fates<F>): Promise<F> {
    return new Promise((resolve) => {
      if (process.isEnded) return
      const take = () => {
        const fate = this.#draw(fates)
        if (name) this.tell(process.name, fate === fates.works ? name : `${name}: ${fate}`)
        resolve(fate)
      }
      this.#steps.push({ process, take })
    })
  }

  #draw<F>({ works, faults, share }: Fates<F>): F {
    if (!this.hasFaults || !chance(share)) return works
    const fault = oneOf(faults)
    const number = ++this.#faultNumber
    if (this.#options.faults?.has(number) === false) return works
    this.faults.push(number)
    return fault
  }

  end(process: Process): void {
    process.isEnded = true
    this.tell(process.name, 'ends')
    for (const step of this.#steps.splice(0)) if (!step.process.isEnded) this.#steps.push(step)
  }

  get isWaiting(): boolean {
    return this.#steps.length > 0
  }

  /** Milliseconds until a suspended process continues: 0 if a step can be taken, infinite without any step. */
  get nextStepMs(): number {
    return Math.min(...this.#steps.map(({ process }) => Math.max(0, process.suspendedUntilMs - now())))
  }

  /** Takes one step, or begins work. Returns false if there is nothing to do at this time. */
  async step(): Promise<boolean> {
    await quiesce()
    const runs = ({ process }: Step | Source) => process.suspendedUntilMs <= now()
    const ready = [...this.sources].filter((source) => runs(source) && source.isReady())
    const steps = this.#steps.filter(runs)
    const count = steps.length
    if (count + ready.length === 0) return false
    if (count > 0 && !chance(ready.length / (ready.length + STEP_WEIGHT * count))) this.#take(oneOf(steps))
    else oneOf(ready).begin()
    await quiesce()
    return true
  }

  #take(step: Step): void {
    const { process } = step
    const suspensionMs = process.canBeSuspended ? this.#draw(SUSPENSION) : 0
    if (suspensionMs > 0) {
      process.suspendedUntilMs = now() + suspensionMs
      this.tell(process.name, `is suspended for ${suspensionMs / 1_000} s`)
      return
    }
    this.#steps.splice(this.#steps.indexOf(step), 1)
    step.take()
  }

  /** Lets time pass until `untilMs`: timers end in their order. */
  async pass(untilMs: number): Promise<void> {
    while (now() < untilMs && advance(untilMs)) await quiesce()
  }

  /** Takes steps until `work` is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const end = () => {
      isDone = true
    }
    work.then(end, end)
    while (!isDone) if (!(await this.step())) await quiesce()
    return work
  }
}

/** Resolves when nothing goes on but what waits for the scheduler. */
async function quiesce(): Promise<void> {
  do await new Promise((resolve) => immediate(resolve))
  while (process.getActiveResourcesInfo().some((kind) => !IDLE.has(kind)))
}
