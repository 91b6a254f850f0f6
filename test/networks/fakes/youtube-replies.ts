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

/** Too many calls within a short time. */
export const throttled = (seconds: number): Reply =>
  errorReply(403, 'rateLimitExceeded', 'Rate Limit Exceeded', { 'retry-after': String(seconds) })

/** A list, such as https://developers.google.com/youtube/v3/docs/playlists/list#response. An empty one of channels has no items. */
export const listReply = (kind: string, found: object[]): Reply => ({
  status: 200,
  body: {
    kind: `youtube#${kind}ListResponse`,
    etag: 'etag',
    ...((found.length > 0 || kind !== 'channel') && { items: found }),
    pageInfo: { totalResults: found.length, resultsPerPage: 5 },
  },
})
