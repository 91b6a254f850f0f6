import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../../../schemas/errors.ts'
import { AppError } from '../errors.ts'

const REPORT_MS = 1_000

type Failure = { reqId: string } & ({ err: unknown } | { errorCode: ErrorCode; reason: string })

/** The failures of one code since the last line. */
interface Unreported {
  count: number
  last: Failure | undefined
}

const unreported = new WeakMap<FastifyBaseLogger, Map<ErrorCode, Unreported>>()

/** Logs the failure of a request. `repeats` is the code of an error that thousands of requests may have at a time. */
export function logFailure({ id: reqId, log }: FastifyRequest, err: unknown, repeats: ErrorCode | undefined): void {
  if (repeats === undefined) log.error({ reqId, err }, 'request failed')
  else logOncePerSecond(log, repeats, { reqId, ...describe(err) })
}

/** The place at which the service refuses a request says nothing about why. */
const describe = (err: unknown) => (err instanceof AppError ? { errorCode: err.code, reason: err.message } : { err })

/** One line a second and code, with the latest error and the count of requests. */
function logOncePerSecond(log: FastifyBaseLogger, code: ErrorCode, failure: Failure): void {
  const codes = unreported.get(log) ?? new Map<ErrorCode, Unreported>()
  unreported.set(log, codes)
  const before = codes.get(code)
  if (before) {
    before.count++
    before.last = failure
    return
  }
  log.error(failure, 'request failed')
  report(log, codes, code)
}

function report(log: FastifyBaseLogger, codes: Map<ErrorCode, Unreported>, code: ErrorCode): void {
  const next: Unreported = { count: 0, last: undefined }
  codes.set(code, next)
  setTimeout(() => {
    codes.delete(code)
    if (!next.last) return
    log.error({ ...next.last, count: next.count }, 'requests failed')
    report(log, codes, code)
  }, REPORT_MS).unref()
}
