import { type NetworkRules, Refused } from './call-network.ts'

/**
 * Whether the network says that it does not have something. A proxy in front of it sends the same status, without words
 * of the network.
 */
export const isNotFound = ({ words }: NetworkRules, error: unknown): boolean =>
  error instanceof Refused && [404, 410].includes(error.refusal.status) && words(error.refusal.body) !== undefined

/** The result of a call, or undefined if the network says that it does not have what the call is about. */
export async function orNotFound<T>(rules: NetworkRules, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    if (isNotFound(rules, error)) return undefined
    throw error
  }
}
