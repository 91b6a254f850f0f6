import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'

/**
 * The headers of every answer that tell browsers to be careful. They are the same for each, and so helmet is asked once:
 * its plugin for Fastify reads its whole configuration again for every request, which takes as long as all the rest of the
 * framework does.
 */
export function browserHeaders(): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // By plain http, browsers ignore these two and complain.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    // Of browsers that are gone.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
  setHeaders(request, response, () => {})
  return { ...response.getHeaders() }
}
