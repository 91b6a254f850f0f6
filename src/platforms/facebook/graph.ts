import type { Credentials, Io } from '../contract/io.ts'
import { unauthorized, unexpected } from '../contract/publish-error.ts'
import { callNetwork, type NetworkRules, type Refusal, Refused } from '../wire/call-network.ts'
import { at, parseJson, textAt } from '../wire/json.ts'
import { orMissing } from '../wire/not-found.ts'

/** https://developers.facebook.com/docs/graph-api/changelog: of 2026-07-29. Versions live for two years. */
export const VERSION = 'v26.0'

export const GRAPH = `https://graph.facebook.com/${VERSION}`

/**
 * Token expired, removed or invalid; permission missing:
 * https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
const UNAUTHORIZED_CODES = [3, 10, 102, 104, 190]

/** The Page has to be authorised for publishing. Seen by Postiz; Meta's table does not list it. */
const PUBLISHING_AUTHORIZATION_NEEDED = '1404078'

/**
 * The rate limits of an app, a user, a Page and a business use case. A request beyond the limit fails, so nothing is
 * published:
 * https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 */
const RATE_LIMIT_CODES = [4, 17, 32, 341, 613]
const APP_LIMIT_CODES = [4, 341]

/**
 * "An unknown error", "service temporarily unavailable". Posts were seen live after both:
 * https://github.com/arsduo/koala/issues/699
 */
export const UNKNOWN_OUTCOME_CODES = [1, 2]

/** Content that was blocked, and the subcode of content that was posted before. */
const BLOCKED = 368
const POSTED_BEFORE = '1404082'

/** Uploads that may succeed later: https://developers.facebook.com/documentation/video-api/reference/error-codes */
const UPLOAD_AGAIN_CODES = [389, 6001]
const UPLOAD_AGAIN_SUBCODES = ['1363019', '1363030', '1363033']

/**
 * The same from the host for reels and stories, whose next attempt asks for the offset again:
 * https://developers.facebook.com/docs/video-api/guides/reels-publishing
 */
const UPLOAD_AGAIN_TYPES = ['OffsetInvalidError', 'PartialRequestError']

/** How the Graph API reports errors: by code and subcode; the HTTP status says little. */
export function graphRules(secrets: readonly string[], appId: string | undefined): NetworkRules {
  return {
    host: 'facebook.com',
    secrets,
    // The upload host has a form of its own, `debug_info`.
    words: (body) =>
      textAt(body, 'error', 'error_user_msg') ||
      (textAt(body, 'error', 'message') ?? textAt(body, 'debug_info', 'message') ?? textAt(body, 'error')),
    isUnauthorized(refusal) {
      const { code, subcode } = codesOf(refusal)
      if (code === undefined) return refusal.status === 401 || refusal.status === 403
      if (code === BLOCKED) return subcode !== POSTED_BEFORE
      return (
        UNAUTHORIZED_CODES.includes(code) || (code >= 200 && code <= 299) || subcode === PUBLISHING_AUTHORIZATION_NEEDED
      )
    },
    isRateLimited: (refusal) => isRateLimit(codesOf(refusal).code),
    retryAfterMs: untilRegained,
    limitKey: (refusal) => (APP_LIMIT_CODES.includes(codesOf(refusal).code ?? 0) ? limitKeyOf(appId) : undefined),
    classify(refusal) {
      const { code, subcode } = codesOf(refusal)
      if (isUploadAgain(refusal.body)) return 'try later'
      if (code === undefined) return undefined
      if (UNKNOWN_OUTCOME_CODES.includes(code)) return 'maybe sent'
      // "Does not exist, or is not permitted": seen for objects that exist
      // (https://github.com/gitroomhq/postiz-app/issues/1562).
      const isUpload = UPLOAD_AGAIN_CODES.includes(code) || UPLOAD_AGAIN_SUBCODES.includes(subcode ?? '')
      return isAbsent(refusal) || isUpload ? 'try later' : undefined
    },
  }
}

/** The page names the types without their place: it may be the envelope of the Graph API. */
const isUploadAgain = (body: unknown) =>
  at(body, 'debug_info', 'retriable') === true ||
  [textAt(body, 'debug_info', 'type'), textAt(body, 'error', 'type')].some((type = '') =>
    UPLOAD_AGAIN_TYPES.includes(type),
  )

export const limitKeyOf = (appId: string | undefined) => (appId ? `facebook app ${appId}` : undefined)

