import type { Readable } from 'node:stream'
import { INVALID_URL } from '../../../schemas/messages.ts'
import { type AppError, fail, invalidRequest } from '../../base/errors.ts'
import type { PublicClient } from '../../base/outbound/client.ts'
import { type DownloadFailure, type DownloadOptions, hasCredentials, isWebUrl } from '../../base/outbound/download.ts'
import { VERSION } from '../../base/version.ts'

/**
 * Downloads the file at a user's `url`. Returns its bytes as a stream, which the caller has to read or destroy. Throws
 * an AppError, or destroys the stream with one; the messages reveal nothing about the network of this service. A file
 * whose Content-Length exceeds `bytesMax` is refused. The caller counts the bytes of other files.
 */
export type FetchFile = (url: string, options: { bytesMax: number }) => Promise<Readable>

export type FetchLimits = Pick<DownloadOptions, 'responseMaxMs' | 'stallMaxMs' | 'totalMaxMs'>

const LIMITS: FetchLimits = { responseMaxMs: 10_000, stallMaxMs: 15_000, totalMaxMs: 600_000 }
const REDIRECTS_MAX = 5

const HEADERS = {
  'user-agent': `Postroom/${VERSION}`,
  accept: 'image/*, video/*, */*;q=0.1',
  'accept-encoding': 'identity',
}

export function createFetchFile(client: PublicClient, limits: Partial<FetchLimits> = {}): FetchFile {
  return async (text, { bytesMax }) => {
    const toError = (failure: DownloadFailure) => toAppError(failure, bytesMax)
    const options = { ...LIMITS, ...limits, headers: HEADERS, redirectsMax: REDIRECTS_MAX, bytesMax, toError }
    return client.download(parseUrl(text), options)
  }
}

function parseUrl(text: string): URL {
  const issue = (message: string) => invalidRequest([{ code: 'custom', path: ['url'], message }])
  const url = URL.parse(text)
  if (!url) {
    throw invalidRequest([{ code: 'invalid_string', validation: 'url', path: ['url'], message: INVALID_URL }])
  }
  if (!isWebUrl(url)) throw issue('Must be an http or https address')
  if (hasCredentials(url)) throw issue('Must not contain a user name or password')
  return url
}

function toAppError({ reason, url, status }: DownloadFailure, bytesMax: number): AppError {
  const failed = (message: string) => fail('url_not_fetched', message)
  const serverFailed = (problem: string) => failed(`the server at ${url.host} ${problem}`)
  switch (reason) {
    case 'not_public':
      return fail('url_not_public')
    case 'not_looked_up':
      return failed(`no name server says where ${url.hostname} is. Try again in a while`)
    case 'too_large':
      return fail('file_too_large', bytesMax)
    case 'too_many_redirects':
      return failed(`url is redirected more than ${REDIRECTS_MAX} times`)
    case 'unreachable':
      return serverFailed('could not be reached')
    case 'invalid_certificate':
      return serverFailed('has no valid certificate')
    case 'invalid_response':
      return serverFailed('sent no valid response')
    case 'timeout':
      return serverFailed('took too long')
    case 'status':
      return serverFailed(`responded with ${status}`)
    case 'invalid_redirect':
      return serverFailed(`responded with ${status} without a valid Location`)
    case 'compressed':
      return serverFailed('compressed the file')
    case 'truncated':
      return serverFailed('cut off the file')
  }
}
