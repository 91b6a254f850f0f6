import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { Agent, buildConnector, type Dispatcher, fetch as undiciFetch } from 'undici'
import { type DownloadOptions, download, portOf } from './download.ts'
import { createReach, LookupError, type Reach, type ReachOptions } from './reach.ts'

export type { Dispatcher }

/**
 * The client for addresses that users name. It connects to the public internet and listed hosts only, checks the
 * addresses that it then connects to, and ignores the proxies of the environment.
 */
export interface PublicClient {
  /**
   * Like the global `fetch`, with pooled connections. A host that is not public fails with ENOTFOUND. EAI_AGAIN
   * says that no name server responds.
   */
  fetch: typeof fetch
  /** The connections of `fetch`, for callers that send many requests: it takes a third of the CPU time. */
  dispatcher: Dispatcher
  /** Returns the body of a GET as a stream, which the caller has to read or destroy. Follows redirects. */
  download(url: URL, options: DownloadOptions): Promise<Readable>
  /** False for a host that does not exist or must not be connected to. True if no name server responds. */
  isReachable(host: { hostname: string; port: number }): Promise<boolean>
}

export function createPublicClient(options: Partial<ReachOptions> = {}): PublicClient {
  const reach = createReach(options)
  const dispatcher = createDispatcher(reach)
  // undici's types are those of another version than Node's, and equivalent.
  const publicFetch = undiciFetch as (input: unknown, init: object) => Promise<Response>
  return {
    // undici's own `fetch`, because Node's does not accept a dispatcher of another undici version.
    fetch: (input, init) => publicFetch(input, { ...init, dispatcher }),
    dispatcher,
    download: (url, options) => download(reach, url, options),
    isReachable: ({ hostname, port }) =>
      reach.addressesOf(hostname, port).then(
        () => true,
        (error) => error instanceof LookupError,
      ),
  }
}

/** For calls without a signal. A server may take minutes to process a video before it responds. */
const SILENCE_MAX_MS = 600_000

function createDispatcher({ addressesOf, connectOptions }: Reach): Dispatcher {
  const connectorTo = (port: number) =>
    buildConnector({
      ...connectOptions,
      lookup: (hostname, _options, callback) => {
        addressesOf(hostname, port).then(
          (addresses) => callback(null, addresses),
          (error) => callback(error, []),
        )
      },
    })
  // A connector keeps TLS sessions, and cannot tell `lookup` the port.
  const connectToHttps = connectorTo(443)
  return new Agent({
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      const port = portOf({ port: options.port, protocol: options.protocol })
      const connect = port === 443 ? connectToHttps : connectorTo(port)
      // Node does not call `lookup` for an IP literal.
      if (!isIP(host)) connect(options, callback)
      else {
        addressesOf(host, port).then(
          () => connect(options, callback),
          (error) => callback(error, null),
        )
      }
    },
    headersTimeout: SILENCE_MAX_MS,
    bodyTimeout: SILENCE_MAX_MS,
  })
}
