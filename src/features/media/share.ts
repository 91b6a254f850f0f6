import { UPLOADS_MAX } from '../../../schemas/errors.ts'
import { RateLimited } from '../../base/errors.ts'
import { createSlots } from '../../base/slots.ts'

const RETRY_AFTER_SECONDS = 1

/** The files that are being added. */
const slots = createSlots({ perUser: UPLOADS_MAX })

/**
 * Adds a user's file. Throws a 429 if the user is adding too many: each one that waits to be read holds a connection,
 * and a lease that is renewed.
 */
export async function withinShare<T>(userId: string, add: () => Promise<T>): Promise<T> {
  const giveBack = slots.tryTake(userId)
  if (!giveBack) throw new RateLimited('too_many_uploads', RETRY_AFTER_SECONDS)
  return add().finally(giveBack)
}

/** The bytes that this process has received of each user's files that are being added. */
const incoming = new Map<string, number>()

/** Counts what is received of a file, until `end`. A user whose files have more than `bytesMax` together gets a 429. */
export function countIncoming(userId: string, bytesMax: number) {
  let own = 0
  const add = (bytes: number) => {
    own += bytes
    const sum = (incoming.get(userId) ?? 0) + bytes
    if (sum > 0) incoming.set(userId, sum)
    else incoming.delete(userId)
  }
  async function* count(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      add(chunk.length)
      if (incoming.get(userId)! > bytesMax) throw new RateLimited('too_many_uploads', RETRY_AFTER_SECONDS)
      yield chunk
    }
  }
  return { count, end: () => add(-own) }
}
