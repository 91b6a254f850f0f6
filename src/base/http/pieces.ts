/** A turn of the event loop with longer work ends. A piece itself takes longer if it measures a long text. */
const TURN_MS = 5

/** Those that continue their work, the one that has waited longest first. */
const paused: (() => void)[] = []

/**
 * The result of work that yields after each of its pieces. Between pieces, the process serves other requests. Without
 * `canPause`, it does not, so that a transaction is not kept waiting.
 */
export async function inPieces<T>(work: Generator<void, T>, { canPause = true } = {}): Promise<T> {
  for (;;) {
    if (canPause && turnMs() > TURN_MS) await pause()
    const { done, value } = work.next()
    if (done) return value
  }
}

/** When the first piece of this turn began; undefined before. */
let turnBeganAt: number | undefined

/** How long pieces have run in this turn, of this work and of what ran before it. */
function turnMs(): number {
  const now = performance.now()
  if (turnBeganAt === undefined) {
    turnBeganAt = now
    setImmediate(() => {
      turnBeganAt = undefined
    })
  }
  return now - turnBeganAt
}

/** The results of `map`, each of which is a piece. */
export function* mapInPieces<T, R>(items: readonly T[], map: (item: T) => R): Generator<void, R[]> {
  const results: R[] = []
  for (const item of items) {
    results.push(map(item))
    yield
  }
  return results
}

/** Resolves in a later turn of the event loop, in which no other piece runs. */
export const pause = () =>
  new Promise<void>((resolve) => {
    paused.push(resolve)
    if (paused.length === 1) setImmediate(continueNext)
  })

function continueNext(): void {
  paused.shift()!()
  if (paused.length > 0) setImmediate(continueNext)
}
