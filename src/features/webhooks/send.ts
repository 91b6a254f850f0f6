import type { WebhookErrorCode } from '../../../schemas/webhook-delivery.ts'
import type { Dispatcher } from '../../base/outbound/client.ts'
import { VERSION } from '../../base/version.ts'
import { BODY_BYTES_MAX, BODY_MAX_MS, EXCHANGE_MAX_MS, RETRY_AFTER_MAX_MS } from './timing.ts'

/** The reaction of the receiver of an event. */
export interface Exchange {
  /** Null if no response arrived. */
  status: number | null
  /** At most 1 kB of the response. */
  body: string | null
  /** Null if the receiver responded 2xx. */
  error: WebhookErrorCode | null
  /** How long the receiver wants to be left alone. */
  retryAfterMs: number | null
}

interface SignedEvent {
  url: string
  headers: Record<string, string>
  body: string
}

/** Sends an event. `signal` ends the attempt early: the outcome is unknown then, and it rejects. */
export type Send = (event: SignedEvent, signal: AbortSignal) => Promise<Exchange>

/** Sends over these connections. The status counts: a body that stalls or breaks off ends early, without an error. */
export const createSend =
  (dispatcher: Dispatcher): Send =>
  ({ url, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const { origin, pathname, search } = new URL(url)
      const chunks: Buffer[] = []
      let length = 0
      let response: { status: number; retryAfterMs: number | null } | undefined
      let controller: Dispatcher.DispatchController | undefined
      let isOver = false

      /** `failure` is the outcome if no response has begun. */
      function end(failure: WebhookErrorCode | null): void {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        if (response) resolve({ ...response, body: textOf(chunks), error: errorOf(response.status) })
        else if (failure === null) reject(signal.reason)
        else resolve({ status: null, body: null, error: failure, retryAfterMs: null })
      }
      /** Closes the connection too. A request that still waits for one is not sent. */
      function breakOff(failure: WebhookErrorCode | null): void {
        end(failure)
        controller?.abort(BROKEN_OFF)
      }
      const leave = () => breakOff(null)
      let timer = setTimeout(breakOff, EXCHANGE_MAX_MS, 'timeout')
      signal.addEventListener('abort', leave)
      dispatcher.dispatch(
        { origin, path: pathname + search, method: 'POST', headers: { ...HEADERS, ...headers }, body },
        {
          onRequestStart(started) {
            controller = started
            if (isOver) started.abort(BROKEN_OFF)
          },
          onResponseStart(_controller, status, { 'retry-after': retryAfter }) {
            // An interim response.
            if (status < 200) return
            response = { status, retryAfterMs: readRetryAfter(retryAfter) }
            clearTimeout(timer)
            timer = setTimeout(leave, BODY_MAX_MS)
          },
          onResponseData(_controller, chunk) {
            chunks.push(chunk)
            length += chunk.length
            if (length >= BODY_BYTES_MAX) leave()
          },
          onResponseEnd: () => end(null),
          onResponseError: (_controller, error) => end(failureOf(error)),
        },
      )
    })

const BROKEN_OFF = new Error('The exchange with a receiver is over')

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'user-agent': `Postroom/${VERSION}`,
  accept: '*/*',
  // A small compressed body may be a gigabyte.
  'accept-encoding': 'identity',
}

function errorOf(status: number): WebhookErrorCode | null {
  if (status >= 200 && status <= 299) return null
  return status >= 300 && status <= 399 ? 'redirect' : 'status'
}

const failureOf = (error: Error): WebhookErrorCode =>
  (error as { code?: string }).code === 'ENOTFOUND' ? 'not_public' : 'unreachable'

/** The first bytes of a body. Postgres stores no NUL. */
const textOf = (chunks: Buffer[]) => Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX).toString().replaceAll('\0', '�')

/** Seconds, or a date: RFC 9110, 10.2.3. */
function readRetryAfter(header: string | string[] | undefined): number | null {
  const text = header?.toString().trim()
  if (!text) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return ms > 0 ? Math.min(ms, RETRY_AFTER_MAX_MS) : null
}
