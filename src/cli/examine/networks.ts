import type { Db } from '../../../db/client.ts'
import { listRestrictedApps } from '../../../db/queries/delivery/limits.ts'
import { createNetworks } from '../../platforms/adapters.ts'
import {
  type ApiVersion,
  describeEnd,
  findEnding,
  hasEnded,
  listApiVersions,
  MEND_VERSION,
} from '../../platforms/api-versions.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { findOldSources } from '../../platforms/rule-sources.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** The versions of networks' APIs. No network is called. */
export function examineNetworks(versions: readonly ApiVersion[], now: Date): Finding {
  const ending = findEnding(versions, now)
  if (ending.length > 0) {
    const status = ending.some((version) => hasEnded(version, now)) ? 'wrong' : 'warning'
    return {
      check: 'networks',
      status,
      message: ending.map((version) => describeEnd(version, now)).join('; '),
      mend: MEND_VERSION,
    }
  }
  const listed = versions.map(
    ({ platform, name, endsAt }) => `${platform} ${name} until ${endsAt.toISOString().slice(0, 10)}`,
  )
  return ok('networks', `versions of APIs: ${listed.join(', ')}`)
}

/** The age of the rules: networks do not announce each change. */
export function examineRules(now: Date): Finding {
  const old = Object.entries(NETWORKS).flatMap(([id, network]) => {
    const pages = findOldSources(network, now).map(({ url, seenAt }) => `${url} (${seenAt})`)
    return pages.length > 0 ? [`${id}: ${pages.join(', ')}`] : []
  })
  if (old.length === 0) return ok('rules', 'all rules of networks were compared with their pages within six months')
  return {
    check: 'rules',
    status: 'warning',
    message: `rules were last compared with these pages more than six months ago: ${old.join('; ')}`,
    mend: 'Upgrade Postroom. If there is no newer release, compare posts that a network rejects with its page.',
  }
}

/** The apps that their networks restrict: no account of them is published to. */
export async function examineApps(db: Db): Promise<Finding> {
  const apps = await listRestrictedApps(db)
  if (apps.length === 0) return ok('apps', 'no network restricts an app')
  const described = apps.map(
    ({ key, accounts, message, until }) => `${key} (${accounts} accounts), until ${until.toISOString()}: ${message}`,
  )
  return wrong('apps', described.join('; '), MEND_APPS)
}

export const MEND_APPS =
  'Do what the network asks for, in the settings of the app at the network. Then the posts of its accounts follow within an hour.'

/** The sandbox, which alone needs a database, has no API. */
export const readApiVersions = (): ApiVersion[] => listApiVersions(createNetworks(NO_SANDBOX))

const NO_SANDBOX = {} as Parameters<typeof createNetworks>[0]
