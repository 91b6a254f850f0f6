import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Scope } from '../../../schemas/scopes.ts'
import { fail } from '../../base/errors.ts'
import { requireScope } from '../../base/http/rights.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that the API key needs; null if any key will do. */
    scope?: Scope | null
    /** Whether keys that are limited to some accounts may call the operation. */
    takesAccountLists?: boolean
  }
}

/** Requires that the API key has the scope of the operation, for every route of its scope, before the body is read. */
export const scopes = fp(async (app: FastifyInstance) => {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.scope === undefined) throw new Error(`${method} ${url} does not say which scope it requires`)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const { scope, takesAccountLists } = request.routeOptions.config
    if (scope) requireScope(request.rights, scope)
    if (scope && request.rights.accountIds && !takesAccountLists) {
      throw fail('account_list')
    }
    done()
  })
})
