import { isBroken, type LivedDay, liveDay, type Order } from './run.ts'

/** A day with as few of its faults as still break a promise: leaves out half of them, then fewer and fewer. */
export async function shrink(day: LivedDay, planted?: Order['planted']): Promise<LivedDay> {
  let smallest = day
  for (let size = day.faults.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.faults.length; ) {
      const faults = smallest.faults.toSpliced(at, size)
      const smaller = await liveDay({ seed: day.seed, faults, planted })
      if (isBroken(smaller)) smallest = smaller
      else at += size
    }
  }
  return smallest
}
