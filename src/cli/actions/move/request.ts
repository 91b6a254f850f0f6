import { OperatorError } from '../../../base/errors.ts'

interface Unreachable extends Error {
  cause?: { code?: string; message?: string }
}

/** Sends a request. Throws an OperatorError, which begins with `failure`, if no response arrives. */
export const request = (failure: string, url: string, init?: RequestInit): Promise<Response> =>
  fetch(url, init).catch(({ cause, message }: Unreachable) => {
    throw new OperatorError(`${failure} (${cause?.code || cause?.message || message})`)
  })
