import { isIP } from 'node:net'
import { withTimeout } from '../with-timeout.ts'
import { isPublicAddress } from './addresses.ts'
import { type AllowedHost, isListed, isListedName } from './allow-list.ts'
import { type Address, isAbsent, type Resolve, resolveListedName, resolveName } from './names.ts'

export interface ReachOptions {
  resolve: Resolve
  /** The same for the names in `allowList`. */
  resolveListed: Resolve
  /** Hosts that are allowed although they are not public. */
  allowList: AllowedHost[]
  /** Whether connections to an IP address are allowed. */
  isAllowed(address: string): boolean
  /** The certificate authorities (PEM) to trust; Node's own if undefined. */
  ca: string | undefined
  resolveMaxMs: number
}

/** The rules for every connection to an address that a user names. */
export interface Reach {
  /**
   * The addresses of a name or of an IP literal, all of them allowed. Throws a NotPublicError for every other host, and
   * a LookupError if no name server responds.
   */
  addressesOf(hostname: string, port: number): Promise<Address[]>
  /** Options for `net.connect` and `tls.connect`. */
  connectOptions: { ca: string | undefined; autoSelectFamily: true; rejectUnauthorized: true }
}

/**
 * A host that does not exist, or must not be connected to. Both look the same, so that callers learn nothing about the
 * network of this service.
 */
export class NotPublicError extends Error {
  readonly code = 'ENOTFOUND'

  constructor(hostname: string) {
    super(`ENOTFOUND ${hostname}`)
  }
}

/** Nobody has said whether a host exists. */
export class LookupError extends Error {
  readonly code = 'EAI_AGAIN'

  constructor(hostname: string) {
    super(`EAI_AGAIN ${hostname}`)
  }
}

/** By default, only addresses on the public internet, and what `allowList` names, are allowed. */
export function createReach(options: Partial<ReachOptions>): Reach {
  const { resolve, resolveListed, allowList, isAllowed, ca, resolveMaxMs }: ReachOptions = {
    resolve: resolveName,
    resolveListed: resolveListedName,
    allowList: [],
    isAllowed: isPublicAddress,
    ca: undefined,
    resolveMaxMs: 5_000,
    ...options,
  }
  const find = (hostname: string) => (isListedName(allowList, hostname) ? resolveListed : resolve)(hostname)
  return {
    async addressesOf(hostname, port) {
      const literal = hostname.replace(/^\[|\]$/g, '')
      const family = isIP(literal)
      const addresses = family
        ? [{ address: literal, family }]
        : await withTimeout(resolveMaxMs, find(hostname)).catch((error) => {
            if (isAbsent(error)) return []
            throw new LookupError(hostname)
          })
      // One address that is not allowed makes the name invalid, because Node would choose among them.
      if (
        addresses.length === 0 ||
        !addresses.every(({ address }) => isAllowed(address) || isListed(allowList, literal, address, port))
      ) {
        throw new NotPublicError(hostname)
      }
      return addresses
    },
    // Node tries one address only unless autoSelectFamily is set. NODE_TLS_REJECT_UNAUTHORIZED could turn off the
    // certificate check if it was not set here.
    connectOptions: { ca, autoSelectFamily: true, rejectUnauthorized: true },
  }
}
