import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import { isPublicAddress } from './addresses.ts'
import { type Resolve, resolveName } from './names.ts'

interface Reach {
  resolve: Resolve
  mayConnect(address: string): boolean
  /** The authorities (PEM) to trust for https; those that Node knows where undefined. */
  ca: string | undefined
}

/** For what comes without a signal. A server may take minutes over a video before it answers. */
const SILENCE_MAX_MS = 600_000

/**
 * `fetch` that connects to the public internet only, for addresses that users name, and follows no proxy of the
 * environment. A name that does not exist and one that may not be reached fail alike, as an ENOTFOUND: nothing is told
 * about the network that this service is in. Of undici's own, as the one in Node takes no dispatcher of another version.
 */
export function createPublicFetch(reach: Partial<Reach> = {}): typeof fetch {
  const { resolve, mayConnect, ca } = { resolve: resolveName, mayConnect: isPublicAddress, ca: undefined, ...reach }

  // Whatever the name leads to by now, the addresses that are checked are the ones connected to. One that is not public
  // spoils the name: which of its addresses is tried would be up to Node.
  const lookup: LookupFunction = (hostname, _options, callback) => {
    resolve(hostname)
      .catch(() => [])
      .then((addresses) => {
        if (addresses.length === 0 || !addresses.every(({ address }) => mayConnect(address))) {
          callback(notFound(hostname), [])
        } else callback(null, addresses)
      })
  }
  const connect = buildConnector({
    lookup,
    // Without it, Node asks for one address only, and tries no other.
    autoSelectFamily: true,
    // Or the environment could turn it off.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  })

  const dispatcher = new Agent({
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      // A literal address is not looked up.
      if (isIP(host) && !mayConnect(host)) callback(notFound(host), null)
      else connect(options, callback)
    },
    headersTimeout: SILENCE_MAX_MS,
    bodyTimeout: SILENCE_MAX_MS,
  })
  // Its types are those of another version, and say the same.
  const publicFetch = undiciFetch as unknown as (input: unknown, init: object) => Promise<Response>
  return (input, init) => publicFetch(input, { ...init, dispatcher })
}

const notFound = (hostname: string) => Object.assign(new Error(`ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
