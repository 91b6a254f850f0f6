import type { FastifyRequest } from 'fastify'

/**
 * Logs a step of OAuth with the id of its request. A client that fails says little about why; the steps show where it
 * has stopped.
 */
export function noteStep(request: FastifyRequest, step: string, facts: Record<string, unknown>): void {
  request.log.info({ reqId: request.id, step, ...facts }, 'oauth')
}
