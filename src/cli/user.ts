import type { Command } from 'commander'
import type { Db } from '../../db/client.ts'
import { isId, newId } from '../../db/id.ts'
import { insertUser, listUsers } from '../../db/queries/people.ts'
import { countHeirs, countUserData, stopUser, type UserData } from '../../db/queries/retention/user-data.ts'
import { readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { deleteUser } from '../retention/delete-user.ts'
import { openMediaLibrary } from '../runtime/media-library.ts'
import { requireFound, withDatabase } from './command.ts'
import { parseText } from './options.ts'
import { revokeTokensOf } from './revoke.ts'
import { formatList, LIMIT_DEFAULT, type Listed, parseLimit, readLimited } from './table.ts'

type Row = Awaited<ReturnType<typeof listUsers>>[number]

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people and programs that own posts')

  withDatabase<{ name: string }>(
    user.command('create').description('create a user').requiredOption('--name <name>', 'the name', parseText),
    async (db, { name }) => {
      const id = newId()
      await insertUser(db, { id, name })
      return { id, name }
    },
  )

  withDatabase<{ limit: number }, Listed<Row>>(
    user
      .command('list')
      .description('list all users, newest first')
      .option('--limit <n>', 'the number of users, at most', parseLimit, LIMIT_DEFAULT),
    (db, { limit }) => readLimited(limit, (limit) => listUsers(db, limit)),
    (list) =>
      formatList(list, {
        id: ({ id }) => id,
        name: ({ name }) => name,
        created: ({ createdAt }) => createdAt,
        accounts: ({ accounts }) => accounts,
        keys: ({ keys }) => keys,
      }),
  )

  withDatabase<{ yes?: boolean }>(
    user
      .command('delete')
      .description(
        'delete a user with all posts, files, accounts and keys, for good, and revoke tokens as account disconnect does; the networks keep what was published. An account that the user shares with an organisation passes to another member. Repeat the command if it was interrupted',
      )
      .argument('<id>', 'the id of the user')
      .option('--yes', 'delete; without it, the command only says what it would delete'),
    async (db, { yes }, id = '') => {
      const data = isId(id) ? await countUserData(db, id) : undefined
      requireFound(data !== undefined, 'user')
      if (!yes) throw new OperatorError(await describe(db, id, data!))
      const library = await openMediaLibrary(readConfig(process.env), db)
      const { passedOn, disconnected } = await stopUser(db, id)
      const revoked = revokeTokensOf(disconnected, db)
      const deleted = await deleteUser(library, id)
      await revoked
      return { id, deleted: true, ...deleted, passedOn }
    },
  )
}

async function describe(db: Db, id: string, { name, posts, files, accounts, keys }: UserData): Promise<string> {
  const passedOn = await countHeirs(db, id)
  const kept = passedOn > 0 ? ` Of the accounts, ${passedOn} would pass to other members of their organisations.` : ''
  return `Nothing is deleted without --yes. It would delete the user ${name} with ${posts} posts, ${files} files, ${accounts} accounts and ${keys} keys.${kept}`
}
