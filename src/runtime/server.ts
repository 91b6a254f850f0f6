import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { OperatorError } from '../errors.ts'

/** Listens, and returns the URL. Throws an OperatorError if the host or port cannot be used. */
export async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  await app.ready()
  releaseStartupMemory()
  try {
    // For the name localhost, Fastify would open a second server on ::1, which the handlers on `app.server` do not see.
    const address = host === 'localhost' ? '127.0.0.1' : host
    await app.listen({ host: address, port, listenTextResolver: (url) => `listening on ${url}` })
  } catch (error) {
    throw explainListenError(error as NodeJS.ErrnoException, host, port)
  }
  return urlOf(host, (app.server.address() as AddressInfo).port)
}

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

/**
 * Returns the memory that only the start needed to the system: 40 of 150 MB, which V8 would keep. Without it, an upload can
 * exceed 200 MB, unless the young generation is so small that requests wait for garbage collections.
 * https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
function releaseStartupMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined
  collect?.({ type: 'major', flavor: 'last-resort' })
}
