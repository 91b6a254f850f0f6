import type { LimitUnit } from '../../../schemas/limit-unit.ts'
import type { ViolationFacts } from './violation.ts'

/** Adds a violation of one file. `problem` completes the message after the name of the file. */
export type AddFileViolation = (
  name: string,
  problem: string,
  facts: Omit<ViolationFacts, 'path' | 'mediaId' | 'fileName'>,
) => void

/** Adds a violation if `actual`, or `compared` in its place, is out of the range. */
export type CheckBounds = (name: string, unit: LimitUnit, actual: Fact, range: Range, what: string) => void

interface Range {
  min?: number | undefined
  max?: number | undefined
  compared?: Fact
}

export type Fact = number | null
