import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Act, type Io, PublishError, type PublishedFile, type Publishing, type Sent } from '../adapter.ts'
import { at, impossible, textAt } from '../call-network.ts'
import { type Blob, openRepo, type RecordRef, type Repo, signIn, withMaybeSent, xrpc } from './repo.ts'

const POST = 'app.bsky.feed.post'
const THREADGATE = 'app.bsky.feed.threadgate'
const VIDEO_SERVICE = 'https://video.bsky.app'

/** The `fields` above, which were checked when the post was written. */
interface Fields {
  langs?: string[]
  altText?: string
  labels?: string[]
  tags?: string[]
  replyGate?: keyof typeof REPLY_RULES
  linkCard?: string
}

/** Who may reply, each as the rules of a threadgate: none let nobody reply, and without a threadgate everybody may. */
const REPLY_RULES = {
  everyone: undefined,
  nobody: [],
  mentioned: ['mentionRule'],
  following: ['followingRule'],
  followers: ['followerRule'],
} as const

export const blueskyPublishing: Publishing = {
  guarantee: 'exactly-once',

  concurrency: 16,

  async identify(credentials, io) {
    const repo = await signIn(credentials, io)
    // From the repository itself: app.bsky.actor.getProfile takes an AppView, which may lag behind or be away.
    const profile = await repo.find('app.bsky.actor.profile', 'self')
    return { externalId: repo.did, username: repo.handle, displayName: textAt(profile?.value, 'displayName') || null }
  },

  async send(act, credentials, io) {
    const repo = await openRepo(credentials, io)
    const record = await recordOf(act, repo, io)
    await io.intend()
    const post = await repo.add(POST, recordKey(act), record)
    await limitReplies(act, post, repo)
    return sentOf(post, repo)
  },

  async reconcile(act, credentials, io) {
    const repo = await openRepo(credentials, io)
    const post = await repo.find(POST, recordKey(act))
    if (!post) return 'absent'
    await limitReplies(act, post, repo)
    return sentOf(post, repo)
  },
}

/** The letters of a TID, which sort as their numbers do: https://atproto.com/specs/tid */
const TID_LETTERS = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * A TID, as a post's key has to be: 53 bits of microseconds and 10 bits that tell writers apart. The milliseconds are
 * those of the first attempt; what is below them, and the last 10 bits, come from the token, so that two acts of an
 * account in one millisecond have the same key once in a million times.
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
 * A reply refers to a post by its address and the hash of what it says:
 * https://docs.bsky.app/docs/tutorials/creating-a-post#replies-quote-posts-and-embeds
 */
function sentOf({ uri, cid }: RecordRef, { did }: Repo): Sent {
  const rkey = uri.slice(uri.lastIndexOf('/') + 1)
  return { id: uri, ref: cid, url: `https://bsky.app/profile/${did}/post/${rkey}` }
}

const refOf = ({ id, ref = '' }: Sent): RecordRef => ({ uri: id, cid: ref })

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json. The same for every attempt. */
async function recordOf(act: Act, repo: Repo, io: Io): Promise<object> {
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
    embed: await embedOf(act, repo, io),
  }
}

