import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Metrics } from './metrics.ts'

interface RouteConfig {
  method?: string | string[]
  url?: string
}

interface Observer {
  observe(seconds: number): void
}

/**
 * Measures every request. Routes are labelled by their template, and all requests without a route alike: a URL would
 * make as many series as there are posts.
 */
export const requestMetrics = fp(async (app: FastifyInstance, { requests }: Pick<Metrics, 'requests'>) => {
  // By route and status: to look up a child of the histogram by its labels costs more than to observe a value.
  const observers = new WeakMap<object, Map<number, Observer>>()

  function createObserver({ method = 'any', url = 'none' }: RouteConfig, status: number): Observer {
    return requests.labels({ method: String(method), route: url, status })
  }

  app.addHook('onResponse', (request, { statusCode, elapsedTime }, done) => {
    const { config } = request.routeOptions
    let byStatus = observers.get(config)
    if (!byStatus) {
      byStatus = new Map()
      observers.set(config, byStatus)
    }
    let observer = byStatus.get(statusCode)
    if (!observer) {
      observer = createObserver(config, statusCode)
      byStatus.set(statusCode, observer)
    }
    observer.observe(elapsedTime / 1000)
    done()
  })
})
