import { createHash } from 'node:crypto'
import type { Act, Adapter, Io, Json, PublishedFile, Sent } from '../adapter.ts'
import { textAt } from '../json.ts'
import { impossible, PublishError, withMaybeSent } from '../publish-error.ts'
import { type Blob, openRepo, type RecordRef, type Repo, signIn } from './repo.ts'
import { uploadVideo, type VideoJob } from './video.ts'

const POST = 'app.bsky.feed.post'
const THREADGATE = 'app.bsky.feed.threadgate'

/** The `fields` of limits.ts, checked when the post was written. */
interface Fields {
  langs?: string[]
  altText?: string
  labels?: string[]
  tags?: string[]
  replyGate?: keyof typeof REPLY_RULES
  linkCard?: string
}

/** Who may reply, as the rules of a threadgate. Without rules no one may reply; without a threadgate everyone may. */
const REPLY_RULES = {
  everyone: undefined,
  nobody: [],
  mentioned: ['mentionRule'],
  following: ['followingRule'],
  followers: ['followerRule'],
} as const

/**
 * How long a prepared record is used again. A PDS removes blobs that no record refers to, after an hour at the earliest:
 * https://atproto.com/specs/blob#blob-metadata
 */
const RECORD_MAX_AGE_MS = 1_800_000

/** The record of the post as it will be written, or the video that its record waits for. */
type Prepared = { preparedAt: number } & ({ record: Json; video?: never } | { video: VideoJob; record?: never })

export const blueskyAdapter: Adapter<Prepared> = {
  guarantee: 'exactly-once',

  concurrency: 16,

  async identify(io) {
    const repo = await signIn(io)
    // From the repository itself: app.bsky.actor.getProfile needs an AppView, which may lag behind or be away.
    const profile = await repo.find('app.bsky.actor.profile', 'self')
    return { externalId: repo.did, username: repo.handle, displayName: textAt(profile?.value, 'displayName') || null }
  },

  async prepare(act, io, saved) {
    const fresh = saved && Date.now() - saved.preparedAt < RECORD_MAX_AGE_MS ? saved : null
    if (fresh?.record !== undefined) return { ready: fresh }
    const repo = await openRepo(io)
    const embed = await embedOf(act, repo, io, fresh?.video)
    const preparedAt = fresh?.preparedAt ?? Date.now()
    if (isWaiting(embed)) return { later: { state: { preparedAt, video: embed.waitsFor }, afterMs: LOOK_AGAIN_MS } }
    return { ready: { preparedAt, record: toJson(await recordOf(act, repo, embed)) } }
  },

  async publish(act, io, { record }) {
    const repo = await openRepo(io)
    const post = await repo.add(POST, recordKey(act), record as object)
    await limitReplies(act, post, repo)
    return sentOf(post, repo)
  },

  async reconcile(act, io) {
    const repo = await openRepo(io)
    const post = await repo.find(POST, recordKey(act))
    if (!post) return 'absent'
    await limitReplies(act, post, repo)
    return sentOf(post, repo)
  },
}

/** https://docs.bsky.app/docs/tutorials/video looks every second. */
const LOOK_AGAIN_MS = 1_000

interface WaitingForVideo {
  waitsFor: VideoJob
}

const isWaiting = (embed: object | undefined): embed is WaitingForVideo => embed !== undefined && 'waitsFor' in embed

/** Without the keys whose value is undefined. */
const toJson = (record: object): Json => JSON.parse(JSON.stringify(record))

/** The letters of a TID, which sort like its digits: https://atproto.com/specs/tid */
const TID_LETTERS = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * The key of a post, which has to be a TID: 53 bits of microseconds and 10 bits that tell writers apart. The milliseconds
 * are those of the first attempt. The token gives the microseconds below them and the last 10 bits, so two acts of an
 * account in one millisecond share a key once in a million times.
 */
export function recordKey({ startedAt, token }: Pick<Act, 'startedAt' | 'token'>): string {
  const random = createHash('sha256').update(token).digest().readUInt32BE()
  const microseconds = BigInt(startedAt.getTime()) * 1000n + BigInt(random % 1000)
  const bits = (microseconds << 10n) | BigInt(random >>> 22)
  return bits
    .toString(32)
    .padStart(13, '0')
    .replace(/./g, (digit) => TID_LETTERS[Number.parseInt(digit, 32)]!)
}

/**
 * A reply refers to a post by its address and the hash of its record:
 * https://docs.bsky.app/docs/tutorials/creating-a-post#replies-quote-posts-and-embeds
 */
function sentOf({ uri, cid }: RecordRef, { did }: Repo): Sent {
  const rkey = uri.slice(uri.lastIndexOf('/') + 1)
  return { id: uri, ref: cid, url: `https://bsky.app/profile/${did}/post/${rkey}` }
}

const refOf = ({ id, ref = '' }: Sent): RecordRef => ({ uri: id, cid: ref })

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json */
async function recordOf(act: Act, repo: Repo, embed: object | undefined): Promise<object> {
  const { langs, labels, tags }: Fields = act.fields
  const isFirst = act.parent === null
  return {
    $type: POST,
    text: act.text,
    createdAt: act.startedAt.toISOString(),
    facets: await facetsOf(act, repo),
    langs,
    ...(act.parent && { reply: { root: refOf(act.root ?? act.parent), parent: refOf(act.parent) } }),
    ...(act.kind === 'post' &&
      labels && {
        labels: { $type: 'com.atproto.label.defs#selfLabels', values: labels.map((val) => ({ val })) },
      }),
    ...(isFirst && { tags }),
    embed,
  }
}

