/** Results of calls, for a short time. */
export interface ShortCache<T> {
  /** The result of `read`, or of an earlier call under the same key. Concurrent calls share one. Errors are not kept. */
  get(key: string, read: () => Promise<T>): Promise<T>
}

/** `uptimeMs` is a monotonic clock. */
export function createShortCache<T>({
  keptMs,
  entriesMax,
  uptimeMs = () => performance.now(),
}: {
  keptMs: number
  entriesMax: number
  uptimeMs?: () => number
}): ShortCache<T> {
  // In the order of their end, because all entries are kept for the same time.
  const entries = new Map<string, { endsAt: number; result: Promise<T> }>()
  return {
    get(key, read) {
      const now = uptimeMs()
      for (const [other, { endsAt }] of entries) {
        if (endsAt > now && entries.size < entriesMax) break
        entries.delete(other)
      }
      const known = entries.get(key)
      if (known) return known.result
      const entry = { endsAt: now + keptMs, result: read() }
      entries.set(key, entry)
      entry.result.catch(() => {
        if (entries.get(key) === entry) entries.delete(key)
      })
      return entry.result
    },
  }
}
