import type { WebhookErrorCode } from '../../schemas/webhook-delivery.ts'
import { VERSION } from '../version.ts'
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

export interface SendOptions {
  /** Connects to public addresses only. */
  fetch: typeof fetch
  /** Ends the attempt early: the outcome is unknown then, and it throws. */
  signal: AbortSignal
}

/** Sends an event. Throws only if `signal` ends the attempt. */
export async function sendEvent(
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
  { fetch, signal }: SendOptions,
): Promise<Exchange> {
  const attempt = new AbortController()
  const abort = () => attempt.abort()
  const timer = setTimeout(abort, EXCHANGE_MAX_MS)
  signal.addEventListener('abort', abort)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body,
      redirect: 'manual',
      signal: attempt.signal,
    })
    const { status } = response
    const kept = await readStart(response.body)
    return { status, body: kept, error: errorOf(status), retryAfterMs: readRetryAfter(response.headers) }
  } catch (error) {
    signal.throwIfAborted()
    return { status: null, body: null, error: failureOf(error, attempt.signal), retryAfterMs: null }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

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

function failureOf(error: unknown, { aborted }: AbortSignal): WebhookErrorCode {
  if (aborted) return 'timeout'
  const { cause } = error as { cause?: { code?: string } }
  return cause?.code === 'ENOTFOUND' ? 'not_public' : 'unreachable'
}

/**
 * The first bytes of a body. The status counts, so that a body that stalls or breaks off ends early, without an error.
 */
async function readStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  // Also closes the connection of a body that goes on.
  const cancel = () => reader.cancel().catch(() => {})
  const timer = setTimeout(cancel, BODY_MAX_MS)
  try {
    while (length < BODY_BYTES_MAX) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      length += value.length
    }
  } catch {
    // The response counts as it is.
  } finally {
    clearTimeout(timer)
    void cancel()
  }
  // Postgres stores no NUL.
  return Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX).toString().replaceAll('\0', '�')
}

/** Seconds, or a date: RFC 9110, 10.2.3. */
function readRetryAfter(headers: Headers): number | null {
  const text = headers.get('retry-after')?.trim()
  if (!text) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return ms > 0 ? Math.min(ms, RETRY_AFTER_MAX_MS) : null
}
