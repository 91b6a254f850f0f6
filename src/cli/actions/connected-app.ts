import { isId } from '../../../db/id.ts'
import { revokeKey } from '../../../db/queries/keys.ts'
import { isGrant, listGrants } from '../../../db/queries/oauth/grants.ts'
import { userExists } from '../../../db/queries/people.ts'
import type { ConnectedApp } from '../../../schemas/connected-app.ts'
import { CURSOR_OF_FIRST_PAGE } from '../../../schemas/shared.ts'
import type { Action } from '../action.ts'
import { formatList, type Listed, readLimited } from '../table.ts'
import { requireFound } from './on-database.ts'

export const list: Action<{ user: string; limit: number }, Listed<ConnectedApp>> = {
  async run({ db }, { user: userId, limit }) {
    requireFound(await userExists(db, userId), 'user')
    return readLimited(limit, (limit) => listGrants(db, { userId, cursor: CURSOR_OF_FIRST_PAGE, limit, offset: 0 }))
  },
  toText: (list) =>
    formatList(list, {
      id: ({ id }) => id,
      name: ({ name }) => name,
      'last used': ({ lastUsedAt }) => lastUsedAt,
      scopes: ({ scopes }) => scopes.join(' '),
      client: ({ clientId }) => clientId,
    }),
}

export const disconnect: Action = {
  async run({ db }, _options, id = '') {
    requireFound(isId(id) && (await isGrant(db, id)), 'connected app')
    await revokeKey(db, id)
    return { id, disconnected: true }
  },
}
