import { createHash } from 'node:crypto'
import type { Act, Sent } from '../contract/adapter.ts'
import type { Json } from '../contract/io.ts'
import { PublishError } from '../contract/publish-error.ts'
import { blueskyContent } from './content.ts'
import type { RecordRef, Repo } from './repo.ts'

export const POST = 'app.bsky.feed.post'

/** The `fields` of limits.ts that the record has, checked when the post was written. */
interface Fields {
  langs?: string[]
  labels?: string[]
  tags?: string[]
}

/** Drops the keys whose value is undefined. */
const toJson = (value: object): Json => JSON.parse(JSON.stringify(value))

/** The letters of a TID, which sort like its digits: https://atproto.com/specs/tid */
const TID_LETTERS = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * The key of a post, which has to be a TID: 53 bits of microseconds and 10 bits that tell writers apart. The
 * milliseconds are those of the first attempt. The token gives the microseconds below them and the last 10 bits. Two
 * acts of an account in one millisecond share a key once in a million times.
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
export function sentOf({ uri, cid }: RecordRef, { did }: Repo): Sent {
  const rkey = uri.slice(uri.lastIndexOf('/') + 1)
  return { id: uri, ref: cid, url: `https://bsky.app/profile/${did}/post/${rkey}` }
}

const refOf = ({ id, ref = '' }: Sent): RecordRef => ({ uri: id, cid: ref })

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json */
export function recordOf(act: Act, facets: Json, embed: object | undefined): Json {
  const { langs, labels, tags }: Fields = act.fields
  const isFirst = act.parent === null
  return toJson({
    $type: POST,
    text: blueskyContent(act).text,
    createdAt: act.startedAt.toISOString(),
    ...(facets !== null && { facets }),
    langs,
    ...(act.parent && { reply: { root: refOf(act.root ?? act.parent), parent: refOf(act.parent) } }),
    ...(act.kind === 'post' &&
      labels && {
        labels: { $type: 'com.atproto.label.defs#selfLabels', values: labels.map((val) => ({ val })) },
      }),
    ...(isFirst && { tags }),
    embed,
  })
}

/** Signs of a link, a mention, a hashtag or a cashtag. */
const FACET_SIGNS = /[@#＃$]|:\/\/|[a-z0-9]\.[a-z0-9]/i

/** https://docs.bsky.app/docs/advanced-guides/post-richtext */
export async function facetsOf({ text, startedAt }: Act, repo: Repo): Promise<Json> {
  if (!FACET_SIGNS.test(text)) return null
  const { detectFacets, isMention } = await import('./facets.ts')
  const facets = []
  for (const facet of detectFacets(text)) {
    const [feature] = facet.features
    if (!isMention(feature)) {
      facets.push(facet)
      continue
    }
    // A handle that does not exist remains text.
    const did = await repo.resolve(feature.did).catch((error) => leaveAsText(error, startedAt))
    if (did) facets.push({ ...facet, features: [{ ...feature, did }] })
  }
  return facets.length > 0 ? toJson(facets) : null
}

/** The time after its first attempt for which a post waits for its mentions to be resolved. */
const MENTIONS_WAIT_MAX_MS = 300_000

/**
 * A server that cannot resolve a handle now may do so in a minute, but a post is worth more than its mentions. A later
 * attempt may then prepare another record. One that exists already stays as it is, since `add` replaces nothing.
 */
function leaveAsText(error: unknown, startedAt: Date): undefined {
  if (!(error instanceof PublishError) || error.needsAttention || error.code === 'rate_limited') throw error
  if (Date.now() - startedAt.getTime() < MENTIONS_WAIT_MAX_MS) throw error
}
