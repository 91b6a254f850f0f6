import type { ConnectAccount } from '../../../schemas/connect.ts'
import type { Teardown } from '../../helpers/database.ts'
import { startBluesky } from './bluesky.ts'
import { startDiscord } from './discord.ts'
import { startFacebook } from './facebook.ts'
import { GOOGLE_BUSINESS_ORIGINS, startGoogleBusiness } from './google-business.ts'
import { startInstagram } from './instagram.ts'
import { startLinkedin } from './linkedin.ts'
import { startMastodon } from './mastodon.ts'
import type { FakeNetwork } from './network.ts'
import { STORAGE, startPinterest } from './pinterest.ts'
import { startReddit } from './reddit.ts'
import { STORAGES } from './reddit-media.ts'
import { startTelegram } from './telegram.ts'
import { startThreads } from './threads.ts'
import { startTiktok } from './tiktok.ts'
import { startX } from './x.ts'
import { startYoutube } from './youtube.ts'

const BLUESKY = 'https://bsky.social'

/** An account that can be connected, and its network. */
export interface Connectable {
  body: ConnectAccount
  /** The account as the service returns it. */
  account: { platform: string; username: string; displayName: string; textLengthMax?: number }
  /** The part of the credentials that no response may contain. */
  secret: string
  network: FakeNetwork
  /** The first call to the network, such as `GET /path`. */
  firstCall: string
}

/** Starts a fake of every network that accounts can be connected to, and a `fetch` that reaches them and no other host. */
export async function startFakeNetworks(t: Teardown) {
  const bluesky = await startBluesky(t)
  const mastodon = await startMastodon(t)
  const telegram = await startTelegram(t)
  const discord = await startDiscord(t)
  const facebook = await startFacebook(t)
  const instagram = await startInstagram(t)
  const threads = await startThreads(t)
  const x = await startX(t)
  const linkedin = await startLinkedin(t)
  const google_business = await startGoogleBusiness(t)
  const tiktok = await startTiktok(t)
  const pinterest = await startPinterest(t)
  const reddit = await startReddit(t)
  const youtube = await startYoutube(t)
  const { webhookUrl } = discord.credentials
  const connectable: Connectable[] = [
    {
      body: { platform: 'bluesky', credentials: bluesky.credentials },
      account: { platform: 'bluesky', username: 'ada.example.com', displayName: 'Ada Lovelace' },
      secret: bluesky.credentials.password,
      network: bluesky,
      firstCall: 'POST /xrpc/com.atproto.server.createSession',
    },
    {
      body: { platform: 'mastodon', credentials: mastodon.credentials },
      account: {
        platform: 'mastodon',
        username: 'alice@mastodon.example',
        displayName: 'Alice A.',
        textLengthMax: mastodon.maxCharacters,
      },
      secret: mastodon.credentials.accessToken,
      network: mastodon,
      firstCall: 'GET /api/v1/accounts/verify_credentials',
    },
    {
      body: { platform: 'telegram', credentials: telegram.credentials },
      account: { platform: 'telegram', username: 'lighthouses', displayName: 'Lighthouses' },
      secret: telegram.credentials.botToken,
      network: telegram,
      firstCall: `POST /bot${telegram.credentials.botToken}/getMe`,
    },
    {
      body: { platform: 'discord', credentials: discord.credentials },
      account: { platform: 'discord', username: 'Captain Hook', displayName: 'Captain Hook' },
      secret: webhookUrl.split('/').at(-1)!,
      network: discord,
      firstCall: `GET ${new URL(webhookUrl).pathname.replace('/api/', '/api/v10/')}`,
    },
  ]
  const byOrigin: Record<string, FakeNetwork> = {
    [BLUESKY]: bluesky,
    'https://video.bsky.app': bluesky,
    'https://plc.directory': bluesky,
    'https://mastodon.example': mastodon,
    'https://api.telegram.org': telegram,
    'https://discord.com': discord,
    'https://graph.facebook.com': facebook,
    'https://graph-video.facebook.com': facebook,
    'https://rupload.facebook.com': facebook,
    'https://graph.instagram.com': instagram,
    'https://graph.threads.net': threads,
    'https://api.x.com': x,
    'https://api.linkedin.com': linkedin,
    'https://www.linkedin.com': linkedin,
    ...Object.fromEntries(GOOGLE_BUSINESS_ORIGINS.map((origin) => [origin, google_business])),
    'https://open.tiktokapis.com': tiktok,
    'https://open-upload.tiktokapis.com': tiktok,
    'https://api.pinterest.com': pinterest,
    [STORAGE]: pinterest,
    'https://oauth.reddit.com': reddit,
    'https://www.reddit.com': reddit,
    [STORAGES.image]: reddit,
    [STORAGES.video]: reddit,
    'https://www.googleapis.com': youtube,
    'https://images.example': youtube,
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const network = byOrigin[new URL(String(input)).origin]
    if (!network) throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) })
    return network.fetch(input, init)
  }
  const of = (platform: string) => connectable.find(({ body }) => body.platform === platform)!
  const networks = {
    ...{ bluesky, mastodon, telegram, discord, facebook, instagram, threads, x, linkedin },
    ...{ google_business, tiktok, pinterest, reddit, youtube },
  }
  /** Sets the clocks of the networks that have one. */
  const setTime = (now: Date) => {
    for (const network of Object.values(networks)) if ('setTime' in network) network.setTime(now)
  }
  return { fetch, connectable, of, setTime, ...networks }
}
