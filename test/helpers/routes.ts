import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

/** Runs `build`, and returns its result with all routes that it adds, which the OpenAPI document need not have. */
export async function collectRoutes<T>(build: () => Promise<T>): Promise<[T, RouteOptions[]]> {
  const routes: RouteOptions[] = []
  const watch = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route))
  subscribe('fastify.initialization', watch)
  try {
    return [await build(), routes]
  } finally {
    unsubscribe('fastify.initialization', watch)
  }
}
