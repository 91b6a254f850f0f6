import type { Act, Adapter, Io, PublishedFile, Sent } from '../adapter.ts'
import { callNetwork, type NetworkRules, type Refusal } from '../call-network.ts'
import { at, textAt } from '../json.ts'
import { impossible, PublishError, unauthorized, unexpected } from '../publish-error.ts'
import { altTextOf, fileName, multipart } from '../request-body.ts'

// The value that Mastodon ships with: https://docs.joinmastodon.org/entities/Instance/#description_limit
const DESCRIPTION_LENGTH_MAX = 1500

/** An instance that claims to take more is not believed: a request to Postroom holds less. */
const TEXT_LENGTH_MAX = 1_000_000

/**
 * How long uploaded files are used, before they are uploaded again. Mastodon removes files without a status
 * after a day (https://github.com/mastodon/mastodon/blob/main/app/lib/vacuum/media_attachments_vacuum.rb).
 */
const UPLOADS_MAX_AGE_MS = 3_600_000

/** Between two looks at files in processing: from half a second, doubled each time, to 5 seconds. */
const lookAgainMs = (looks: number) => Math.min(5_000, 500 * 2 ** Math.min(looks, 10))

/** How far an instance's clock may differ from ours when `created_at` is compared. */
const CLOCK_SKEW_MAX_MS = 60_000

// https://docs.joinmastodon.org/methods/accounts/#statuses: 40 at most.
const STATUSES_PER_PAGE = 40
const PAGES_MAX = 5

/** The files of a post on the instance. */
type Uploads = {
  mediaIds: string[]
  /** Those that the instance still processes. */
  processing: string[]
  /** Milliseconds since 1970. */
  uploadedAt: number
  looks: number
}

export const mastodonAdapter: Adapter<Uploads> = {
  // Not exactly-once, in spite of Idempotency-Key (https://docs.joinmastodon.org/methods/statuses/#create): the key is kept
  // for one hour, counts only once the first call has finished (before https://github.com/mastodon/mastodon/pull/37879,
  // of February 2026, two simultaneous calls made two statuses), is lost when the instance stops between the status and
  // the key, and has been answered with a 500 (https://github.com/mastodon/mastodon/issues/40399). It is sent all the
  // same, for what happens between a look at the statuses and the next attempt.
  guarantee: 'reconcilable',
  concurrency: 16,

  async identify(io) {
    const instance = clientFor(io)
    const account = await readAccount(instance, io)
    const [id, username] = [textAt(account, 'id'), textAt(account, 'username')]
    if (id === undefined || username === undefined) throw unexpected(instance.host, false)
    return {
      externalId: `${id}@${instance.host}`,
      username: `${username}@${instance.host}`,
      displayName: textAt(account, 'display_name') || null,
      textLengthMax: await readTextLengthMax(instance, io),
    }
  },

  async prepare(act, io, saved) {
    const instance = clientFor(io)
    // Throws for what Mastodon cannot show, before anything is uploaded.
    statusOf(act, [])
    const isFresh = saved !== null && Date.now() - saved.uploadedAt < UPLOADS_MAX_AGE_MS
    if (!saved || !isFresh) return stateOf(await uploadAll(instance, act, io))
    const processing: string[] = []
    for (const id of saved.processing) if (!(await isProcessed(instance, id, io))) processing.push(id)
    return stateOf({ ...saved, processing, looks: saved.looks + 1 })
  },

  async publish(act, io, { mediaIds }) {
    const instance = clientFor(io)
    const response = await callNetwork(instance, io, `${instance.origin}/api/v1/statuses`, {
      method: 'POST',
      headers: { ...instance.headers, 'idempotency-key': act.token },
      body: statusOf(act, mediaIds),
      visible: true,
    })
    const sent = sentOf(response.body)
    if (!sent) throw unexpected(instance.host, true)
    return sent
  },

  async reconcile(act, io) {
    const instance = clientFor(io)
    const accountId = textAt(await readAccount(instance, io), 'id')
    if (accountId === undefined) throw unexpected(instance.host, false)
    const candidates = await statusesSince(instance, accountId, act.startedAt, io)
    return candidates === 'unknown' ? 'unknown' : findAct(act, candidates, instance, io)
  },
}

