import type { PlatformId } from '../../schemas/platform.ts'
import { limitedByBluesky } from '../networks/fakes/bluesky.ts'
import { throttled as throttledPage } from '../networks/fakes/facebook.ts'
import { throttled as throttledProject } from '../networks/fakes/google-business.ts'
import { throttled as throttledMember } from '../networks/fakes/linkedin.ts'
import { throttled as throttledInstance } from '../networks/fakes/mastodon.ts'
import { throttled as throttledToken } from '../networks/fakes/meta.ts'
import type { Reply } from '../networks/fakes/network.ts'
import { throttled as throttledApp } from '../networks/fakes/pinterest.ts'
import { throttled as throttledClient } from '../networks/fakes/reddit-replies.ts'
import { throttled as throttledCreator } from '../networks/fakes/tiktok-requests.ts'
import { throttled as throttledUser } from '../networks/fakes/x-replies.ts'
import { throttled as throttledUploads } from '../networks/fakes/youtube-replies.ts'
import type { Kind } from './network-scene.ts'
import type { createNetworkWorld } from './network-world.ts'

type World = Awaited<ReturnType<typeof createNetworkWorld>>

/**
 * Switches of a fake network. Each returns a function that undoes it. A switch is absent if the network has no such
 * feature.
 */
export interface NetworkControls {
  /** The response to a call above a limit that ends after this many seconds. */
  limited?(seconds: number): Reply
  /** The limit of a network that ends by itself. */
  limitSeconds?: number
  /** The part of the credentials that no error may have. Absent: the network makes no calls. */
  secret?: string
  /** The statuses of refused credentials. Absent: 401 and 403. */
  unauthorized?: readonly number[]
  /** The status of a redirect that means something else to the network. */
  notRedirect?: number
  revokeToken?(): () => void
  expireToken?(): () => void
  /** Whether the call that publishes posts of this kind has the token. Absent: each call has. */
  needsToken?(kind: Kind): boolean
  /** New posts and comments are missing from lists for a while. */
  showLate?(): () => void
  /** Whether the network processes posts of this kind. */
  processes?(kind: Kind): boolean
  /** Processing takes this many looks, or fails. */
  process?(looks: number | 'fails'): () => void
  /** How often a post of a network that sets this itself is claimed. */
  looks?: number
  /** Nothing tells that processing has failed: the post never shows. */
  hidesFailures?: true
}

const LATE_MS = 45_000
const HOUR_MS = 3_600_000

/** Sets properties until they are set back. */
function set<T extends object>(target: T, values: Partial<T>): () => void {
  const before = Object.fromEntries(Object.keys(values).map((key) => [key, target[key as keyof T]]))
  Object.assign(target, values)
  return () => void Object.assign(target, before)
}

const has =
  (...files: Kind['files']) =>
  (kind: Kind) =>
    kind.files.some((file) => files.includes(file))

