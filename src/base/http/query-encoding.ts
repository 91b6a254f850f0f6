import type { TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Issue } from '../../../schemas/error.ts'
import { invalidRequest } from '../errors.ts'

const NOT_UTF8 = 'Not valid UTF-8 in percent-encoding: send é as %C3%A9, and % as %25'

/**
 * Rejects parameters of a query that are not UTF-8, for every route of its scope. Fastify reads `%ff` as these three
 * characters, which is what `%25ff` means. Parameters that the operation ignores are not checked.
 */
export const queryEncoding = fp(async (app: FastifyInstance) => {
  app.addHook('preHandler', (request, _reply, done) => {
    const { url = '' } = request.raw
    const start = url.indexOf('?') + 1
    // Most requests have nothing to decode. They must cost nothing.
    if (start > 0 && url.includes('%', start)) {
      const schema = request.routeOptions.schema?.querystring as TSchema | undefined
      requireUtf8(url.slice(start), schema?.properties ?? {})
    }
    done()
  })
})

/** Throws 400 for each of these parameters whose value is not UTF-8. */
function requireUtf8(query: string, known: object): void {
  const issues = query.split('&').flatMap((pair): Issue[] => {
    const [name = ''] = pair.split('=', 1)
    return Object.hasOwn(known, name) && !isEncodedUtf8(pair)
      ? [{ code: 'custom', path: [name], message: NOT_UTF8 }]
      : []
  })
  if (issues.length > 0) throw invalidRequest(issues)
}

function isEncodedUtf8(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
