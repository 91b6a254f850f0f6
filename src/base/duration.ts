/** A duration in words, rounded to its unit. */
export const describeDuration = (ms: number): string => {
  if (ms < 1_000) return 'less than a second'
  if (ms < 120_000) return count(ms / 1_000, 'second')
  if (ms < 7_200_000) return count(ms / 60_000, 'minute')
  return ms < 172_800_000 ? count(ms / 3_600_000, 'hour') : count(ms / 86_400_000, 'day')
}

const count = (units: number, unit: string) => `${Math.round(units)} ${unit}${Math.round(units) === 1 ? '' : 's'}`
