import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OperatorError } from '../../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { urlOf } from './server.ts'

export interface MetricsServer {
  /** The URL, for the operator; empty without METRICS_PORT. */
  facts: Record<string, string>
  close(): Promise<void>
}

/** Serves `GET /metrics` alone on METRICS_PORT, where set. Throws an OperatorError if the port cannot be used. */
export async function serveMetrics({ host, metricsPort }: Config, metrics: Metrics): Promise<MetricsServer> {
  if (metricsPort === undefined) return { facts: {}, close: async () => {} }
  const server = createServer(({ method, url = '' }, response) => {
    if (method === 'GET' && /^\/metrics(?:\?|$)/.test(url)) void respond(metrics, response)
    else response.writeHead(404).end()
  })
  server.listen(metricsPort, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(
      `METRICS_PORT ${metricsPort} cannot be used (${code}): each process needs a port of its own`,
    )
  }
  const { port } = server.address() as AddressInfo
  return {
    facts: { metrics: `${urlOf(host, port)}/metrics` },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function respond({ registry, render }: Metrics, response: ServerResponse): Promise<void> {
  try {
    const body = await render()
    response.writeHead(200, { 'content-type': registry.contentType }).end(body)
  } catch {
    response.writeHead(500).end()
  }
}
