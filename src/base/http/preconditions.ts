import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { BAD_IF_MATCH, IF_MATCH_FORM } from '../../../schemas/precondition.ts'
import { invalidRequest } from '../errors.ts'

/** The strong ETag of a response, whose body is `text` or depends on nothing else. */
export const etagOfText = (text: string | Buffer): string => `"${hash('sha256', text, 'base64url')}"`

/** Whether a request with `If-Match` applies to the resource with this ETag. */
export type IfMatch = (etag: string) => boolean

const FORM = new RegExp(IF_MATCH_FORM)
const TAGS = /(?:W\/)?"[^"]*"/g

/**
 * The condition of `If-Match`; undefined without the header. Throws 400 for a malformed one. Tags are compared
 * strongly, so that a weak one never matches: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
 */
export function readIfMatch({ headers }: Pick<FastifyRequest, 'headers'>): IfMatch | undefined {
  // Node joins repeated headers with a comma.
  const value = headers['if-match']
  if (value === undefined) return undefined
  if (!FORM.test(value)) throw invalidRequest([BAD_IF_MATCH])
  const tags: string[] = value.match(TAGS) ?? []
  return (etag) => value === '*' || tags.includes(etag)
}

/**
 * Whether `If-None-Match` has this ETag. Tags are compared weakly, and a malformed header matches nothing:
 * https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function isKnown({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  const value = headers['if-none-match']
  if (value === undefined) return false
  return value.trim() === '*' || (value.match(TAGS) ?? []).some((tag) => tag.replace(/^W\//, '') === etag)
}
