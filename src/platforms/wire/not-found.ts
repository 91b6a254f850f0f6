import type { OnNetwork } from '../contract/changes.ts'
import { PublishError } from '../contract/publish-error.ts'
import { type NetworkRules, Refused } from './call-network.ts'

/** Some networks do not find a post for minutes after it was published. */
const HIDDEN_MS = 600_000

/** Throws for a post that the network may only not find yet. */
export function requireSettled(host: string, { publishedAt }: Pick<OnNetwork, 'publishedAt'>): void {
  const retryAfterMs = publishedAt.getTime() + HIDDEN_MS - Date.now()
  if (retryAfterMs <= 0) return
  const message = `${host} does not find this post. A new one may take minutes to be found`
  throw new PublishError(message, { code: 'server_error', maybeSent: true, retryable: true, retryAfterMs })
}

/**
 * Whether the network says that it does not have something. A proxy in front of it sends the same status, without words
 * of the network.
 */
const isNotFound = ({ words }: Pick<NetworkRules, 'words'>, error: unknown): boolean =>
  error instanceof Refused && [404, 410].includes(error.refusal.status) && words(error.refusal.body) !== undefined

/** The result of a call, or undefined if the network says that it does not have what the call is about. */
export const orNotFound = <T>(rules: Pick<NetworkRules, 'words'>, call: () => Promise<T>): Promise<T | undefined> =>
  orMissing((error) => isNotFound(rules, error), call)

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
