import type { Networks } from './adapters.ts'

/** How long before the end of a version its operator is told: as long as an upgrade may take. */
const ENDS_SOON_MS = 90 * 86_400_000

/** A version of a network's API that Postroom calls. */
export interface ApiVersion {
  platform: string
  name: string
  endsAt: Date
}

export const listApiVersions = (networks: Partial<Networks>): ApiVersion[] =>
  Object.entries(networks).flatMap(([platform, { apiVersion }]) => (apiVersion ? [{ platform, ...apiVersion }] : []))

export const hasEnded = ({ endsAt }: ApiVersion, now: Date): boolean => endsAt <= now

/** The versions that have ended, or end soon. */
export const findEnding = (versions: readonly ApiVersion[], now: Date): ApiVersion[] =>
  versions.filter(({ endsAt }) => endsAt.getTime() - now.getTime() <= ENDS_SOON_MS)

export function describeEnd(version: ApiVersion, now: Date): string {
  const { platform, name, endsAt } = version
  const day = endsAt.toISOString().slice(0, 10)
  const end = hasEnded(version, now)
    ? `ended on ${day}: every post fails`
    : `ends on ${day}: every post fails from then on`
  return `version ${name} of the API of ${platform} ${end}`
}

export const MEND_VERSION = 'Upgrade Postroom to a release that calls a newer version.'
