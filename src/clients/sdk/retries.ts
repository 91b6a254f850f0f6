import { ConnectionError, type PostroomError } from './errors.ts'

/** The caller decides on longer pauses that the service asks for. */
const FIRST_PAUSE_MS = 500
const PAUSE_MAX_MS = 8_000
const RETRY_AFTER_MAX_SECONDS = 60

/** The pause before the next attempt, with jitter; undefined if no attempt follows. */
export function pauseBefore(retries: number, error: PostroomError, isRepeatable = false): number | undefined {
  const { status, retryAfter } = error
  const isLost = error instanceof ConnectionError || status >= 500 || status === 408
  if (status !== 429 && !(isLost && isRepeatable)) return undefined
  const growingMs = Math.min(FIRST_PAUSE_MS * 2 ** retries, PAUSE_MAX_MS) * (0.5 + Math.random() / 2)
  if (retryAfter === null) return growingMs
  if (retryAfter > RETRY_AFTER_MAX_SECONDS) return undefined
  // Never earlier than the service asks for, and not all clients at the same moment.
  const askedMs = retryAfter * 1000 + Math.random() * FIRST_PAUSE_MS
  return status === 503 ? Math.max(askedMs, growingMs) : askedMs
}
