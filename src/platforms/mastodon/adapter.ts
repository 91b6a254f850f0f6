import { setTimeout } from 'node:timers/promises'
import { type Act, type Credentials, type Io, PublishError, type Publishing, type Sent } from '../adapter.ts'
import {
  at,
  call,
  cut,
  Form,
  impossible,
  type Network,
  nameOf,
  type Refusal,
  textAt,
  unauthorized,
  unexpected,
} from '../call-network.ts'

// https://docs.joinmastodon.org/entities/Instance/#description_limit, as Mastodon ships.
const DESCRIPTION_LENGTH_MAX = 1500

/** An instance that claims to take more is not believed: a request to Postroom does not hold more. */
const TEXT_LENGTH_MAX = 1_000_000

/** Together 4 minutes: nobody documents how long a video takes. The delivery's own limit may end it sooner. */
const MEDIA_PAUSES_MS = [250, 500, 1000, 2000, ...Array<number>(47).fill(5000)]

/** How far the clock of an instance may be from ours for its `created_at` to be compared. */
const CLOCKS_APART_MS_MAX = 60_000

// https://docs.joinmastodon.org/methods/accounts/#statuses: 40 at most.
const STATUSES_PER_PAGE = 40
const PAGES_MAX = 5

/** `pause` waits that many milliseconds between two looks at a file that the instance is still processing. */
export function publishToMastodon(pause: typeof setTimeout = setTimeout): Publishing {
  return {
    // Not exactly-once, in spite of Idempotency-Key (https://docs.joinmastodon.org/methods/statuses/#create): it is kept
    // for one hour, counts only once the first call has finished (before https://github.com/mastodon/mastodon/pull/37879,
    // of February 2026, two calls at a time made two statuses), is lost when the instance stops between the status and
    // the key, and has been answered with a 500 (https://github.com/mastodon/mastodon/issues/40399). It is sent all the
    // same: it covers what may happen between a look at the statuses and the next attempt.
    guarantee: 'reconcilable',
    concurrency: 16,

    async identify(credentials, io) {
      const instance = connect(credentials)
      const account = await verify(instance, io)
      const [id, username] = [textAt(account, 'id'), textAt(account, 'username')]
      if (id === undefined || username === undefined) throw unexpected(instance.host, false)
      return {
        externalId: `${id}@${instance.host}`,
        username: `${username}@${instance.host}`,
        displayName: textAt(account, 'display_name') || null,
        textLengthMax: await askTextLengthMax(instance, io),
      }
    },

    async send(act, credentials, io) {
      const instance = connect(credentials)
      const mediaIds: string[] = []
      for (const [place, file] of act.media.entries()) {
        // A file's own description, or else the one that the override has for all.
        const altText = file.altText ?? textAt(act.fields, 'altText')
        const form = new Form(altText ? { description: cut(altText, DESCRIPTION_LENGTH_MAX) } : {}, [
          { field: 'file', name: nameOf(file, place), file },
        ])
        mediaIds.push(await upload(instance, form, io, pause))
      }
      const body = statusOf(act, mediaIds)
      await io.intend()
      const answer = await call(instance, io, `${instance.origin}/api/v1/statuses`, {
        method: 'POST',
        headers: { ...instance.headers, 'idempotency-key': act.token },
        body,
        visible: true,
      })
      const sent = sentOf(answer.body)
      if (!sent) throw unexpected(instance.host, true)
      return sent
    },

    async reconcile(act, credentials, io) {
      const instance = connect(credentials)
      const accountId = textAt(await verify(instance, io), 'id')
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
        // Its text is not the one that was sent any more.
        if (at(status, 'edited_at')) return 'unknown'
        // `content` is HTML with links and mentions rewritten; the source is what was sent.
        const source = await call(instance, io, `${instance.origin}/api/v1/statuses/${sent.id}/source`, {
          headers: instance.headers,
        })
        const isSame =
          textAt(source.body, 'text')?.trim() === expected.text &&
          textAt(source.body, 'spoiler_text')?.trim() === expected.spoiler
        if (isSame) matches.push(sent)
      }
      // Of two that are the same, either may be another post's.
      return matches.length > 1 ? 'unknown' : (matches[0] ?? 'absent')
    },
  }
}

export const mastodonPublishing: Publishing = publishToMastodon()

interface Instance extends Network {
  origin: string
  headers: Record<string, string>
}

function connect(credentials: Credentials): Instance {
  const { instance = '', accessToken = '' } = credentials
  const url = URL.parse(instance)
  if (url?.protocol !== 'https:' || url.username || url.password || url.pathname !== '/' || url.search || url.hash) {
    throw unauthorized('instance has to be the https:// address of a Mastodon server, without a path')
  }
  // Checked here, because `fetch` repeats a header that it does not take in its error.
  if (!/^[\w.~+/=-]+$/.test(accessToken)) throw unauthorized('accessToken is not an access token')
  return {
    host: url.host,
    origin: url.origin,
    headers: { authorization: `Bearer ${accessToken}` },
    secrets: [accessToken],
    // https://docs.joinmastodon.org/entities/Error/
    words: (body) => textAt(body, 'error_description') ?? textAt(body, 'error'),
    retryAfterMs: untilReset,
    // A token of an app and no user is refused with a 422: https://docs.joinmastodon.org/methods/accounts/#verify_credentials
    isUnauthorized: ({ status, body }) =>
      status === 401 ||
      status === 403 ||
      (status === 422 && textAt(body, 'error') === 'This method requires an authenticated user'),
  }
}

