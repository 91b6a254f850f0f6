import { fail } from '../../../base/errors.ts'

/** The bytes of a request: a piece of a file of `total` bytes. Without `piece`, it asks to complete the file. */
export interface ContentRange {
  total: number
  piece: { first: number; last: number } | undefined
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-14.4. 15 digits are exact numbers. */
const FORM = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/i

/** Reads the header of a request. Throws 400 for a malformed one, and for one that its length contradicts. */
export function readContentRange(header: string | undefined, length: number | undefined): ContentRange | undefined {
  if (header === undefined) return undefined
  const [isRange, from, to, size] = FORM.exec(header) ?? []
  if (!isRange) throw fail('upload_range', 'Content-Range must be like bytes 0-1048575/12582912, or bytes */12582912')
  const total = Number(size)
  if (total === 0) throw fail('upload_range', 'Content-Range must be that of a file with at least one byte')
  const piece = from === undefined ? undefined : { first: Number(from), last: Number(to) }
  if (piece && !(piece.first <= piece.last && piece.last < total)) {
    throw fail('upload_range', `Content-Range is not within a file of ${total} bytes: ${header}`)
  }
  const expected = piece ? piece.last - piece.first + 1 : 0
  if (length !== undefined && length !== expected) throw otherLength(length, expected)
  return { total, piece }
}

/** The error of a body that its Content-Range contradicts. */
export const otherLength = (actual: number | string, expected: number) =>
  fail('upload_range', `The body has ${actual} bytes, but by its Content-Range ${expected}`)
