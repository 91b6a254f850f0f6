import type { DisconnectedAccount } from '../../../db/queries/disconnect.ts'
import type { Log } from '../../base/log.ts'
import { revokeAllTokens } from '../../engine/credentials/revoke.ts'
import { escapeControls } from '../../run/runtime/terminal.ts'
import type { Context } from '../action.ts'

/** Asks networks to end the tokens of accounts that were disconnected. A failure is a line on stderr. */
export async function revokeTokensOf(
  accounts: readonly DisconnectedAccount[],
  { db, config, io: { stderr } }: Context,
): Promise<void> {
  // Opening the keyring may create a key, which a command without credentials does not need.
  if (accounts.every(({ data }) => data === null)) return
  const log: Log = {
    info: () => {},
    warn: ({ err }: { err?: Error }, message) =>
      void stderr.write(`${message}${err ? `: ${escapeControls(err.message)}` : ''}\n`),
    error: () => {},
  }
  const { openContext } = await import('./connect.ts')
  await openContext(config, db).then(
    (context) => revokeAllTokens(context, accounts, log),
    (err) => log.warn({ err }, 'tokens could not be revoked'),
  )
}
