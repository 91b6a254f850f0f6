import { isId } from '../../../db/id.ts'
import { listKeys, revokeKey } from '../../../db/queries/keys.ts'
import { userExists } from '../../../db/queries/people.ts'
import type { Scope } from '../../../schemas/scopes.ts'
import { AppError, OperatorError } from '../../base/errors.ts'
import { createKey } from '../../features/auth/create-key.ts'
import { checkAccounts, requireFutureExpiry } from '../../features/auth/manage-keys.ts'
import type { Action } from '../action.ts'
import { requireFound } from './on-database.ts'

interface CreateOptions {
  user: string
  name?: string
  expiresAt?: Date
  scopes?: Scope[]
  accounts?: string[]
}

export const create: Action<CreateOptions> = {
  async run({ db }, { user, name = null, expiresAt = null, scopes = null, accounts: accountIds = null }) {
    requireFound(isId(user), 'user')
    const rights = { scopes, accountIds }
    try {
      requireFutureExpiry({ expiresAt })
      await checkAccounts(db, user, rights)
    } catch (error) {
      throw explain(error)
    }
    return { ...(await createKey(db, { userId: user, name, expiresAt, ...rights })), ...rights }
  },
}

export const list: Action<{ user: string }> = {
  async run({ db }, { user }) {
    requireFound(await userExists(db, user), 'user')
    return { data: await listKeys(db, user) }
  },
}

export const revoke: Action = {
  async run({ db }, _options, id = '') {
    requireFound(isId(id) && (await revokeKey(db, id)), 'key')
    return { id, revoked: true }
  },
}

/** A usage error of the API as one of the command. */
function explain(error: unknown): unknown {
  return error instanceof AppError ? new OperatorError(error.details?.[0]?.message ?? error.message) : error
}