const CONTROLS: Record<PlatformId, (world: World) => NetworkControls> = {
  bluesky: ({ bluesky }) => ({
    limited: limitedByBluesky,
    secret: bluesky.token,
    processes: has('video'),
    process: (processing) => set(bluesky, { processing }),
  }),
  mastodon: ({ mastodon }) => ({
    limited: (seconds) => throttledInstance(new Date(Date.now() + seconds * 1000)),
    secret: mastodon.credentials.accessToken,
    processes: has('video'),
    process: (looks) => set(mastodon, { processing: looks === 'fails' ? 'The file is damaged' : looks }),
  }),
  telegram: ({ telegram }) => ({
    limited: (seconds) => ({ status: 429, body: { ok: false, parameters: { retry_after: seconds } } }),
    secret: telegram.credentials.botToken,
  }),
  discord: ({ discord }) => ({
    limited: (seconds) => ({ status: 429, body: { message: 'Slow down', retry_after: seconds, global: false } }),
    secret: discord.credentials.webhookUrl.split('/').at(-1)!,
  }),
  // It makes no calls: posts ask for its faults.
  sandbox: () => ({ limitSeconds: 5, processes: ({ act }) => act === 'files', looks: 2 }),
  x: ({ x, time }) => ({
    limited: (seconds) => throttledUser(new Date(Date.now() + seconds * 1000)),
    secret: x.credentials.accessToken,
    revokeToken: () => set(x.grant, { isRevoked: true }),
    // A token works for two hours.
    expireToken() {
      x.setTime(new Date(time.now.getTime() + 2 * HOUR_MS))
      return () => x.setTime(time.now)
    },
    showLate: () => set(x.switches, { showsAfterMs: LATE_MS }),
    processes: has('video'),
    process: (looks) => set(x.media.switches, { processing: looks === 'fails' ? 'Unsupported video codec' : looks }),
  }),
  linkedin: ({ linkedin }) => {
    const token = linkedin.tokens.get(linkedin.member.accessToken!)!
    return {
      limited: (seconds) => throttledMember('Resource level throttle', { 'retry-after': String(seconds) }),
      secret: linkedin.member.accessToken!,
      // A 403 to a comment is about its post.
      unauthorized: [401],
      revokeToken: () => set(token, { status: 'revoked' }),
      expireToken: () => set(token, { status: 'expired' }),
      showLate: () => set(linkedin, { listedAfterMs: LATE_MS }),
      processes: has('image', 'video'),
      process(looks) {
        const processing = looks === 'fails' ? 'The file is damaged' : looks
        return set(linkedin, { processing, imageProcessing: processing })
      },
    }
  },
  facebook: ({ facebook }) => ({
    limited: throttledPage,
    secret: facebook.credentials.accessToken,
    revokeToken: () => set(facebook, { tokenSubcode: 458 }),
    expireToken: () => set(facebook, { tokenSubcode: 463 }),
    showLate: () => set(facebook, { listedAfterMs: LATE_MS }),
    processes: has('video'),
    process: (looks) => set(facebook.video, { processing: looks === 'fails' ? 'The video is damaged' : looks }),
  }),
  google_business: ({ google_business }) => ({
    limited: throttledProject,
    secret: google_business.credentials.accessToken,
    revokeToken: () => set(google_business.grant, { isRevoked: true }),
    expireToken: () => set(google_business.access, { expiresAt: 0 }),
    showLate: () => set(google_business, { listedAfterMs: LATE_MS }),
    // Posts of every kind are processed.
    processes: () => true,
    process: (looks) => set<{ processing: number | 'fails' | 'refused' }>(google_business, { processing: looks }),
  }),
  tiktok: ({ tiktok }) => ({
    limited: (seconds) => ({ ...throttledCreator(), headers: { 'retry-after': String(seconds) } }),
    secret: tiktok.credentials.accessToken,
    revokeToken: () => set(tiktok.grant, { isRevoked: true }),
    expireToken: () => set(tiktok.grant, { isRevoked: true }),
    // The address of an upload is the permission.
    needsToken: (kind) => !has('video')(kind),
    showLate: () => set(tiktok.switches, { idLooks: 2 }),
    processes: () => true,
    process: (looks) => set(tiktok.switches, { processing: looks === 'fails' ? 'file_format_check_failed' : looks }),
  }),
  pinterest: ({ pinterest }) => {
    const token = pinterest.tokens.get(pinterest.credentials.accessToken)!
    return {
      limited: (seconds) => throttledApp({ 'retry-after': String(seconds) }),
      secret: pinterest.credentials.accessToken,
      // A 403 is about rights.
      unauthorized: [401],
      revokeToken: () => set(token, { status: 'revoked' }),
      expireToken: () => set(token, { status: 'expired' }),
      showLate: () => set(pinterest, { listedAfterMs: LATE_MS }),
      processes: has('video'),
      process: (looks) => set(pinterest, { processing: looks === 'fails' ? 'DAMAGED' : looks }),
    }
  },
  reddit: ({ reddit, time }) => ({
    limited: throttledClient,
    secret: reddit.credentials.accessToken,
    // A 403 is about the subreddit.
    unauthorized: [401],
    revokeToken: () => set(reddit.grant, { isRevoked: true }),
    // A token works for a day.
    expireToken() {
      reddit.setTime(new Date(time.now.getTime() + 24 * HOUR_MS))
      return () => reddit.setTime(time.now)
    },
    showLate: () => set(reddit.switches, { showsAfterMs: LATE_MS }),
    processes: (kind) => kind.postType !== 'carousel' && kind.files.length > 0,
    process: (processing) => set(reddit.switches, { processing }),
    hidesFailures: true,
  }),
  youtube: ({ youtube }) => ({
    limited: throttledUploads,
    secret: youtube.credentials.accessToken,
    // An upload is incomplete.
    notRedirect: 308,
    revokeToken: () => set(youtube.grant, { isRevoked: true }),
    expireToken: () => set(youtube.access, { expiresAt: 0 }),
    showLate: () => set(youtube.switches, { showsAfterMs: LATE_MS }),
    processes: has('video'),
    process: (looks) => set(youtube.switches, { processing: looks === 'fails' ? 'codec' : looks }),
  }),
  instagram: ({ instagram }) => containerControls(instagram, '2207026'),
  threads: ({ threads }) => containerControls(threads, 'INVALID_DURATION'),
}

/** Both fill containers, for texts too. */
function containerControls(fake: World['instagram'] | World['threads'], problem: string): NetworkControls {
  const { accessToken } = fake.credentials
  return {
    limited: throttledToken,
    secret: accessToken,
    revokeToken: () => fake.tokens.revoke(accessToken),
    expireToken: () => fake.tokens.expire(accessToken),
    // Counted in looks.
    showLate: () => set<{ lag: number; statusLag: number }>(fake, { lag: 1, statusLag: 2 }),
    processes: () => true,
    process: (looks) => set<object>(fake.next, looks === 'fails' ? { problem } : { looks }),
  }
}

export const controlsOf = (id: PlatformId, world: World) => CONTROLS[id](world)
