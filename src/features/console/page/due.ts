import type { DeliveryState } from '../../../clients/sdk/index.ts'
import { say, sentences } from './language.ts'
import { isPast } from './time.ts'

/** Whether an account gets its post at all. A cancelled one does not, before somebody retries it. */
export const isSent = (state: DeliveryState | undefined): boolean => state !== 'cancelled'

/** Whether an account gets its post as soon as a change is stored that gives it this time. */
export const isDue = (state: DeliveryState | undefined, time: Date): boolean => isSent(state) && isPast(time)

/** Says that an action publishes, because a time has passed, and to which accounts; undefined without any. */
export const publishesNow = (names: string): string | undefined =>
  names ? say(sentences.shared.post.publishesNow, { accounts: names }) : undefined
