import type { PlatformId } from '../../schemas/platform.ts'
import { blueskyNetwork } from './bluesky/network.ts'
import type { Network } from './contract/network.ts'
import { discordNetwork } from './discord/network.ts'
import { facebookNetwork } from './facebook/network.ts'
import { googleBusinessNetwork } from './google_business/network.ts'
import { instagramNetwork } from './instagram/network.ts'
import { linkedinNetwork } from './linkedin/network.ts'
import { mastodonNetwork } from './mastodon/network.ts'
import { pinterestNetwork } from './pinterest/network.ts'
import { redditNetwork } from './reddit/network.ts'
import { sandboxNetwork } from './sandbox/network.ts'
import { telegramNetwork } from './telegram/network.ts'
import { threadsNetwork } from './threads/network.ts'
import { tiktokNetwork } from './tiktok/network.ts'
import { xNetwork } from './x/network.ts'
import { youtubeNetwork } from './youtube/network.ts'

/** All networks. An id of `PLATFORM_IDS` without an entry does not compile. */
export const NETWORKS: Record<PlatformId, Network> = {
  instagram: instagramNetwork,
  facebook: facebookNetwork,
  threads: threadsNetwork,
  x: xNetwork,
  linkedin: linkedinNetwork,
  tiktok: tiktokNetwork,
  youtube: youtubeNetwork,
  pinterest: pinterestNetwork,
  bluesky: blueskyNetwork,
  mastodon: mastodonNetwork,
  telegram: telegramNetwork,
  reddit: redditNetwork,
  google_business: googleBusinessNetwork,
  discord: discordNetwork,
  sandbox: sandboxNetwork,
}

/** Why no app of a network has this client id, such as that of another network; undefined if one may have it. */
export function findClientIdProblem(platform: PlatformId, clientId: string): string | undefined {
  const { name, clientIds } = NETWORKS[platform]
  if (!clientIds || clientIds.pattern.test(clientId)) return undefined
  return `A client id of ${name} is ${clientIds.form}`
}

/** One value for each network. */
export const mapNetworks = <T>(map: (network: Network, id: PlatformId) => T): Record<PlatformId, T> =>
  Object.fromEntries(Object.entries(NETWORKS).map(([id, network]) => [id, map(network, id as PlatformId)])) as Record<
    PlatformId,
    T
  >
