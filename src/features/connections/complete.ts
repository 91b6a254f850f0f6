import type { ConnectionFlow } from '../../../db/queries/connections.ts'
import { findConnectionByState } from '../../../db/queries/connections.ts'
import { fail } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { ConnectionContext } from './context.ts'
import { finishFlow } from './finish.ts'
import { hashSecret } from './secrets.ts'

/** Ends a flow with the address that the browser showed. Throws 400 if it is not that of this connection. */
export async function completeFlow(
  context: ConnectionContext,
  connection: ConnectionFlow,
  callbackUrl: string,
  log: Log,
): Promise<void> {
  const callback = URL.parse(callbackUrl)?.searchParams
  const states = callback?.getAll('state') ?? []
  const found = states.length === 1 && (await findConnectionByState(context.db, hashSecret(states[0]!)))
  // A spent state is found nowhere: `finishFlow` tells whether the connection still waits.
  const isOther = found ? found.id !== connection.id : connection.state === 'opened'
  if (isOther || !callback) throw fail('other_connection')
  await finishFlow(context, connection, callback, log)
}
