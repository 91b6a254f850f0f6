import type { Db } from '../../../db/client.ts'
import { isId, newId } from '../../../db/id.ts'
import { insertUser, listUsers } from '../../../db/queries/people.ts'
import { countHeirs, countUserData, stopUser, type UserData } from '../../../db/queries/retention/user-data.ts'
import { OperatorError } from '../../base/errors.ts'
import { deleteUser } from '../../features/retention/delete-user.ts'
import { openMediaLibrary } from '../../run/runtime/media-library.ts'
import type { Action } from '../action.ts'
import { formatList, type Listed, readLimited } from '../table.ts'
import { requireFound } from './on-database.ts'
import { revokeTokensOf } from './revoke.ts'

export const create: Action<{ name: string }> = {
  async run({ db }, { name }) {
    const id = newId()
    await insertUser(db, { id, name })
    return { id, name }
  },
}

type Row = Awaited<ReturnType<typeof listUsers>>[number]

export const list: Action<{ limit: number }, Listed<Row>> = {
  run: ({ db }, { limit }) => readLimited(limit, (limit) => listUsers(db, limit)),
  toText: (list) =>
    formatList(list, {
      id: ({ id }) => id,
      name: ({ name }) => name,
      created: ({ createdAt }) => createdAt,
      accounts: ({ accounts }) => accounts,
      keys: ({ keys }) => keys,
    }),
}

export const remove: Action<{ yes?: boolean }> = {
  async run(context, { yes }, id = '') {
    const { db, config } = context
    const data = isId(id) ? await countUserData(db, id) : undefined
    requireFound(data !== undefined, 'user')
    if (!yes) throw new OperatorError(await describe(db, id, data!))
    const library = await openMediaLibrary(config, db)
    const { passedOn, disconnected } = await stopUser(db, id)
    const revoked = revokeTokensOf(disconnected, context)
    const deleted = await deleteUser(library, id)
    await revoked
    return { id, deleted: true, ...deleted, passedOn }
  },
}

async function describe(db: Db, id: string, { name, posts, files, accounts, keys }: UserData): Promise<string> {
  const passedOn = await countHeirs(db, id)
  const kept = passedOn > 0 ? ` Of the accounts, ${passedOn} would pass to other members of their organisations.` : ''
  return `Nothing is deleted without --yes. It would delete the user ${name} with ${posts} posts, ${files} files, ${accounts} accounts and ${keys} keys.${kept}`
}
