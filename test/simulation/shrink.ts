import { type Day, simulate } from './day.ts'

/** The day with as few of its faults as still break a promise: leaves out one after the other. */
export async function shrink(seed: number, day: Day): Promise<Day> {
  let smallest = day
  for (const fault of day.faults) {
    const faults = new Set(smallest.faults)
    if (!faults.delete(fault)) continue
    const smaller = await simulate({ seed, faults })
    if (smaller.breaches.length > 0) smallest = smaller
  }
  return smallest
}
