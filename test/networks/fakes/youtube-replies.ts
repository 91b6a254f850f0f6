import { Refused, type Reply } from './network.ts'

export const errorReply = (
  status: number,
  reason: string,
  message: string,
  headers = {},
  domain = 'youtube',
): Reply => ({
  status,
  headers,
  body: { error: { code: status, message, errors: [{ domain, reason, message }] } },
})

/** https://developers.google.com/youtube/v3/docs/errors */
export function refuse(...error: Parameters<typeof errorReply>): never {
  throw new Refused(errorReply(...error))
}

/** The units of the project for the day are used up. */
export const quotaExceeded = () =>
  errorReply(
    403,
    'quotaExceeded',
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
  )

/**
 * The uploads of the project for the day are used up:
 * https://github.com/googleapis/google-api-python-client/issues/2753
 */
export const uploadsUsedUp = () =>
  errorReply(
    429,
    'rateLimitExceeded',
    "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:407408718192'.",
    {},
    'global',
  )

/** Too many calls within a short time. */
export const throttled = (seconds: number): Reply =>
  errorReply(403, 'rateLimitExceeded', 'Rate Limit Exceeded', { 'retry-after': String(seconds) })

/**
 * A page of a list, such as https://developers.google.com/youtube/v3/docs/playlists/list#response. An empty list of
 * channels has no items. The token of a page is the index of its first item.
 */
export function listReply(kind: string, found: object[], { maxResults = '5', pageToken = '0' }: Paging = {}): Reply {
  const [size, from] = [Number(maxResults), Number(pageToken)]
  if (!(size >= 0 && size <= PAGE_MAX[kind]!)) refuse(400, 'invalidParameter', `Invalid value: ${maxResults}`)
  const items = found.slice(from, from + size)
  const next = from + size < found.length && { nextPageToken: String(from + size) }
  const pageInfo = { totalResults: found.length, resultsPerPage: size }
  const hasItems = items.length > 0 || kind !== 'channel'
  const body = { kind: `youtube#${kind}ListResponse`, etag: 'etag', ...next, ...(hasItems && { items }), pageInfo }
  return { status: 200, body }
}

type Paging = { maxResults?: string; pageToken?: string }

const PAGE_MAX: Record<string, number> = { channel: 50, video: 50, playlist: 50, playlistItem: 50, commentThread: 100 }

/** A list that has no pages. */
export const wholeList = (kind: string, items: object[]): Reply => ({
  status: 200,
  body: { kind: `youtube#${kind}ListResponse`, etag: 'etag', items },
})
