import type { Db } from '../../../db/client.ts'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import { createPublicClient } from '../../base/outbound/client.ts'
import type { NetworkContext } from '../../features/accounts/store.ts'
import { createNetworks, type Networks } from '../../platforms/adapters.ts'
import { withMetricScopes } from '../../platforms/with-metric-scopes.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { measureNetworks } from '../metrics/networks.ts'
import { openKeyring } from './keyring.ts'

/** Opens what both connecting an account and publishing to it need. */
export const openNetworkContext = async (config: Config, db: Db, metrics: Metrics): Promise<NetworkContext> => ({
  db,
  networks: measureNetworks(openNetworks(config, db), metrics),
  keyring: await openKeyring(config),
  fetch: createPublicClient({ allowList: config.outboundAllow }).fetch,
  oauthApps: config.oauthApps,
})

const openNetworks = ({ postMetrics }: Config, db: Db): Networks => {
  const networks = createNetworks(sandboxStore(db))
  return postMetrics === 'off' ? networks : withMetricScopes(networks)
}
