import { AsyncLocalStorage } from 'node:async_hooks'

/** The paths of the service that access tokens are for. */
export const RESOURCES = ['/mcp', '/api/v1'] as const
export type Resource = (typeof RESOURCES)[number]

const callers = new AsyncLocalStorage<Resource>()

/** Runs `call`, a request of this process to itself, with the access tokens of `resource`. */
export const callThrough = <T>(resource: Resource, call: () => Promise<T>) => callers.run(resource, call)

/** The resource through which this process calls itself; undefined in a request from outside. */
export const calledThrough = (): Resource | undefined => callers.getStore()
