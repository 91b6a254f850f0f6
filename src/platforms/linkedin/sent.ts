import type { Act, Sent } from '../contract/adapter.ts'
import { Duplicate } from '../contract/publish-error.ts'
import { Refused } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { earliestCreation } from '../wire/lost-response.ts'

/**
 * The kinds are urn:li:share and urn:li:ugcPost:
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api
 */
const POST_URN = /^urn:li:\w{1,32}:\d{1,32}$/

export const sentOf = (urn: string): Sent | undefined =>
  POST_URN.test(urn) ? { id: urn, url: `https://www.linkedin.com/feed/update/${urn}/` } : undefined

/** A comment has the address of its post. */
export function commentSentOf(comment: unknown, parent: Sent): Sent | undefined {
  const urn = textAt(comment, 'commentUrn') ?? textAt(comment, '$URN') ?? textAt(comment, 'id')
  return urn !== undefined && /^[\w:(),-]{1,200}$/.test(urn) ? { id: urn, url: parent.url } : undefined
}

/**
 * Ids begin with the time of their creation in milliseconds, above 22 other bits. LinkedIn does not document it; the
 * posts of https://github.com/Arisamiga/Linkedin-RSS/issues/5 show it.
 */
const createdAt = (urn: string) => Number(BigInt(urn.slice(urn.lastIndexOf(':') + 1)) >> 22n)

/**
 * LinkedIn refuses a text that was deleted before, and names a post that does not exist. Its id has the time of the
 * refusal:
 * https://github.com/ComposioHQ/composio/issues/2710. A post of an earlier attempt is older than this.
 */
const MADE_UP_WITHIN_MS = 10_000

/**
 * The same error, or a Duplicate if LinkedIn refuses a copy and names the post of an earlier attempt: 422, `Content is
 * a duplicate of urn:li:share:…`. A post that is older than the act is another one.
 */
export function asDuplicate(error: unknown, { startedAt }: Act): unknown {
  if (!(error instanceof Refused) || !error.isDuplicate) return error
  const [, urn = ''] = /duplicate of (urn:li:\w+:\d+)/.exec(error.message) ?? []
  const earlier = sentOf(urn)
  if (!earlier || createdAt(urn) < earliestCreation({ startedAt })) return error
  // By LinkedIn's own clock.
  const refusedAt = Date.parse(error.refusal.headers.get('date') ?? '') || Date.now()
  return createdAt(urn) > refusedAt - MADE_UP_WITHIN_MS ? error : new Duplicate(error.message, earlier)
}
