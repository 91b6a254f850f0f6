import type { Credentials, Io } from '../contract/io.ts'
import { unauthorized } from '../contract/publish-error.ts'
import { ID, literal, object } from '../wire/answer.ts'
import { callNetwork, type NetworkRules, type Refusal, Refused } from '../wire/call-network.ts'
import { at, parseJson, textAt } from '../wire/json.ts'
import { orMissing } from '../wire/not-found.ts'
import { ABSENT, ERRORS, GRAPH_ERRORS, keysOf } from './errors.ts'

/** https://developers.facebook.com/docs/graph-api/changelog: of 2026-07-29. Versions live for two years. */
export const VERSION = 'v26.0'

export const GRAPH = `https://graph.facebook.com/${VERSION}`

/** How the Graph API reports errors: by code and subcode; the HTTP status says little. */
export function graphRules(secrets: readonly string[], appId: string | undefined): NetworkRules {
  return {
    host: 'facebook.com',
    secrets,
    // The upload host has a form of its own, `debug_info`.
    words: (body) =>
      textAt(body, 'error', 'error_user_msg') ||
      (textAt(body, 'error', 'message') ?? textAt(body, 'debug_info', 'message') ?? textAt(body, 'error')),
    errors: ERRORS,
    keysOf,
    retryAfterMs: untilRegained,
    limitKey: limitKeyOf(appId),
  }
}

export const limitKeyOf = (appId: string | undefined) => (appId ? `facebook app ${appId}` : undefined)

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

/** The response to a change. */
export const SUCCESS = object({ success: literal(true) })

type CallOptions = Pick<Parameters<typeof callNetwork>[3], 'visible' | 'answer'> & {
  query?: Record<string, string>
  /** Makes the call a POST with this form. */
  form?: Record<string, string>
  method?: 'DELETE'
}

/** Calls the Graph API as a Page. Returns the body of its response. */
export async function callGraph(page: Page, io: Io, path: string, options: CallOptions) {
  const { query, form, method, visible = false, answer } = options
  const url = `${GRAPH}/${path}${query ? `?${new URLSearchParams(query)}` : ''}`
  const { headers } = page
  const rest = form
    ? { method: 'POST' as const, body: new URLSearchParams(form), visible }
    : method && { method, visible }
  return (await callNetwork(page, io, url, { headers, answer, ...rest })).body
}

/**
 * Whether an object is there, for a `readingPage`. Throws in an outage, in which the Page cannot be read either:
 * https://developers.facebook.com/docs/graph-api/guides/error-handling
 */
export async function isShown(page: Page, id: string, io: Io): Promise<boolean> {
  const options = { query: { fields: 'id' }, answer: object({ id: ID }) }
  await callGraph(page, io, page.id, options)
  const read = async () => {
    await callGraph(page, io, id, options)
    return true
  }
  return (await orMissing(isRefusedAsAbsent, read)) ?? false
}

/** Whether an object does not exist, or is not shown to the Page. */
export function isRefusedAsAbsent(error: unknown): error is Refused {
  if (!(error instanceof Refused)) return false
  const { code, subcode } = keysOf(error.refusal)
  return code === ABSENT.code && subcode === ABSENT.subcode
}

/** The Page for calls about objects that exist for a while. For publishing, one that is absent may show later. */
export const readingPage = (page: Page): Page => ({
  ...page,
  errors: [{ ...ABSENT, means: 'content refused', note: 'The object is gone.', source: GRAPH_ERRORS }, ...page.errors],
})

/** An address of Facebook, which may be given as a path; null if it is neither. */
export function permalinkOf(text: string | undefined): string | null {
  const url = text ? URL.parse(text, 'https://www.facebook.com') : null
  const isOwn = url?.protocol === 'https:' && /(?:^|\.)facebook\.com$/.test(url.hostname)
  return isOwn && url.href.length <= 2048 ? url.href : null
}
