import { type Command, Option } from 'commander'
import { isId, newId } from '../../db/id.ts'
import { disconnectAccount, insertAccount } from '../../db/queries/accounts.ts'
import { markPostPublished } from '../../db/queries/posts.ts'
import { PLATFORM_IDS, type PlatformId } from '../../schemas/platform.ts'
import { rewrapCredentials } from '../accounts/rewrap.ts'
import { readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { openKeyring } from '../runtime/keyring.ts'
import { nonEmpty, onDatabase, orMissing } from './command.ts'

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('social accounts')

  onDatabase<{ platform: PlatformId; username: string; displayName?: string; user: string; org?: string }>(
    account
      .command('add')
      .description(
        'add a social account without credentials: it can be posted to, but nothing is published to it. An account that is connected (POST /api/v1/accounts) is published to; it is another one, with an id of its own',
      )
      .addOption(new Option('--platform <platform>', 'its network').choices(PLATFORM_IDS).makeOptionMandatory())
      .requiredOption('--username <username>', 'its handle', nonEmpty)
      .option('--display-name <name>', 'its display name', nonEmpty)
      .requiredOption('--user <id>', 'the user who owns it')
      .option('--org <id>', 'the organisation whose members may post to it, too'),
    async (db, { platform, username, displayName = null, user, org = null }) => {
      orMissing(isId(user), 'user', null)
      orMissing(org === null || isId(org), 'organisation', null)
      const account = { id: newId(), platform, username, displayName, userId: user, organizationId: org }
      await insertAccount(db, account)
      return account
    },
  )

  onDatabase(
    account
      .command('rewrap')
      .description('put the first key of CREDENTIALS_KEY in the place of the others, for all stored credentials'),
    async (db) => {
      const keyring = await openKeyring(readConfig(process.env))
      if (!keyring) throw new OperatorError('CREDENTIALS_KEY is not set')
      const { rewrapped, failures } = await rewrapCredentials(db, keyring)
      const failed = failures.length
      if (failed > 0) throw new OperatorError(`${rewrapped} rewrapped, ${failed} could not be: ${failures[0]}`)
      return { rewrapped, failed }
    },
  )

  onDatabase(
    account
      .command('disconnect')
      .description('disconnect an account, and destroy its credentials')
      .argument('<id>', 'the account’s id'),
    async (db, _options, id = '') =>
      orMissing(isId(id) && (await disconnectAccount(db, id)), 'account', { id, disconnected: true }),
  )
}

export function addPostCommands(program: Command): void {
  const post = program.command('post').description('posts')

  onDatabase(
    post
      .command('mark-published')
      .description('say that a post is out, after publishing it by hand')
      .argument('<id>', 'the post’s id'),
    async (db, _options, id = '') => {
      const outcome = isId(id) ? await markPostPublished(db, id) : 'missing'
      if (outcome === 'busy') throw new OperatorError('The post is being sent at this moment: try again in a minute')
      return orMissing(outcome === 'published', 'post', { id, status: 'published' })
    },
  )
}
