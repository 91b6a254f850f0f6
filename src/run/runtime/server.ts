import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { OperatorError } from '../../base/errors.ts'
import type { Config } from '../config/config.ts'
import { releaseMemory } from './memory.ts'

/** Listens, and returns the URL. Throws an OperatorError if the host or port cannot be used. */
export async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  await app.ready()
  releaseMemory()
  try {
    // For the name localhost, Fastify would open a second server on ::1, which the handlers on `app.server` do not see.
    const address = host === 'localhost' ? '127.0.0.1' : host
    await app.listen({ host: address, port, listenTextResolver: (url) => `listening on ${url}` })
  } catch (error) {
    throw explainListenError(error as NodeJS.ErrnoException, host, port)
  }
  return addressOf(app, { host })
}

/** The URL of an application that listens. */
export const addressOf = (app: FastifyInstance, { host }: Pick<Config, 'host'>): string =>
  urlOf(host, (app.server.address() as AddressInfo).port)

/** The URL of a server that listens on `host`. */
export function urlOf(host: string, port: number): string {
  const name = host === '127.0.0.1' || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function explainListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} is taken. Stop the process that uses it, or set another port: PORT=${port + 1} make start`,
      )
    case 'EACCES':
      return new OperatorError(`Port ${port} needs privileges. Set a port above 1023: PORT=3000 make start`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(
        `HOST ${host} is not a local address. Set it to 127.0.0.1, or to 0.0.0.0 for all local addresses`,
      )
    default:
      return error
  }
}
