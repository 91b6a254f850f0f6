import type { Db } from '../../db/client.ts'
import type { DisconnectedAccount } from '../../db/queries/disconnect.ts'
import { readConfig } from '../config.ts'
import { revokeAllTokens } from '../credentials/revoke.ts'
import type { Log } from '../log.ts'
import { openContext } from './connect.ts'

/** Asks networks to end the tokens of accounts that were disconnected. A failure is a line on stderr. */
export async function revokeTokensOf(accounts: readonly DisconnectedAccount[], db: Db): Promise<void> {
  // Opening the keyring may create a key, which a command without credentials does not need.
  if (accounts.every(({ data }) => data === null)) return
  await openContext(readConfig(process.env), db).then(
    (context) => revokeAllTokens(context, accounts, WARNINGS),
    (err) => WARNINGS.warn({ err }, 'tokens could not be revoked'),
  )
}

const WARNINGS: Log = {
  info: () => {},
  warn: ({ err }: { err?: Error }, message) =>
    void process.stderr.write(`${message}${err ? `: ${err.message}` : ''}\n`),
  error: () => {},
}
