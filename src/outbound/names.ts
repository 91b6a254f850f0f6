import { Resolver } from 'node:dns/promises'

/** All addresses of a name; none, or a rejection, where it has none. */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>

/**
 * Asks the name servers, both kinds of address at once. The system's own way would hold one of the few threads that the
 * process has for names and files as long as a server keeps silent, and no time limit would give it back.
 */
export const resolveName: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const [v4, v6] = await Promise.all([
    resolver.resolve4(hostname).catch(() => []),
    resolver.resolve6(hostname).catch(() => []),
  ])
  return [...v4.map((address) => ({ address, family: 4 })), ...v6.map((address) => ({ address, family: 6 }))]
}
