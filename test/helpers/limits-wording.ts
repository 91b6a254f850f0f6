import type { TextUnit } from '../../src/platforms/limits.ts'

type Part = string | false | undefined

export const joinParts = (parts: Part[]) => parts.filter(Boolean).join('; ')

export const unitNames: Record<TextUnit, string> = {
  x: 'characters as X weighs them',
  mastodon: 'graphemes, a URL counts 23',
  threads: 'code points, an emoji counts its UTF-8 bytes',
  graphemes: 'graphemes',
  clusters: 'graphemes, each consonant of a conjunct counts',
  'code points': 'code points',
  'UTF-16 units': 'UTF-16 units',
  bytes: 'bytes',
}

export function formatRange(
  min: number | undefined,
  max: number | undefined,
  unit: string,
  format: (value: number) => string = String,
): string | undefined {
  if (min !== undefined && max !== undefined) return `${format(min)}–${format(max)}${unit}`
  if (max !== undefined) return `≤ ${format(max)}${unit}`
  return min === undefined ? undefined : `≥ ${format(min)}${unit}`
}

export const formatRatio = (value: number) => String(Number(value.toFixed(4)))

/** A size in the largest unit in which it is a whole number. */
export const formatBytes = (size: number) =>
  formatInLargestUnit(size, { GiB: 2 ** 30, MiB: 2 ** 20, MB: 1e6, KiB: 2 ** 10, bytes: 1 })

export const formatDuration = (seconds: number) => formatInLargestUnit(seconds, { h: 3600, min: 60, s: 1 })

function formatInLargestUnit(value: number, units: Record<string, number>): string {
  const [unit, factor] = Object.entries(units).find(([, factor]) => value % factor === 0)!
  return `${value / factor} ${unit}`
}

export const formatCodes = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ')
