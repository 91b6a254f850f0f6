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
import { type Finding, ok } from './finding.ts'

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

/** The age of the networks' rules: nobody says when a network changes one. */
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

/** The sandbox, which alone needs a database, has no API. */
export const readApiVersions = (): ApiVersion[] => listApiVersions(createNetworks(NO_SANDBOX))

const NO_SANDBOX = {} as Parameters<typeof createNetworks>[0]