const stateOf = (uploads: Uploads) =>
  uploads.processing.length === 0
    ? { ready: uploads }
    : { later: { state: uploads, afterMs: lookAgainMs(uploads.looks) } }

/** The status that an act made: the one with its text, its files and its parent; unknown where several could be it. */
async function findAct(
  act: Act,
  candidates: readonly unknown[],
  instance: Instance,
  io: Io,
): Promise<Sent | 'absent' | 'unknown'> {
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
    })
    const isSame =
      textAt(source.body, 'text')?.trim() === expected.text &&
      textAt(source.body, 'spoiler_text')?.trim() === expected.spoiler
    if (isSame) matches.push(sent)
  }
  // One of two equal statuses may belong to another post.
  return matches.length > 1 ? 'unknown' : (matches[0] ?? 'absent')
}

interface Instance extends NetworkRules {
  origin: string
  headers: Record<string, string>
}

function clientFor({ credentials: { instance = '', accessToken = '' } }: Io): Instance {
  const url = URL.parse(instance)
  if (url?.protocol !== 'https:' || url.username || url.password || url.pathname !== '/' || url.search || url.hash) {
    throw unauthorized('instance has to be the https:// address of a Mastodon server, without a path')
  }
  // Checked here, because `fetch` repeats an invalid header in its error.
  if (!/^[\w.~+/=-]+$/.test(accessToken)) throw unauthorized('accessToken is not an access token')
  return {
    host: url.host,
    origin: url.origin,
    headers: { authorization: `Bearer ${accessToken}` },
    secrets: [accessToken],
    // https://docs.joinmastodon.org/entities/Error/
    words: (body) => textAt(body, 'error_description') ?? textAt(body, 'error'),
    retryAfterMs: untilReset,
    // The token of an app without a user gives 422: https://docs.joinmastodon.org/methods/accounts/#verify_credentials
    isUnauthorized: ({ status, body }) =>
      status === 401 ||
      status === 403 ||
      (status === 422 && textAt(body, 'error') === 'This method requires an authenticated user'),
  }
}

/**
 * Mastodon sends the end of its limit in ISO 8601 (https://docs.joinmastodon.org/api/rate-limits/), and no Retry-After
 * (https://github.com/mastodon/mastodon/blob/main/config/initializers/rack_attack.rb).
 */
function untilReset({ headers }: Refusal): number | undefined {
  const resetAt = Date.parse(headers.get('x-ratelimit-reset') ?? '')
  return Number.isNaN(resetAt) ? undefined : Math.max(0, resetAt - Date.now())
}

// https://docs.joinmastodon.org/methods/accounts/#verify_credentials
async function readAccount(instance: Instance, io: Io): Promise<unknown> {
  const url = `${instance.origin}/api/v1/accounts/verify_credentials`
  return (await callNetwork(instance, io, url, { headers: instance.headers })).body
}

/** https://docs.joinmastodon.org/methods/instance/#v2, since Mastodon 4.0. Null where the instance does not say. */
async function readTextLengthMax(instance: Instance, io: Io): Promise<number | null> {
  try {
    // Public, except on an instance with limited federation, which wants a user
    // (https://github.com/mastodon/mastodon/blob/main/app/controllers/api/v1/instances_controller.rb).
    const { body } = await callNetwork(instance, io, `${instance.origin}/api/v2/instance`, {
      headers: instance.headers,
    })
    const max = at(body, 'configuration', 'statuses', 'max_characters')
    return typeof max === 'number' && Number.isInteger(max) && max >= 1 && max <= TEXT_LENGTH_MAX ? max : null
  } catch (error) {
    if (error instanceof PublishError) return null
    throw error
  }
}

