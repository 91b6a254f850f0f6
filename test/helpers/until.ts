import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { sql } from 'kysely'
import type { Db } from '../../db/client.ts'

/** The deadline of a wait. It leaves room for a machine that is busy with other work. */
export const DEADLINE_MS = 180_000

interface UntilOptions<T> {
  /** Deadline of the whole wait, by default DEADLINE_MS. */
  timeoutMs?: number
  /** Pause between two polls. */
  intervalMs?: number
  /** Whether a value ends the wait; by default, whether it is truthy. */
  isMet?: (value: T) => boolean
}

type Truthy<T> = Exclude<T, false | 0 | 0n | '' | null | undefined>

/**
 * Polls `condition` until its value is truthy, or `isMet` accepts it, and returns that value. Throws at the deadline,
 * with `description` and the last value. An error of `condition` ends the wait immediately.
 *
 *     const row = await until('the post is stored', () => findPost(db, id))
 *     await until('two posts are published', () => mastodon.posts.length, { isMet: (count) => count === 2 })
 *
 * Tests that mock timers can use it: a module's import of `setTimeout` is not mocked.
 */
export async function until<T>(
  description: string,
  condition: () => T | Promise<T>,
  options: UntilOptions<T> & { isMet: (value: T) => boolean },
): Promise<T>
export async function until<T>(
  description: string,
  condition: () => T | Promise<T>,
  options?: UntilOptions<T>,
): Promise<Truthy<T>>
export async function until<T>(
  description: string,
  condition: () => T | Promise<T>,
  { timeoutMs = DEADLINE_MS, intervalMs = 10, isMet = Boolean }: UntilOptions<T> = {},
): Promise<T> {
  const expiry = new AbortController()
  const expired = sleep(timeoutMs, true as const, { signal: expiry.signal }).catch(() => true as const)
  let seen = 'nothing: the condition has not returned'
  try {
    for (;;) {
      // A condition that hangs must not outlast the deadline.
      const result = await Promise.race([Promise.resolve(condition()).then((value) => ({ value })), expired])
      if (result === true) break
      if (isMet(result.value)) return result.value
      seen = inspect(result.value, { depth: 4, maxStringLength: 1_000 })
      if ((await Promise.race([sleep(intervalMs), expired])) === true) break
    }
  } finally {
    expiry.abort()
  }
  throw new Error(`Timed out after ${timeoutMs} ms. Expected: ${description}. Last value: ${seen}`)
}

/** Process ids of the backends that are blocked on a lock in the database of `db`. */
export async function blockedBackends(db: Db): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and wait_event_type = 'Lock'
    order by pid`.execute(db)
  return rows.map(({ pid }) => pid)
}

/**
 * Waits until at least `count` backends are blocked on a lock in the database of `db`, and returns their process ids.
 * `db` needs a connection that is not blocked itself.
 */
export const untilBlocked = (
  db: Db,
  { count = 1, timeoutMs = DEADLINE_MS }: { count?: number; timeoutMs?: number } = {},
): Promise<number[]> =>
  until(`${count} backends are blocked on a lock`, () => blockedBackends(db), {
    timeoutMs,
    isMet: (pids) => pids.length >= count,
  })
