/** A limit on how much runs at a time. Callers get a slot in the order in which they ask for one. */
export interface Slots {
  /** Resolves to the function that gives the slot back; calling it again has no effect. */
  take(): Promise<() => void>
}

export function createSlots(max: number): Slots {
  let taken = 0
  const waiting: (() => void)[] = []

  function giveBack(): void {
    const next = waiting.shift()
    if (next) next()
    else taken--
  }

  return {
    async take() {
      if (taken < max) taken++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      let isHeld = true
      return () => {
        if (isHeld) giveBack()
        isHeld = false
      }
    },
  }
}
