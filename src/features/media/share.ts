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
