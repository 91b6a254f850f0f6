import { codeHeader } from '../error.ts'

interface ErrorResponse {
  description?: string
  'x-examples'?: object
  headers: Record<string, object> & ReturnType<typeof codeHeader>
}

/** The error response of a status with two reasons: those of an operation's `own` response, if it has one, and of `added`. */
export const eitherResponse = (own: unknown, added: ErrorResponse): ErrorResponse =>
  own === undefined ? added : join(own as ErrorResponse, added)

const join = (one: ErrorResponse, other: ErrorResponse): ErrorResponse => ({
  ...one,
  description: `${one.description} Or: ${other.description}`,
  'x-examples': { ...one['x-examples'], ...other['x-examples'] },
  headers: {
    ...one.headers,
    ...other.headers,
    ...codeHeader([one, other].flatMap(({ headers }) => headers['x-error-code'].enum)),
  },
})
