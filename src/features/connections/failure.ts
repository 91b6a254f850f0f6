import type { ConnectionErrorCode } from '../../../schemas/connection.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { PublishError } from '../../platforms/contract/publish-error.ts'
import { tidy } from '../accounts/store.ts'

/** Why a connection ends without an account. The user reads the message. */
export class FlowFailure extends Error {
  readonly code: ConnectionErrorCode

  constructor(code: ConnectionErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Codes that mean the same for a connection as for the network's adapter. */
const SHARED_CODES = ['other_account', 'scopes_missing', 'nothing_to_choose'] as const

/** The meaning of a failed call to the network. */
export function toFlowFailure(platform: PlatformId, error: PublishError): FlowFailure {
  const message = `${platform}: ${tidy(error.message)}`
  if (error.code === 'unexpected_answer') return new FlowFailure('invalid_response', message)
  const shared = SHARED_CODES.find((code) => code === error.code)
  if (shared) return new FlowFailure(shared, message)
  return new FlowFailure(error.retryable ? 'network_unavailable' : 'network_refused', message)
}
