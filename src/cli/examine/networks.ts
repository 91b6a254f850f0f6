import { createNetworks } from '../../platforms/adapters.ts'
import {
  type ApiVersion,
  describeEnd,
  findEnding,
  hasEnded,
  listApiVersions,
  MEND_VERSION,
} from '../../platforms/api-versions.ts'
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

/** The sandbox, which alone needs a database, has no API. */
export const readApiVersions = (): ApiVersion[] => listApiVersions(createNetworks(NO_SANDBOX))

const NO_SANDBOX = {} as Parameters<typeof createNetworks>[0]
