import { findTextProblem } from '../../../base/http/json.ts'
import { OAuthError } from './oauth-error.ts'

/**
 * A parameter of a request; undefined if it is absent or empty, which is the same:
 * https://www.rfc-editor.org/rfc/rfc6749#section-3.1. Throws `invalid_request` for one that is repeated.
 */
export function readParameter(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name)
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} is repeated: send it once`)
  const value = values[0]
  if (value !== undefined && findTextProblem(value)) {
    throw new OAuthError('invalid_request', `${name} has characters that cannot be stored: remove them`)
  }
  return value || undefined
}

export function requireParameter(parameters: URLSearchParams, name: string): string {
  const value = readParameter(parameters, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing: send it`)
  return value
}
