import { LRUCache } from 'lru-cache'

/** Limits the memory of buckets. One process serves far fewer keys. */
const BUCKETS_MAX = 100_000

interface Bucket {
  tokens: number
  /** When the tokens were counted. */
  at: number
}

/** The rest of a quota. */
export interface Remainder {
  /** Requests that are possible now. */
  remaining: number
  /** Seconds until a request is possible; 0 if one is possible now. */
  retryAfterSeconds: number
  /** Seconds until the whole quota is available again. */
  resetSeconds: number
}

interface TokenBuckets {
  /** Takes a token of the key, if there is one. Returns what was left before, or is left now if a token was taken. */
  take(key: string): Remainder & { isTaken: boolean }
  peek(key: string): Remainder
}

/**
 * A bucket for each key: it holds `quota` tokens, and refills evenly within `windowMs`. `now` is a monotonic clock in
 * milliseconds.
 */
export function createTokenBuckets(quota: number, windowMs: number, now: () => number): TokenBuckets {
  // By `max`, lru-cache would take 2.6 MB for each quota before its first key.
  const buckets = new LRUCache<string, Bucket>({ maxSize: BUCKETS_MAX, sizeCalculation: () => 1 })

  function refill(bucket: Bucket): Bucket {
    const time = now()
    bucket.tokens = Math.min(quota, bucket.tokens + ((time - bucket.at) * quota) / windowMs)
    bucket.at = time
    return bucket
  }

  function bucketOf(key: string): Bucket {
    const known = buckets.get(key)
    if (known) return refill(known)
    const fresh = { tokens: quota, at: now() }
    buckets.set(key, fresh)
    return fresh
  }

  const secondsFor = (tokens: number) => Math.max(0, Math.ceil((tokens * windowMs) / quota / 1_000))
  const remainderOf = ({ tokens }: Bucket): Remainder => ({
    remaining: Math.floor(tokens),
    retryAfterSeconds: tokens >= 1 ? 0 : secondsFor(1 - tokens),
    resetSeconds: secondsFor(quota - tokens),
  })

  return {
    take(key) {
      const bucket = bucketOf(key)
      const isTaken = bucket.tokens >= 1
      if (isTaken) bucket.tokens--
      return { ...remainderOf(bucket), isTaken }
    },
    peek: (key) => remainderOf(bucketOf(key)),
  }
}
