import type { OnNetwork } from '../contract/adapter.ts'
import { PublishError } from '../contract/publish-error.ts'
import { Refused } from './call-network.ts'

/** Some networks do not find a post for minutes after it was published. */
const HIDDEN_MS = 600_000

/** Throws for a post that the network may only not find yet. */
export function requireSettled(host: string, { publishedAt }: Pick<OnNetwork, 'publishedAt'>): void {
  const retryAfterMs = publishedAt.getTime() + HIDDEN_MS - Date.now()
  if (retryAfterMs <= 0) return
  const message = `${host} does not find this post. A new one may take minutes to be found`
  throw new PublishError(message, { code: 'server_error', maybeSent: true, retryable: true, retryAfterMs })
}

const isNotFound = (error: unknown): error is Refused =>
  error instanceof Refused && [404, 410].includes(error.refusal.status)

/** The result of a call, or undefined if the network says that it does not have what the call is about. */
export const orNotFound = <T>(call: () => Promise<T>): Promise<T | undefined> =>
  orMissing((error) => isNotFound(error) && error.hasWords, call)

/** The same for a network with errors of its own: `isMissing` recognizes the one for an object that is not there. */
export async function orMissing<T>(
  isMissing: (error: unknown) => boolean,
  call: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * A call about a published post. A proxy in front of the network sends 404 and 410 too, without words of the network:
 * they say nothing about the post, and the same call may succeed later.
 */
export async function retryNotFound<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!isNotFound(error) || error.hasWords) throw error
    throw new PublishError(error.message, { code: 'unreachable', maybeSent: false, retryable: true })
  }
}
