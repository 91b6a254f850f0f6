import type { Networks } from './adapters.ts'
import type { AnyAdapter } from './contract/adapter.ts'
import type { OAuth } from './contract/oauth.ts'
import { mapNetworks } from './networks.ts'

/** The same networks, whose accounts are also asked for the scopes that reading numbers needs. */
export const withMetricScopes = (networks: Networks): Networks =>
  mapNetworks(({ metrics }, id): AnyAdapter => {
    const { oauth, ...adapter } = networks[id]
    const scopes = metrics.offered.flatMap(({ scope }) => (scope && !metrics.appsNameScopes ? [scope] : []))
    return oauth ? { ...adapter, oauth: askingFor(scopes, oauth) } : adapter
  })

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
