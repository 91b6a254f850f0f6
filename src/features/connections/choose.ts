import type { ConnectionFlow } from '../../../db/queries/connections.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import type { OAuthAccount } from '../../platforms/contract/oauth.ts'
import { requireKeyring } from '../accounts/store.ts'
import type { ConnectionContext } from './context.ts'
import { FlowFailure } from './failure.ts'
import { connectAccounts } from './finish.ts'

/**
 * Connects the chosen accounts, all or none. Throws 400 for an id that is not a choice. Throws 409 if the connection
 * does not wait for a choice, or if an account cannot be connected; it then goes on waiting for another choice.
 */
export async function chooseAccounts(
  context: ConnectionContext,
  connection: ConnectionFlow,
  ids: string[],
): Promise<void> {
  const { id, state, choices, secrets } = connection
  if (state !== 'choosing' || !choices || !secrets) {
    throw fail('connection_not_choosing')
  }
  const issues = ids.flatMap((id, index) =>
    choices.some((choice) => choice.id === id)
      ? []
      : [{ code: 'custom' as const, path: ['ids', index], message: 'Must be the id of one of the choices' }],
  )
  if (issues.length > 0) throw invalidRequest(issues)
  const keyring = await requireKeyring(context)
  // In the order of the choices, which have the ids in the form in which they are stored.
  const offered: OAuthAccount[] = JSON.parse(keyring.open(id, secrets).accounts!, reviveTime)
  const chosen = offered.filter((_, index) => ids.includes(choices[index]!.id))
  try {
    await connectAccounts(context, keyring, connection, chosen)
  } catch (error) {
    throw error instanceof FlowFailure ? fail('account_not_connectable', error.message) : error
  }
}

const reviveTime = (key: string, value: unknown) =>
  key === 'expiresAt' && typeof value === 'string' ? new Date(value) : value
