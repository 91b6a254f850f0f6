import type { Reading, UnparsedResponse } from '../../platforms/contract/io.ts'
import { READING_KEPT_MS } from './timing.ts'

/**
 * The data that a worker has read of an account to find acts whose responses were lost. It serves all deliveries that
 * wait.
 */
interface AccountReading {
  /** By `uptimeMs`. */
  startedAt: number
  reading: Reading
  /** The same, without a call: throws a NotRead if one would be needed. */
  recalled: Reading
}

/** The result of a query needs a call. */
export class NotRead extends Error {}

export interface Readings {
  /** The last reading of an account. */
  last(accountId: string): AccountReading | undefined
  /** Begins a new one, which takes over constant data from the last one. */
  begin(accountId: string): AccountReading
}

/**
 * Limits for all responses that a worker keeps, and for those of one reading: a hostile instance can fill every page.
 */
const BYTES_MAX = 16 * 1_048_576
const READING_BYTES_MAX = 4 * 1_048_576

interface Kept extends AccountReading {
  constant: Map<string, UnparsedResponse>
  changing: Map<string, UnparsedResponse>
}

/** Keeps the readings of one worker for some minutes. */
export function createReadings(uptimeMs: () => number): Readings {
  /** In the order in which they began. */
  const kept = new Map<string, Kept>()

  function removeOld(): void {
    let bytes = kept.values().reduce((sum, reading) => sum + bytesOf(reading), 0)
    for (const [accountId, reading] of kept) {
      if (bytes <= BYTES_MAX && uptimeMs() - reading.startedAt <= READING_KEPT_MS) return
      bytes -= bytesOf(reading)
      kept.delete(accountId)
    }
  }

  return {
    last(accountId) {
      removeOld()
      return kept.get(accountId)
    },
    begin(accountId) {
      removeOld()
      const constant = kept.get(accountId)?.constant ?? new Map<string, UnparsedResponse>()
      const changing = new Map<string, UnparsedResponse>()
      const reading: Reading = async (url, isConstant, call) => {
        if (url === null) return call()
        const known = constant.get(url) ?? changing.get(url)
        if (known) return known
        const response = await call()
        const isSmall = bytesOf({ constant, changing }) + sizeOf(response) <= READING_BYTES_MAX
        if (isSmall) (isConstant ? constant : changing).set(url, response)
        return response
      }
      const recalled: Reading = (url, isConstant) => reading(url, isConstant, () => Promise.reject(new NotRead()))
      const begun = { startedAt: uptimeMs(), reading, recalled, constant, changing }
      kept.delete(accountId)
      kept.set(accountId, begun)
      return begun
    },
  }
}

const bytesOf = ({ constant, changing }: Pick<Kept, 'constant' | 'changing'>): number =>
  [...constant.values(), ...changing.values()].reduce((sum, response) => sum + sizeOf(response), 0)

/** A character takes two bytes if the text has one that is not Latin. */
const sizeOf = ({ text, headers }: UnparsedResponse): number =>
  2 * [...headers].reduce((sum, [name, value]) => sum + name.length + value.length, text.length)