/** What may be a link, a mention, a hashtag or a cashtag. */
const FACET_SIGNS = /[@#＃$]|:\/\/|[a-z0-9]\.[a-z0-9]/i

/** https://docs.bsky.app/docs/advanced-guides/post-richtext */
async function facetsOf({ text, startedAt }: Act, repo: Repo) {
  if (!FACET_SIGNS.test(text)) return undefined
  // Not before there is a use for it: it takes 60 MB.
  const { RichText, AppBskyRichtextFacet } = await import('@atproto/api')
  const richText = new RichText({ text })
  // Its own detectFacets() takes a server that does not answer for a handle that does not exist.
  richText.detectFacetsWithoutResolution()
  const facets = []
  for (const facet of richText.facets ?? []) {
    const [feature] = facet.features
    if (!AppBskyRichtextFacet.isMention(feature)) {
      // What is found in `https:///a` is no link to the network, which would refuse the post for it.
      if (AppBskyRichtextFacet.validateMain(facet).success) facets.push(facet)
      continue
    }
    // Until it is resolved, the handle stands in place of the DID. A handle of nobody remains text.
    const did = await repo.resolve(feature.did).catch((error) => leaveAsText(error, startedAt))
    if (did) facets.push({ ...facet, features: [{ ...feature, did }] })
  }
  return facets.length > 0 ? facets : undefined
}

/** Within that many milliseconds of its first attempt, a post waits for its mentions. */
const MENTIONS_WAIT_MAX_MS = 300_000

/**
 * A server that cannot tell now whose a handle is may do so in a minute, but a post is worth more than its mentions.
 * Another attempt may then write another text than the one that was lost before it: a record that is there already stays
 * as it is, since nothing is put in place of one.
 */
function leaveAsText(error: unknown, startedAt: Date): undefined {
  if (!(error instanceof PublishError) || error.needsAttention || error.code === 'rate_limited') throw error
  if (Date.now() - startedAt.getTime() < MENTIONS_WAIT_MAX_MS) throw error
}

async function embedOf(act: Act, repo: Repo, io: Io): Promise<object | undefined> {
  const { altText = '', linkCard }: Fields = act.fields
  const [file] = act.media
  if (linkCard && file) throw impossible('Bluesky shows media or a link card, not both')
  if (!file) return linkCard && act.parent === null ? cardOf(linkCard) : undefined
  const alt = (file: PublishedFile) => file.altText ?? altText

  if (file.kind !== 'image') {
    return {
      $type: 'app.bsky.embed.video',
      video: await uploadVideo(file, repo, io),
      alt: alt(file),
      aspectRatio: aspectRatioOf(file),
      ...(file.kind === 'gif' && { presentation: 'gif' }),
    }
  }
  const images: { image: Blob; alt: string; aspectRatio: object | undefined }[] = []
  for (const file of act.media) {
    images.push({ image: await repo.upload(file), alt: alt(file), aspectRatio: aspectRatioOf(file) })
  }
  // Up to four are shown by every client, more by those that know galleries.
  if (images.length <= 4) return { $type: 'app.bsky.embed.images', images }
  // Unlike the others, these have to have a shape (lexicons/app/bsky/embed/gallery.json): of one that is not known, a square.
  const items = images.map(({ aspectRatio = { width: 1, height: 1 }, ...image }) => ({
    $type: 'app.bsky.embed.gallery#image',
    ...image,
    aspectRatio,
  }))
  return { $type: 'app.bsky.embed.gallery', items }
}

const aspectRatioOf = ({ width, height }: PublishedFile) => (width && height ? { width, height } : undefined)

/**
 * A card that says where it leads, without the page's title and picture: to read them, the publisher would call whatever
 * address a user names, and another attempt might find another title.
 */
function cardOf(uri: string): object {
  const { host, pathname } = new URL(uri)
  const title = `${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}`
  return { $type: 'app.bsky.embed.external', external: { uri, title, description: '' } }
}

/**
 * The recommended way of https://docs.bsky.app/docs/tutorials/video: the video service converts the file, and puts it
 * on the account's server. It cannot reach a server without TLS, which is none of the public network: such a one takes
 * MP4 as it is, the tutorial's simple way.
 */
async function uploadVideo(file: PublishedFile, repo: Repo, io: Io): Promise<Blob> {
  if (new URL(repo.server).protocol !== 'https:') {
    if (file.mimeType === 'video/mp4') return repo.upload(file)
    throw impossible(`${repo.server} takes no videos but MP4`)
  }
  const token = await repo.delegate('com.atproto.repo.uploadBlob', new Date(Date.now() + 30 * 60_000))
  const name = `${file.id}.${file.mimeType.split('/')[1]}`
  const params = { did: repo.did, name }
  let job = jobIn(await xrpc(io, VIDEO_SERVICE, 'app.bsky.video.uploadVideo', { token, params, file }))
  // A file that was processed before fails with `already_exists`, and has its blob all the same.
  while (!job.blob) {
    const { jobId } = job
    if (job.state === 'JOB_STATE_FAILED' || !jobId) throw failed(job)
    job = jobIn(await xrpc(io, VIDEO_SERVICE, 'app.bsky.video.getJobStatus', { params: { jobId } }))
    if (!job.blob && job.state !== 'JOB_STATE_FAILED') await nextLook(io)
  }
  return job.blob
}

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/video/defs.json */
interface Job {
  jobId: string | undefined
  state: string | undefined
  blob: Blob | undefined
  /** The service's own words. */
  says: string | undefined
  failureCode: string | undefined
}

/** By its lexicon, the service answers `{ jobStatus }`; by the tutorial, an upload is answered with its content. */
function jobIn(answer: unknown): Job {
  const job = at(answer, 'jobStatus') ?? answer
  return {
    jobId: textAt(job, 'jobId'),
    state: textAt(job, 'state'),
    blob: at(job, 'blob') as Blob | undefined,
    says: textAt(job, 'message') || textAt(job, 'error'),
    failureCode: textAt(job, 'failureCode'),
  }
}

const FAILURES_OF_THE_SERVICE = ['generic_failure', 'pds_upload_failure']

function failed({ says, failureCode }: Job): PublishError {
  const message = `video.bsky.app: ${says ?? 'the video could not be processed'}`
  if (!FAILURES_OF_THE_SERVICE.includes(failureCode ?? '')) return impossible(message)
  return new PublishError(message, { code: 'server_error', maybeSent: false, retryable: true })
}

/** The tutorial looks every second. */
async function nextLook({ signal }: Io): Promise<void> {
  await pause(1000, undefined, { signal }).catch(() => {
    throw new PublishError('video.bsky.app did not process the video in time', {
      code: 'timeout',
      maybeSent: false,
      retryable: true,
    })
  })
}

/**
 * Writes who may reply, where it is not everybody. After the post, since AppViews mark a post that they have as gated
 * when they meet the gate (https://github.com/bluesky-social/atproto, packages/bsky, plugins/thread-gate.ts). Not by one
 * applyWrites with it, which cannot be sent again.
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
