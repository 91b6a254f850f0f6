/** A limit on how much runs at a time. Callers get a slot in the order in which they ask for one, if their user may have more. */
export interface Slots {
  /** Resolves to the function that gives the slot back; calling it again has no effect. */
  take(userId: string): Promise<() => void>
}

/** `perUser` is the maximum of slots of one user, so that others find some. */
export function createSlots(max: number, perUser = max): Slots {
  const taken = new Map<string, number>()
  let total = 0
  const waiting: { userId: string; resolve(): void }[] = []

  const countOf = (userId: string) => taken.get(userId) ?? 0
  const mayTake = (userId: string) => total < max && countOf(userId) < perUser

  function change(userId: string, by: 1 | -1): void {
    total += by
    taken.set(userId, countOf(userId) + by)
    if (countOf(userId) === 0) taken.delete(userId)
  }

  function giveBack(userId: string): void {
    change(userId, -1)
    const index = waiting.findIndex((caller) => mayTake(caller.userId))
    if (index < 0) return
    const [next] = waiting.splice(index, 1)
    change(next!.userId, 1)
    next!.resolve()
  }

  return {
    async take(userId) {
      if (mayTake(userId)) change(userId, 1)
      else await new Promise<void>((resolve) => waiting.push({ userId, resolve }))
      let isHeld = true
      return () => {
        if (isHeld) giveBack(userId)
        isHeld = false
      }
    },
  }
}
