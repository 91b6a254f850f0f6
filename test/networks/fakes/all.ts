import type { ConnectAccount } from '../../../schemas/connect.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Teardown } from '../../helpers/database.ts'
import { blueskyScene } from './bluesky.ts'
import { discordScene } from './discord.ts'
import { facebookScene } from './facebook.ts'
import { googleBusinessScene } from './google-business.ts'
import { instagramScene } from './instagram.ts'
import { linkedinScene } from './linkedin.ts'
import { mastodonScene } from './mastodon.ts'
import type { FakeNetwork } from './network.ts'
import { pinterestScene } from './pinterest.ts'
import { redditScene } from './reddit.ts'
import type { Scene } from './scene.ts'
import { telegramScene } from './telegram.ts'
import { threadsScene } from './threads.ts'
import { tiktokScene } from './tiktok.ts'
import { xScene } from './x.ts'
import { youtubeScene } from './youtube.ts'

// biome-ignore lint/suspicious/noExplicitAny: each scene gets its own fake
type AnyScene = Scene<any>

/** All fakes. The sandbox needs none. A network without a fake does not compile. */
export const SCENES = {
  bluesky: blueskyScene,
  mastodon: mastodonScene,
  telegram: telegramScene,
  discord: discordScene,
  facebook: facebookScene,
  instagram: instagramScene,
  threads: threadsScene,
  x: xScene,
  linkedin: linkedinScene,
  google_business: googleBusinessScene,
  tiktok: tiktokScene,
  pinterest: pinterestScene,
  reddit: redditScene,
  youtube: youtubeScene,
} satisfies Record<Exclude<PlatformId, 'sandbox'>, AnyScene>

type FakeId = keyof typeof SCENES

export type Fakes = { [id in FakeId]: Awaited<ReturnType<(typeof SCENES)[id]['start']>> }

export const sceneOf = (id: PlatformId): AnyScene | undefined => (id === 'sandbox' ? undefined : SCENES[id])

/** An account that can be connected, and its network. */
interface Connectable extends ReturnType<NonNullable<Scene<FakeNetwork>['connectable']>> {
  body: ConnectAccount
  account: { platform: string; username: string; displayName: string; textLengthMax?: number }
  network: FakeNetwork
}

/** Starts a fake of every network, and a `fetch` that reaches them and no other host. */
export async function startFakeNetworks(t: Teardown) {
  const ids = Object.keys(SCENES) as FakeId[]
  const fakes = Object.fromEntries(
    await Promise.all(ids.map(async (id) => [id, await SCENES[id].start(t)] as const)),
  ) as Fakes
  const connectable = ids.flatMap((platform): Connectable[] => {
    const scene = sceneOf(platform)!
    const network = fakes[platform]
    if (!scene.connectable) return []
    const { account, ...others } = scene.connectable(network)
    const body = { platform, credentials: scene.account(network).credentials } as ConnectAccount
    return [{ body, account: { platform, ...account }, ...others, network }]
  })
  const byOrigin: Record<string, FakeNetwork> = Object.fromEntries(
    ids.flatMap((id) => SCENES[id].origins.map((origin) => [origin, fakes[id]])),
  )
  const findNetwork = (url: string | URL | Request): FakeNetwork => {
    const network = byOrigin[new URL(String(url)).origin]
    if (!network) throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) })
    return network
  }
  const fetch: typeof globalThis.fetch = async (input, init) => findNetwork(input).fetch(input, init)
  /** The same without connections. */
  const answer: typeof globalThis.fetch = async (input, init) => findNetwork(input).answer(input, init)
  const of = (platform: string) => connectable.find(({ body }) => body.platform === platform)!
  /** Sets the clocks of the networks that have one. */
  const setTime = (now: Date) => {
    for (const network of Object.values(fakes)) if ('setTime' in network) network.setTime(now)
  }
  return { fetch, answer, connectable, of, setTime, ...fakes }
}
