/** A generator of pseudorandom integers: https://en.wikipedia.org/wiki/Xorshift */
export function integers(seed: number): (below: number) => number {
  let state = seed | 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

export const pick = <T>(next: (below: number) => number, items: readonly T[]): T => items[next(items.length)]!
