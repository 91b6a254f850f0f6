import { UPLOADS_MAX } from '../../schemas/messages.ts'
import { RateLimited } from '../errors.ts'

const RETRY_AFTER_SECONDS = 1

/** The files that are being added, by user. */
const adding = new Map<string, number>()

/**
 * Adds a user's file. Throws a 429 if the user is adding too many: each one that waits to be read holds a connection, and a
 * lease that is renewed.
 */
export async function withinShare<T>(userId: string, add: () => Promise<T>): Promise<T> {
  const others = adding.get(userId) ?? 0
  if (others >= UPLOADS_MAX) throw new RateLimited('too_many_uploads', RETRY_AFTER_SECONDS)
  adding.set(userId, others + 1)
  try {
    return await add()
  } finally {
    const left = adding.get(userId)! - 1
    if (left > 0) adding.set(userId, left)
    else adding.delete(userId)
  }
}
