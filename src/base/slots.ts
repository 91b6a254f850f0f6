/** A limit on how much runs at a time. */
export interface Slots {
  /** Resolves to the function that gives the slot back; calling it again has no effect. */
  take(userId: string): Promise<() => void>
  /** The same without waiting; undefined if the user may have no slot now. */
  tryTake(userId: string): (() => void) | undefined
}

interface SlotLimits {
  max?: number
  /** Leaves some slots to other users. */
  perUser?: number
  /**
   * A user who gives a slot back waits behind all others. By default, callers get slots in the order of their calls.
   */
  inTurns?: boolean
}

export function createSlots({ max = Infinity, perUser = max, inTurns = false }: SlotLimits): Slots {
  const taken = new Map<string, number>()
  let total = 0
  let waiting: { userId: string; start(): void }[] = []

  const countOf = (userId: string) => taken.get(userId) ?? 0
  const mayTake = ({ userId }: { userId: string }) => total < max && countOf(userId) < perUser

  function change(userId: string, by: 1 | -1): void {
    total += by
    taken.set(userId, countOf(userId) + by)
    if (countOf(userId) === 0) taken.delete(userId)
  }

  function hold(userId: string): () => void {
    change(userId, 1)
    let isHeld = true
    return () => {
      if (isHeld) giveBack(userId)
      isHeld = false
    }
  }

  function giveBack(userId: string): void {
    change(userId, -1)
    if (inTurns) waiting = waiting.toSorted((a, b) => Number(a.userId === userId) - Number(b.userId === userId))
    const index = waiting.findIndex(mayTake)
    if (index >= 0) waiting.splice(index, 1)[0]!.start()
  }

  const tryTake = (userId: string) => (mayTake({ userId }) ? hold(userId) : undefined)

  return {
    tryTake,
    take: async (userId) =>
      tryTake(userId) ?? new Promise((resolve) => waiting.push({ userId, start: () => resolve(hold(userId)) })),
  }
}
