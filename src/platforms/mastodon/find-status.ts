import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { callNetwork } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { earliestCreation } from '../wire/lost-response.ts'
import { type Instance, readAccount, sentOf } from './instance.ts'
import { asStored } from './stored-text.ts'

// https://docs.joinmastodon.org/methods/accounts/#statuses: 40 at most.
const STATUSES_PER_PAGE = 40
const PAGES_MAX = 5

/** The status that an act made: the one with its text, its files and its parent; unknown if several could be it. */
export async function findStatus(instance: Instance, act: Act, io: Io): Promise<Sent | 'absent' | 'unknown'> {
  const accountId = textAt(await readAccount(instance, io), 'id')
  if (accountId === undefined) throw unexpected(instance.host, false)
  const candidates = await statusesSince(instance, accountId, act.startedAt, io)
  if (candidates === 'unknown') return 'unknown'
  const expected = textsOf(act)
  const matches: Sent[] = []
  for (const status of candidates) {
    const sent = sentOf(status)
    if (!sent) throw unexpected(instance.host, false)
    const media = at(status, 'media_attachments')
    const isOther =
      (textAt(status, 'in_reply_to_id') ?? null) !== (act.parent?.id ?? null) ||
      (Array.isArray(media) ? media.length : 0) !== act.media.length
    if (isOther) continue
    // An edited status no longer has the text that was sent.
    if (at(status, 'edited_at')) return 'unknown'
    // `content` is HTML with links and mentions rewritten; the source is what was sent.
    const source = await callNetwork(instance, io, `${instance.origin}/api/v1/statuses/${sent.id}/source`, {
      headers: instance.headers,
      // Until the status is edited, which ends the search.
      isConstant: true,
    })
    const isSame =
      asStored(textAt(source.body, 'text') ?? '') === expected.text &&
      asStored(textAt(source.body, 'spoiler_text') ?? '') === expected.spoiler
    if (isSame) matches.push(sent)
  }
  // One of two equal statuses may belong to another post.
  return matches.length > 1 ? 'unknown' : (matches[0] ?? 'absent')
}

/**
 * The texts as Mastodon stores them: trimmed, and with the content warning in place of an empty text
 * (https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb).
 */
function textsOf({ text, fields }: Act): { text: string; spoiler: string } {
  const [stored, spoiler] = [asStored(text), asStored(textAt(fields, 'spoilerText') ?? '')]
  return stored ? { text: stored, spoiler } : { text: spoiler, spoiler: '' }
}

/** The account's own statuses since an act began; unknown if they fill more pages than are read. */
async function statusesSince(
  instance: Instance,
  accountId: string,
  startedAt: Date,
  io: Io,
): Promise<unknown[] | 'unknown'> {
  const since = earliestCreation({ startedAt })
  const found: unknown[] = []
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = new URLSearchParams({ limit: String(STATUSES_PER_PAGE), exclude_reblogs: 'true' })
    const last = textAt(found.at(-1), 'id')
    if (last) query.set('max_id', last)
    const url = `${instance.origin}/api/v1/accounts/${accountId}/statuses?${query}`
    const { body } = await callNetwork(instance, io, url, { headers: instance.headers })
    if (!Array.isArray(body)) throw unexpected(instance.host, false)
    const recent = body.filter((status) => Date.parse(textAt(status, 'created_at') ?? '') >= since)
    found.push(...recent)
    // Newest first. A page with hidden statuses is shorter than the limit, so its length says nothing.
    if (recent.length < body.length || body.length === 0) return found
  }
  return 'unknown'
}
