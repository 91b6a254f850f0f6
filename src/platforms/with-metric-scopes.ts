import type { ReconnectGains } from '../../schemas/account.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Networks } from './adapters.ts'
import type { AnyAdapter } from './contract/adapter.ts'
import type { OAuth } from './contract/oauth.ts'
import { mapNetworks } from './networks.ts'
import { offeredTo } from './offered-metrics.ts'

/** The same networks, whose accounts are also asked for the scopes that reading numbers needs. */
export const withMetricScopes = (networks: Networks): Networks =>
  mapNetworks(({ metrics }, id): AnyAdapter => {
    const { oauth, ...adapter } = networks[id]
    const scopes = metrics.offered.flatMap(({ scope }) => (scope && !metrics.appsNameScopes ? [scope] : []))
    return oauth ? { ...adapter, oauth: askingFor(scopes, oauth) } : adapter
  })

interface Account {
  platform: PlatformId
  externalId: string | null
  /** The scopes that it has granted; null if it was connected by credentials. */
  scopes: readonly string[] | null
  /** The scopes that its owner's app asks for; null for those of the network. */
  appScopes: readonly string[] | null
}

/** The scopes for numbers that connecting an account again would ask for, and the numbers that need them. */
export function findMetricGains(networks: Networks, account: Account): ReconnectGains | undefined {
  // A rest of the account would copy each of its columns, which took 7 % of the CPU time of `listAccounts`.
  const { scopes, appScopes } = account
  const asked = appScopes ?? networks[account.platform].oauth?.scopes
  if (!asked || !scopes) return undefined
  const gained = offeredTo(account).filter(
    ({ scope }) => scope !== undefined && asked.includes(scope) && !scopes.includes(scope),
  )
  if (gained.length === 0) return undefined
  return { scopes: [...new Set(gained.map(({ scope }) => scope!))], metrics: gained.map(({ metric }) => metric) }
}

function askingFor(more: readonly string[], oauth: OAuth): OAuth {
  const scopes = [...new Set([...oauth.scopes, ...more])]
  if (scopes.length === oauth.scopes.length) return oauth
  // An app may have scopes of its own.
  return {
    ...oauth,
    scopes,
    begin: (authorization, io) => oauth.begin({ scopes, ...authorization }, io),
    finish: (authorization, io) => oauth.finish({ scopes, ...authorization }, io),
  }
}
