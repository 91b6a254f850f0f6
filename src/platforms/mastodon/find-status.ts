import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { ID, list, object, optional, TEXT } from '../wire/answer.ts'
import { Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { earliestCreation } from '../wire/lost-response.ts'
import { compareContent } from './compare-content.ts'
import { callInstance, type Instance, readAccount, sentOf, statusAt } from './instance.ts'
import { softwareOf } from './software.ts'
import { asStored } from './stored-text.ts'

// https://docs.joinmastodon.org/methods/accounts/#statuses: 40 at most.
const STATUSES_PER_PAGE = 40
const PAGES_MAX = 5

/** A status as far as it is compared: https://docs.joinmastodon.org/entities/Status/ */
const STATUS = object({
  id: ID,
  created_at: TEXT,
  content: TEXT,
  media_attachments: list(object({ id: ID })),
  in_reply_to_id: optional(ID),
  edited_at: optional(TEXT),
  reblog: optional(object()),
})

type Found = Sent | 'absent' | 'unknown'

/**
 * The status that an act made: the one with its files, or with its text, as many files and its parent. Unknown if
 * several could be it. `mediaIds` are those of the files that the act has uploaded.
 */
export async function findStatus(instance: Instance, act: Act, mediaIds: readonly string[], io: Io): Promise<Found> {
  const accountId = textAt(await readAccount(instance, io), 'id')!
  const listed = await statusesSince(instance, accountId, act.startedAt, io)
  if (listed === 'unknown') return 'unknown'
  const { hidesReplies } = softwareOf(act.facts)
  const replies = hidesReplies && act.parent ? await repliesTo(instance, act.parent.id, accountId, io) : []
  const found = await choose([...listed, ...replies], instance, act, mediaIds, io)
  return found === 'absent' && mayBeHidden(act) ? 'unknown' : found
}

/** Whether the software may leave the act out of the list. */
function mayBeHidden({ facts, fields, media }: Act): boolean {
  const { name, hidesMixed } = softwareOf(facts)
  const kinds = new Set(media.map(({ kind }) => kind))
  // Only Mastodon documents that the list has direct messages.
  return (hidesMixed === true && kinds.size > 1) || (fields.visibility === 'direct' && !MASTODON.includes(name))
}

const MASTODON = ['Mastodon', 'glitch-soc', 'Hometown']

async function choose(
  candidates: readonly unknown[],
  instance: Instance,
  act: Act,
  mediaIds: readonly string[],
  io: Io,
): Promise<Found> {
  const matches: Sent[] = []
  let isOpen = false
  for (const status of candidates) {
    const sent = sentOf(status)
    if (!sent) throw unexpected(instance.host, false)
    if (at(status, 'reblog')) continue
    const attached = attachedIds(status)
    // No other act has these files.
    if (mediaIds.length > 0 && attached.join() === mediaIds.join()) return sent
    const isOther =
      (textAt(status, 'in_reply_to_id') ?? null) !== (act.parent?.id ?? null) || attached.length !== act.media.length
    if (isOther) continue
    // An edited status no longer has the text that was sent.
    if (at(status, 'edited_at')) return 'unknown'
    const likeness = await compare(status, sent.id, instance, act, io)
    if (likeness === 'same') matches.push(sent)
    isOpen ||= likeness === 'similar'
  }
  // One of two equal statuses may belong to another post.
  return matches.length > 1 || (matches.length === 0 && isOpen) ? 'unknown' : (matches[0] ?? 'absent')
}

function attachedIds(status: unknown): (string | undefined)[] {
  const media = at(status, 'media_attachments')
  return Array.isArray(media) ? media.map((file) => textAt(file, 'id')) : []
}

/** Compares the text of a status with that of an act. */
async function compare(status: unknown, id: string, instance: Instance, act: Act, io: Io) {
  const expected = textsOf(act)
  const source = await readSource(instance, id, io)
  if (source === undefined) return compareContent(textAt(status, 'content') ?? '', act.text)
  const text = textAt(source, 'text') ?? ''
  const spoiler = textAt(source, 'spoiler_text') ?? ''
  return asStored(text) === expected.text && asStored(spoiler) === expected.spoiler ? 'same' : 'other'
}

const SOURCE = object({ text: TEXT, spoiler_text: optional(TEXT) })

/** The text as it was sent. Undefined if the software has no such page, as Pixelfed. */
async function readSource(instance: Instance, id: string, io: Io): Promise<unknown> {
  try {
    // `content` is HTML with links and mentions rewritten. The source is constant until an edit, which ends the search.
    const options = { isConstant: true, answer: SOURCE }
    return (await callInstance(instance, io, `${statusAt(instance, id)}/source`, options)).body
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

/**
 * The texts as Mastodon stores them: trimmed, and with the content warning in place of an empty text
 * (https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb).
 */
function textsOf({ text, fields }: Act): { text: string; spoiler: string } {
  const stored = asStored(text)
  const spoiler = asStored(textAt(fields, 'spoilerText') ?? '')
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
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const query = new URLSearchParams({ limit: String(STATUSES_PER_PAGE), exclude_reblogs: 'true' })
    const last = textAt(found.at(-1), 'id')
    if (last) query.set('max_id', last)
    const url = `${instance.origin}/api/v1/accounts/${accountId}/statuses?${query}`
    const { body } = await callInstance(instance, io, url, { answer: list(STATUS) })
    const page = body as unknown[]
    const recent = page.filter((status) => Date.parse(textAt(status, 'created_at') ?? '') >= since)
    found.push(...recent)
    // Newest first. A page with hidden statuses is shorter than the limit, so its length says nothing.
    if (recent.length < page.length || page.length === 0) return found
  }
  return 'unknown'
}

/** https://docs.joinmastodon.org/methods/statuses/#context, for software whose list leaves replies out. */
async function repliesTo(instance: Instance, parentId: string, accountId: string, io: Io): Promise<unknown[]> {
  const url = `${statusAt(instance, parentId)}/context`
  const answer = object({ descendants: list(STATUS) })
  const { body } = await callInstance(instance, io, url, { answer })
  const replies = at(body, 'descendants') as unknown[]
  return replies.filter((reply) => textAt(reply, 'account', 'id') === accountId)
}
