import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

/*
 * Preloaded by processes whose network is a server of the test: the name in its certificate leads to this machine.
 */

const { lookup } = dns.promises
dns.promises.lookup = (async (name: string, options: dns.LookupAllOptions) =>
  name === 'files.example' ? [{ address: '127.0.0.1', family: 4 }] : lookup(name, options)) as typeof lookup
syncBuiltinESMExports()
