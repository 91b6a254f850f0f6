import { type Command, Option } from 'commander'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import type { Io } from './action.ts'
import { withDatabase } from './command.ts'
import { LIMIT_DEFAULT, parseLimit, parseText } from './options.ts'

const actions = () => import('./actions/account.ts')

export function addAccountCommands(program: Command, io: Io): void {
  const account = program.command('account').description('social accounts')
  addCreatingCommands(account, io)
  withDatabase(
    account
      .command('list')
      .description('list the accounts of all users, newest first; disconnected ones are left out')
      .option('--user <id>', 'only the accounts that this user owns')
      .addOption(new Option('--platform <platform>', 'only this network').choices(PLATFORM_IDS))
      .option('--attention', 'only accounts whose owner has to act: refused, about to expire, or without credentials')
      .option('--limit <n>', 'the number of accounts, at most', parseLimit, LIMIT_DEFAULT),
    io,
    async () => (await actions()).list,
  )
  addCredentialCommands(account, io)
}

/** The commands that create accounts. */
function addCreatingCommands(account: Command, io: Io): void {
  withDatabase(
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
    io,
    async () => (await actions()).add,
  )

  withDatabase(
    account
      .command('connect')
      .description(
        'connect accounts by OAuth: prints an address, and asks for the one that the browser shows after consent',
      )
      .addOption(new Option('--platform <platform>', 'the network').choices(PLATFORM_IDS).makeOptionMandatory())
      .requiredOption('--user <id>', 'the id of the user who will own the accounts')
      .option('--org <id>', 'the id of an organisation of the user whose members may post to them')
      .option('--account <id>', 'the id of an account to connect again')
      .option('--hint <text>', 'the handle or the server, on networks that have many servers'),
    io,
    async () => (await import('./actions/connect.ts')).connect,
  )
}

/** The commands for stored credentials. */
function addCredentialCommands(account: Command, io: Io): void {
  withDatabase(
    account
      .command('rewrap')
      .description('encrypt all stored credentials with the first key of CREDENTIALS_KEY instead of the others'),
    io,
    async () => (await actions()).rewrap,
  )

  withDatabase(
    account
      .command('forget-lost')
      .description(
        'delete the stored credentials, apps and webhooks whose key is lost; the accounts stay, and have to be connected again',
      )
      .requiredOption('--yes', 'confirm that no key decrypts them any more'),
    io,
    async () => (await actions()).forgetLost,
  )

  withDatabase(
    account
      .command('disconnect')
      .description('disconnect an account, delete its credentials, and revoke its tokens where the network can')
      .argument('<id>', 'the id of the account'),
    io,
    async () => (await actions()).disconnect,
  )
}
