import type { Command } from 'commander'
import { isId } from '../../db/id.ts'
import { listKeys, revokeKey } from '../../db/queries/keys.ts'
import { userExists } from '../../db/queries/people.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { createKey } from '../auth/create-key.ts'
import { checkAccounts } from '../auth/manage-keys.ts'
import { AppError, OperatorError } from '../errors.ts'
import { requireFound, withDatabase } from './command.ts'
import { parseIds, parseInstant, parseScopes } from './options.ts'

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys')

  withDatabase<{ user: string; name?: string; expiresAt?: Date; scopes?: Scope[]; accounts?: string[] }>(
    key
      .command('create')
      .description('create an API key; it is shown only once')
      .requiredOption('--user <id>', 'the id of the user that the key acts for')
      .option('--name <name>', 'a name for the purpose of the key')
      .option('--expires-at <time>', 'the time when the key expires, such as 2027-01-31T09:30:00Z', parseInstant)
      .option(
        '--accounts <ids>',
        'the only accounts that the key can use, separated by commas; needs --scopes',
        parseIds,
      )
      .option(
        '--scopes <scopes>',
        `what the key allows, by default everything but admin: ${SCOPE_NAMES.join()}`,
        parseScopes,
      ),
    async (db, { user, name = null, expiresAt = null, scopes = null, accounts: accountIds = null }) => {
      requireFound(isId(user), 'user')
      const rights = { scopes, accountIds }
      await checkAccounts(db, user, rights).catch(explain)
      return { ...(await createKey(db, { userId: user, name, expiresAt, ...rights })), ...rights }
    },
  )

  withDatabase<{ user: string }>(
    key.command('list').description('list the keys of a user').requiredOption('--user <id>', 'the id of the user'),
    async (db, { user }) => {
      requireFound(await userExists(db, user), 'user')
      return { data: await listKeys(db, user) }
    },
  )

  withDatabase(
    key
      .command('revoke')
      .description('revoke a key; it stops working within a second')
      .argument('<id>', 'the id of the key'),
    async (db, _options, id = '') => {
      requireFound(isId(id) && (await revokeKey(db, id)), 'key')
      return { id, revoked: true }
    },
  )
}

/** A usage error of the API as one of the command. */
function explain(error: unknown): never {
  throw error instanceof AppError ? new OperatorError(error.details?.[0]?.message ?? error.message) : error
}