export function codesOf({ body }: Pick<Refusal, 'body'>): { code: number | undefined; subcode: string | undefined } {
  const code = at(body, 'error', 'code')
  return { code: typeof code === 'number' ? code : undefined, subcode: textAt(body, 'error', 'error_subcode') }
}

/** Codes from 80000 on are limits of business use cases; those of Pages have 80001. */
const isRateLimit = (code = 0) => RATE_LIMIT_CODES.includes(code) || (code >= 80_000 && code <= 80_099)

/**
 * The time until the Page may be called again, in minutes:
 * https://developers.facebook.com/docs/graph-api/overview/rate-limiting#headers-2
 */
function untilRegained({ headers }: Refusal): number | undefined {
  const usage = parseJson(headers.get('x-business-use-case-usage') ?? undefined)
  const minutes = Object.values(usage ?? {})
    .flat()
    .map((entry) => Number(at(entry, 'estimated_time_to_regain_access')))
    .filter((value) => value > 0)
  return minutes.length === 0 ? undefined : Math.max(...minutes) * 60_000
}

/** A Page with its token. */
export interface Page extends NetworkRules {
  id: string
  /** The app that the token was issued to. */
  appId: string | undefined
  headers: Record<string, string>
}

export const pageOf = ({ credentials }: Pick<Io, 'credentials'>): Page => {
  const { pageId = '', accessToken = '', appId } = credentials satisfies Credentials
  if (!/^\d{1,32}$/.test(pageId)) throw unauthorized('pageId has to be the id of a Facebook Page: connect it again')
  if (!isToken(accessToken)) throw unauthorized('accessToken has to be the token of a Facebook Page: connect it again')
  return {
    ...graphRules([accessToken], appId),
    id: pageId,
    appId,
    headers: { authorization: `Bearer ${accessToken}` },
  }
}

/** Checked, because `fetch` repeats an invalid header in its error. */
export const isToken = (token: string) => /^[\w.|~+/=-]{1,4096}$/.test(token)

/** Ids become parts of addresses. */
export const isId = (id: string | undefined): id is string => id !== undefined && /^\d{1,32}(?:_\d{1,32})?$/.test(id)

type CallOptions = Pick<NonNullable<Parameters<typeof callNetwork>[3]>, 'visible'> & {
  query?: Record<string, string>
  /** Makes the call a POST with this form. */
  form?: Record<string, string>
  method?: 'DELETE'
}

/** Calls the Graph API as a Page. Returns the body of its response. */
export async function callGraph(page: Page, io: Io, path: string, options: CallOptions = {}) {
  const { query, form, method, visible = false } = options
  const url = `${GRAPH}/${path}${query ? `?${new URLSearchParams(query)}` : ''}`
  const { headers } = page
  const rest = form
    ? { method: 'POST' as const, body: new URLSearchParams(form), visible }
    : method && { method, visible }
  return (await callNetwork(page, io, url, { headers, ...rest })).body
}

/** Whether an object does not exist, or is not shown to the Page. */
export const isAbsent = (refusal: Refusal): boolean => {
  const { code, subcode } = codesOf(refusal)
  return code === 100 && subcode === '33'
}

/**
 * Whether an object is there, for a `readingPage`. Throws in an outage, in which the Page cannot be read either:
 * https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
export async function isShown(page: Page, id: string, io: Io): Promise<boolean> {
  await callGraph(page, io, page.id, { query: { fields: 'id' } })
  const read = async () => {
    const body = await callGraph(page, io, id, { query: { fields: 'id' } })
    if (textAt(body, 'id') === undefined) throw unexpected(page.host, false)
    return true
  }
  return (await orMissing(isRefusedAsAbsent, read)) ?? false
}

export const isRefusedAsAbsent = (error: unknown): error is Refused =>
  error instanceof Refused && isAbsent(error.refusal)

/** The Page for calls about objects that exist for a while. For publishing, one that is absent may show later. */
export const readingPage = (page: Page): Page => ({
  ...page,
  classify: (refusal) => (isAbsent(refusal) ? undefined : page.classify?.(refusal)),
})

/** An address of Facebook, which may be given as a path; null if it is neither. */
export function permalinkOf(text: string | undefined): string | null {
  const url = text ? URL.parse(text, 'https://www.facebook.com') : null
  const isOwn = url?.protocol === 'https:' && /(?:^|\.)facebook\.com$/.test(url.hostname)
  return isOwn && url.href.length <= 2048 ? url.href : null
}
