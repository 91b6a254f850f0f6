import { INVALID_REQUEST, type Issue } from '../schemas/error.ts'

/** An outcome that the caller is told about, in these words. Anything else that is thrown is an opaque 500. */
export class AppError extends Error {
  readonly statusCode: 400 | 401 | 403 | 404 | 409 | 412 | 413 | 416 | 502 | 503
  /** What is wrong with the shape of the request. */
  readonly details: Issue[] | undefined

  constructor(statusCode: AppError['statusCode'], message: string, details?: Issue[]) {
    super(message)
    this.statusCode = statusCode
    this.details = details
  }
}

/** How many issues one answer lists at most. */
export const ISSUES_MAX = 20

/** A 400 that lists what is wrong with the shape of the request. */
export const invalidRequest = (issues: Issue[]) => new AppError(400, INVALID_REQUEST, issues.slice(0, ISSUES_MAX))

export const fileTooLarge = (bytesMax: number) => new AppError(413, `File is larger than ${bytesMax} bytes`)