/** Signs of a link, a mention, a hashtag or a cashtag. */
const FACET_SIGNS = /[@#＃$]|:\/\/|[a-z0-9]\.[a-z0-9]/i

/** https://docs.bsky.app/docs/advanced-guides/post-richtext */
async function facetsOf({ text, startedAt }: Act, repo: Repo) {
  if (!FACET_SIGNS.test(text)) return undefined
  // Loaded on first use: it takes 60 MB.
  const { RichText, AppBskyRichtextFacet } = await import('@atproto/api')
  const richText = new RichText({ text })
  // Its own detectFacets() treats a server without a response like a handle that does not exist.
  richText.detectFacetsWithoutResolution()
  const facets = []
  for (const facet of richText.facets ?? []) {
    const [feature] = facet.features
    if (!AppBskyRichtextFacet.isMention(feature)) {
      // The network would refuse the post for the link found in `https:///a`.
      if (AppBskyRichtextFacet.validateMain(facet).success) facets.push(facet)
      continue
    }
    // Unresolved, `did` holds the handle. A handle that does not exist remains text.
    const did = await repo.resolve(feature.did).catch((error) => leaveAsText(error, startedAt))
    if (did) facets.push({ ...facet, features: [{ ...feature, did }] })
  }
  return facets.length > 0 ? facets : undefined
}

/** For so long after its first attempt, a post waits for its mentions to be resolved. */
const MENTIONS_WAIT_MAX_MS = 300_000

/**
 * A server that cannot resolve a handle now may do so in a minute, but a post is worth more than its mentions. A later
 * attempt may then prepare another record. One that exists already stays as it is, since `add` replaces nothing.
 */
function leaveAsText(error: unknown, startedAt: Date): undefined {
  if (!(error instanceof PublishError) || error.needsAttention || error.code === 'rate_limited') throw error
  if (Date.now() - startedAt.getTime() < MENTIONS_WAIT_MAX_MS) throw error
}

async function embedOf(
  act: Act,
  repo: Repo,
  io: Io,
  job: VideoJob | undefined,
): Promise<object | WaitingForVideo | undefined> {
  const { altText = '', linkCard }: Fields = act.fields
  const [file] = act.media
  if (linkCard && file) throw impossible('Bluesky shows media or a link card, not both')
  if (!file) return linkCard && act.parent === null ? cardOf(linkCard) : undefined
  const alt = (file: PublishedFile) => file.altText ?? altText

  if (file.kind !== 'image') {
    const video = await uploadVideo(file, repo, io, job)
    if ('waitsFor' in video) return video
    return {
      $type: 'app.bsky.embed.video',
      video: video.blob,
      alt: alt(file),
      aspectRatio: aspectRatioOf(file),
      ...(file.kind === 'gif' && { presentation: 'gif' }),
    }
  }
  const images: { image: Blob; alt: string; aspectRatio: object | undefined }[] = []
  for (const file of act.media) {
    images.push({ image: await repo.upload(file), alt: alt(file), aspectRatio: aspectRatioOf(file) })
  }
  // Every client shows up to four; only newer ones know galleries.
  if (images.length <= 4) return { $type: 'app.bsky.embed.images', images }
  // A gallery requires an aspect ratio (lexicons/app/bsky/embed/gallery.json): an unknown one becomes a square.
  const items = images.map(({ aspectRatio = { width: 1, height: 1 }, ...image }) => ({
    $type: 'app.bsky.embed.gallery#image',
    ...image,
    aspectRatio,
  }))
  return { $type: 'app.bsky.embed.gallery', items }
}

const aspectRatioOf = ({ width, height }: PublishedFile) => (width && height ? { width, height } : undefined)

/**
 * A card with the address alone. Reading the page's title and picture would call any address that a user names, and
 * another attempt might find another title.
 */
function cardOf(uri: string): object {
  const { host, pathname } = new URL(uri)
  const title = `${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}`
  return { $type: 'app.bsky.embed.external', external: { uri, title, description: '' } }
}

/**
 * Writes the threadgate, unless everyone may reply. After the post, since AppViews mark a post they know as gated when
 * they see the gate (https://github.com/bluesky-social/atproto, packages/bsky, plugins/thread-gate.ts). Not in one
 * applyWrites with the post, which cannot be repeated.
 */
async function limitReplies(act: Act, { uri }: RecordRef, repo: Repo): Promise<void> {
  const { replyGate = 'everyone' }: Fields = act.fields
  const rules = REPLY_RULES[replyGate]
  if (!rules || act.parent) return
  const allow = rules.map((rule) => ({ $type: `${THREADGATE}#${rule}` }))
  const record = { $type: THREADGATE, post: uri, allow, createdAt: act.startedAt.toISOString() }
  try {
    await repo.add(THREADGATE, recordKey(act), record)
  } catch (error) {
    throw error instanceof PublishError ? withMaybeSent(error, true) : error
  }
}
