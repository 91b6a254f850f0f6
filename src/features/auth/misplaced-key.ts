import type { FastifyRequest } from 'fastify'
import { MisplacedKey } from '../../base/errors.ts'

/** The start of a key or an access token, which may be mistyped. The whole of it is a secret, and never repeated. */
const LIKE_KEY = /(?:^|[^0-9A-Za-z]|bearer)pr(?:at)?_[0-9A-Za-z]/i

const EXPECTED = 'send Authorization: Bearer pr_...'

/**
 * The error for a request with an API key that is not in its place; undefined for one without a key. Only a request
 * that fails is searched.
 */
export function findMisplacedKey({ headers: { authorization = '', ...headers }, url }: FastifyRequest) {
  if (LIKE_KEY.test(authorization)) {
    const [, scheme] = /^([A-Za-z-]{1,20})[ \t:]/.exec(authorization) ?? []
    const isOther = scheme !== undefined && scheme.toLowerCase() !== 'bearer'
    return new MisplacedKey(
      isOther
        ? `The scheme is Bearer, not ${scheme}: ${EXPECTED}`
        : `The scheme and a space precede the key: ${EXPECTED}`,
    )
  }
  const name = Object.keys(headers).find((name) => LIKE_KEY.test(String(headers[name])))
  if (name !== undefined) return new MisplacedKey(`The header ${name.slice(0, 40)} is not read: ${EXPECTED}`)
  const query = url.slice(url.indexOf('?') + 1 || url.length)
  if (LIKE_KEY.test(query))
    return new MisplacedKey(`A key in the address is not read, and logs may keep it: ${EXPECTED}`)
  return undefined
}
