import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'

/**
 * The security headers of every response. They are constant, so helmet computes them once. Its Fastify plugin evaluates
 * the whole configuration for every request, which takes as long as the rest of the framework.
 */
export function browserHeaders(): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Over plain HTTP, browsers ignore these two and log a warning.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    // For obsolete browsers.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
  setHeaders(request, response, () => {})
  return { ...response.getHeaders() }
}
