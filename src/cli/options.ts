import { InvalidArgumentError } from 'commander'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { parseTime } from '../../schemas/time.ts'
import { isTimeZone, unknownZoneMessage } from '../features/posts/time-zone.ts'

/** Parsers of arguments and option values. Each throws an error that commander prints with the name of the option. */

export function parseText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

export function parsePositiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw new InvalidArgumentError('It must be a whole number above 0.')
  }
  return Number(text)
}

export const LIMIT_DEFAULT = 50
export const LIMIT_MAX = 10_000

export function parseLimit(text: string): number {
  const limit = parsePositiveInteger(text)
  if (limit > LIMIT_MAX) throw new InvalidArgumentError(`It must be at most ${LIMIT_MAX}.`)
  return limit
}

/** The maximum is that of an integer column. */
export function parsePixels(text: string): number {
  const value = parsePositiveInteger(text)
  if (value > 0x7fffffff) throw new InvalidArgumentError('It must be at most 2147483647.')
  return value
}

export function parseSeconds(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds, such as 21.5.')
  return Number(text)
}

export function parseInstant(text: string): Date {
  const result = parseTime(text)
  if ('problem' in result) throw new InvalidArgumentError(`${result.problem}. Write it like 2027-01-31T09:30:00Z.`)
  return result.time
}

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time, or how long ago it was. */
export function parseSince(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count && unit) return new Date(Date.now() - Number(count) * UNITS_MS[unit]!)
  const result = parseTime(text)
  if ('problem' in result) throw new InvalidArgumentError('Write it like 24h, 7d or 2027-01-31T09:30:00Z.')
  return result.time
}

export function parseHttpUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new InvalidArgumentError('It must be like http://localhost:4000/events.')
  }
  return text
}

export function parseMimeType(text: string): string {
  if (!/^[a-z]+\/[a-z0-9][a-z0-9.+-]*$/.test(text)) throw new InvalidArgumentError('It must be like image/jpeg.')
  return text
}

export function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !SCOPE_NAMES.includes(name as Scope))
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`"${unknown}" is not one of ${SCOPE_NAMES.join(', ')}.`)
  }
  return [...new Set(names)] as Scope[]
}

export const parseIds = (text: string): string[] => [...new Set(text.split(',').map((id) => id.trim()))]

export function parseTimeZone(name: string): string {
  if (!isTimeZone(name)) throw new InvalidArgumentError(`${unknownZoneMessage(name)}.`)
  return name
}