/** https://docs.joinmastodon.org/methods/media/#v2: 202 while the instance processes the file. */
async function uploadAll(instance: Instance, act: Act, io: Io): Promise<Uploads> {
  const uploads: Uploads = { mediaIds: [], processing: [], uploadedAt: Date.now(), looks: 0 }
  for (const [index, file] of act.media.entries()) {
    const { status, body } = await callNetwork(instance, io, `${instance.origin}/api/v2/media`, {
      method: 'POST',
      headers: instance.headers,
      body: formOf(file, index, act),
    })
    const id = textAt(body, 'id')
    if (id === undefined) throw unexpected(instance.host, false)
    uploads.mediaIds.push(id)
    if (status === 202) uploads.processing.push(id)
  }
  return uploads
}

function formOf(file: PublishedFile, index: number, { fields }: Act) {
  const description = altTextOf(file, fields, DESCRIPTION_LENGTH_MAX)
  return multipart(description ? { description } : {}, [{ field: 'file', name: fileName(file, index), file }])
}

/** 206 while the file is processed, 422 when that failed: https://docs.joinmastodon.org/methods/media/#get */
async function isProcessed(instance: Instance, id: string, io: Io): Promise<boolean> {
  const { headers } = instance
  const { status } = await callNetwork(instance, io, `${instance.origin}/api/v1/media/${id}`, { headers })
  return status === 200
}

/** The parameters of https://docs.joinmastodon.org/methods/statuses/#create. */
function statusOf({ kind, text, fields, parent }: Act, mediaIds: string[]): object {
  const { visibility, sensitive, spoilerText, language, quoteApprovalPolicy, poll } = fields
  return {
    status: text,
    // Always sent: their defaults come from the account's settings, which may differ from the catalogue's
    // (https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb).
    visibility: visibility ?? 'public',
    sensitive: sensitive ?? false,
    ...(mediaIds.length > 0 && { media_ids: mediaIds }),
    ...(parent && { in_reply_to_id: parent.id }),
    ...(spoilerText !== undefined && { spoiler_text: spoilerText }),
    ...(language !== undefined && { language }),
    ...(quoteApprovalPolicy !== undefined && { quote_approval_policy: quoteApprovalPolicy }),
    // Only the first part of a thread carries the poll.
    ...(poll !== undefined && kind === 'post' && !parent && { poll: pollOf(poll) }),
  }
}

function pollOf(poll: unknown): object {
  const [options, expiresIn] = [at(poll, 'options'), at(poll, 'expiresIn')]
  if (!Array.isArray(options) || typeof expiresIn !== 'number') {
    throw impossible('fields.poll has to have options, a list of texts, and expiresIn, a number of seconds')
  }
  return {
    options,
    expires_in: expiresIn,
    ...(at(poll, 'multiple') === true && { multiple: true }),
    ...(at(poll, 'hideTotals') === true && { hide_totals: true }),
  }
}

/**
 * The texts as Mastodon stores them: trimmed, and with the content warning in place of an empty text
 * (https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb).
 */
function textsOf({ text, fields }: Act): { text: string; spoiler: string } {
  const spoiler = textAt(fields, 'spoilerText')?.trim() ?? ''
  return text.trim() ? { text: text.trim(), spoiler } : { text: spoiler, spoiler: '' }
}

/** The account's own statuses since an act began; unknown where they fill more pages than are read. */
async function statusesSince(
  instance: Instance,
  accountId: string,
  startedAt: Date,
  io: Io,
): Promise<unknown[] | 'unknown'> {
  const since = startedAt.getTime() - CLOCK_SKEW_MAX_MS
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

/** Checked, since anyone can run an instance: the id becomes part of addresses, and pages show the address. */
function sentOf(status: unknown): Sent | undefined {
  const id = textAt(status, 'id')
  if (id === undefined || !/^[\w-]{1,64}$/.test(id)) return undefined
  const url = textAt(status, 'url') ?? ''
  return { id, url: url.length <= 2048 && URL.parse(url)?.protocol === 'https:' ? url : null }
}