/**
 * Mastodon says when its limit ends, in ISO 8601 (https://docs.joinmastodon.org/api/rate-limits/), and sends no Retry-After
 * (https://github.com/mastodon/mastodon/blob/main/config/initializers/rack_attack.rb).
 */
function untilReset({ headers }: Refusal): number | undefined {
  const resetAt = Date.parse(headers.get('x-ratelimit-reset') ?? '')
  return Number.isNaN(resetAt) ? undefined : Math.max(0, resetAt - Date.now())
}

// https://docs.joinmastodon.org/methods/accounts/#verify_credentials
async function verify(instance: Instance, io: Pick<Io, 'fetch' | 'signal'>): Promise<unknown> {
  const url = `${instance.origin}/api/v1/accounts/verify_credentials`
  return (await call(instance, io, url, { headers: instance.headers })).body
}

/**
 * https://docs.joinmastodon.org/methods/instance/#v2, since Mastodon 4.0. Null where the instance does not say: an account
 * can be published to without that.
 */
async function askTextLengthMax(instance: Instance, io: Pick<Io, 'fetch' | 'signal'>): Promise<number | null> {
  try {
    // Public, except where an instance federates with few: then it takes a user
    // (https://github.com/mastodon/mastodon/blob/main/app/controllers/api/v1/instances_controller.rb).
    const { body } = await call(instance, io, `${instance.origin}/api/v2/instance`, { headers: instance.headers })
    const max = at(body, 'configuration', 'statuses', 'max_characters')
    return typeof max === 'number' && Number.isInteger(max) && max >= 1 && max <= TEXT_LENGTH_MAX ? max : null
  } catch (error) {
    if (error instanceof PublishError) return null
    throw error
  }
}

/** Gives the id of a file that a status can be posted with (https://docs.joinmastodon.org/methods/media/#v2). */
async function upload(instance: Instance, form: Form, io: Io, pause: typeof setTimeout): Promise<string> {
  const { headers } = instance
  const created = await call(instance, io, `${instance.origin}/api/v2/media`, { method: 'POST', headers, body: form })
  const id = textAt(created.body, 'id')
  if (id === undefined) throw unexpected(instance.host, false)
  if (created.status !== 202) return id

  for (const ms of MEDIA_PAUSES_MS) {
    try {
      await pause(ms, undefined, { signal: io.signal })
    } catch {
      break
    }
    // 206 while it is being processed, 422 when that failed: https://docs.joinmastodon.org/methods/media/#get
    const { status } = await call(instance, io, `${instance.origin}/api/v1/media/${id}`, { headers })
    if (status === 200) return id
  }
  throw new PublishError(`${instance.host} is still processing a file of the post`, {
    code: 'timeout',
    maybeSent: false,
    retryable: true,
  })
}

/** The parameters of https://docs.joinmastodon.org/methods/statuses/#create. */
function statusOf({ kind, text, fields, parent }: Act, mediaIds: string[]): object {
  const { visibility, sensitive, spoilerText, language, quoteApprovalPolicy, poll } = fields
  return {
    status: text,
    // Left out, both would be what the account's settings say, which need not be what the catalogue promises
    // (https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb).
    visibility: visibility ?? 'public',
    sensitive: sensitive ?? false,
    ...(mediaIds.length > 0 && { media_ids: mediaIds }),
    ...(parent && { in_reply_to_id: parent.id }),
    ...(spoilerText !== undefined && { spoiler_text: spoilerText }),
    ...(language !== undefined && { language }),
    ...(quoteApprovalPolicy !== undefined && { quote_approval_policy: quoteApprovalPolicy }),
    // A poll is asked once, by the first part of a thread.
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
 * The texts as Mastodon keeps them: without white space around them, and with the warning in the place of a text that is
 * empty (https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb).
 */
function textsOf({ text, fields }: Act): { text: string; spoiler: string } {
  const spoiler = textAt(fields, 'spoilerText')?.trim() ?? ''
  return text.trim() ? { text: text.trim(), spoiler } : { text: spoiler, spoiler: '' }
}

/** The account's own statuses that may be of an act that began then; unknown where there are more than can be looked at. */
async function statusesSince(
  instance: Instance,
  accountId: string,
  startedAt: Date,
  io: Pick<Io, 'fetch' | 'signal'>,
): Promise<unknown[] | 'unknown'> {
  const since = startedAt.getTime() - CLOCKS_APART_MS_MAX
  const found: unknown[] = []
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = new URLSearchParams({ limit: String(STATUSES_PER_PAGE), exclude_reblogs: 'true' })
    const last = textAt(found.at(-1), 'id')
    if (last) query.set('max_id', last)
    const url = `${instance.origin}/api/v1/accounts/${accountId}/statuses?${query}`
    const { body } = await call(instance, io, url, { headers: instance.headers })
    if (!Array.isArray(body)) throw unexpected(instance.host, false)
    const recent = body.filter((status) => Date.parse(textAt(status, 'created_at') ?? '') >= since)
    found.push(...recent)
    // The newest come first. A page may be shorter than asked for, where some of its statuses are not shown.
    if (recent.length < body.length || body.length === 0) return found
  }
  return 'unknown'
}

/** Anybody can run an instance: an id goes into addresses, and the address into pages. */
function sentOf(status: unknown): Sent | undefined {
  const id = textAt(status, 'id')
  if (id === undefined || !/^[\w-]{1,64}$/.test(id)) return undefined
  const url = textAt(status, 'url') ?? ''
  return { id, url: url.length <= 2048 && URL.parse(url)?.protocol === 'https:' ? url : null }
}
