import { type Command, Option } from 'commander'
import { isId, newId } from '../../db/id.ts'
import { insertAccount, listAllAccounts } from '../../db/queries/accounts.ts'
import { deleteCredentialsOfOtherKeys } from '../../db/queries/credentials.ts'
import { disconnectAccount } from '../../db/queries/disconnect.ts'
import { deleteAppsOfOtherKeys } from '../../db/queries/oauth-apps.ts'
import { userExists } from '../../db/queries/people.ts'
import { deleteWebhooksOfOtherKeys } from '../../db/queries/webhooks/secrets.ts'
import { PLATFORM_IDS, type PlatformId } from '../../schemas/platform.ts'
import { attentionOf, attentionTimes } from '../accounts/attention.ts'
import { rewrapCredentials } from '../accounts/rewrap.ts'
import { readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { openKeyring } from '../runtime/keyring.ts'
import { requireFound, withDatabase } from './command.ts'
import { addConnect } from './connect.ts'
import { parseText } from './options.ts'
import { revokeTokensOf } from './revoke.ts'
import { formatList, LIMIT_DEFAULT, type Listed, parseLimit, readLimited } from './table.ts'

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('social accounts')

  withDatabase<{ platform: PlatformId; username: string; displayName?: string; user: string; org?: string }>(
    account
      .command('add')
      .description(
        'add a social account without credentials: posts can name it, but nothing is published to it. To publish to an account, connect it with `account connect` or POST /api/v1/accounts, which gives it a new id',
      )
      .addOption(new Option('--platform <platform>', 'the network').choices(PLATFORM_IDS).makeOptionMandatory())
      .requiredOption('--username <username>', 'the handle', parseText)
      .option('--display-name <name>', 'the display name', parseText)
      .requiredOption('--user <id>', 'the id of the user who owns it')
      .option('--org <id>', 'the id of an organisation whose members may post to it'),
    async (db, { platform, username, displayName = null, user, org = null }) => {
      requireFound(isId(user), 'user')
      requireFound(org === null || isId(org), 'organisation')
      const account = { id: newId(), platform, username, displayName, userId: user, organizationId: org }
      await insertAccount(db, account)
      return account
    },
  )

  addConnect(account)
  addList(account)

  withDatabase(
    account
      .command('rewrap')
      .description('encrypt all stored credentials with the first key of CREDENTIALS_KEY instead of the others'),
    async (db) => {
      const keyring = await requireKeyring()
      const { rewrapped, failures } = await rewrapCredentials(db, keyring)
      const failed = failures.length
      if (failed > 0) throw new OperatorError(`${rewrapped} rewrapped, ${failed} failed: ${failures[0]}`)
      return { rewrapped, failed }
    },
  )

  withDatabase(
    account
      .command('forget-lost')
      .description(
        'delete the stored credentials, apps and webhooks whose key is lost; the accounts stay, and have to be connected again',
      )
      .requiredOption('--yes', 'confirm that no key decrypts them any more'),
    async (db) => {
      const { keyIds } = await requireKeyring()
      const apps = await deleteAppsOfOtherKeys(db, keyIds)
      const webhooks = await deleteWebhooksOfOtherKeys(db, keyIds)
      return { deleted: await deleteCredentialsOfOtherKeys(db, keyIds), apps, webhooks }
    },
  )

  withDatabase(
    account
      .command('disconnect')
      .description('disconnect an account, delete its credentials, and revoke its tokens where the network can')
      .argument('<id>', 'the id of the account'),
    async (db, _options, id = '') => {
      const disconnected = isId(id) ? await disconnectAccount(db, id) : undefined
      requireFound(disconnected !== undefined, 'account')
      await revokeTokensOf([disconnected!], db)
      return { id, disconnected: true }
    },
  )
}

async function requireKeyring() {
  const keyring = await openKeyring(readConfig(process.env))
  if (!keyring) throw new OperatorError('CREDENTIALS_KEY is not set')
  return keyring
}

interface ListOptions {
  user?: string
  platform?: PlatformId
  attention?: boolean
  limit: number
}

const toRow = ({
  id,
  platform,
  username,
  credentials,
  credentialsExpireAt,
  attention,
  ...owner
}: Awaited<ReturnType<typeof listAllAccounts>>[number]) => ({
  ...{ id, platform, username, connected: credentials !== null },
  attention: attentionOf({ attention, credentials, credentialsExpireAt }),
  ...owner,
})

type Row = ReturnType<typeof toRow>

function addList(account: Command): void {
  withDatabase<ListOptions, Listed<Row>>(
    account
      .command('list')
      .description('list the accounts of all users, newest first; disconnected ones are left out')
      .option('--user <id>', 'only the accounts that this user owns')
      .addOption(new Option('--platform <platform>', 'only this network').choices(PLATFORM_IDS))
      .option('--attention', 'only accounts whose owner has to act: refused, about to expire, or without credentials')
      .option('--limit <n>', 'the number of accounts, at most', parseLimit, LIMIT_DEFAULT),
    async (db, { user, platform, attention = false, limit }) => {
      requireFound(user === undefined || (await userExists(db, user)), 'user')
      const filter = { userId: user, platform, needsAttention: attention ? attentionTimes() : undefined }
      return readLimited(limit, async (limit) => (await listAllAccounts(db, { ...filter, limit })).map(toRow))
    },
    (list) =>
      formatList(list, {
        id: ({ id }) => id,
        account: ({ platform, username }) => `${platform} ${username}`,
        connected: ({ connected }) => connected,
        attention: ({ attention }) => attention && `${attention.code}: ${attention.message}`,
        owner: ({ userId, userName }) => `${userId} ${userName}`,
        organisation: ({ organizationId }) => organizationId,
      }),
  )
}
