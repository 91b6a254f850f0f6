import type { Command } from 'commander'
import type { Io } from './action.ts'
import { withDatabase } from './command.ts'
import { LIMIT_DEFAULT, parseLimit } from './options.ts'

export function addWebhookCommands(program: Command, io: Io): void {
  const webhook = program.command('webhook').description('URLs that get events')
  const actions = () => import('./actions/webhook.ts')

  withDatabase(
    webhook
      .command('list')
      .description('list the webhooks of all users, newest first')
      .option('--failing', 'only those whose last attempt failed, or that were disabled because of it')
      .option('--limit <n>', 'the number of webhooks, at most', parseLimit, LIMIT_DEFAULT),
    io,
    async () => (await actions()).list,
  )

  const disable = webhook
    .command('disable')
    .description('send nothing to a webhook until it is enabled, as its owner can; or to all, in a copy of a database')
    .argument('[id]', 'the id of the webhook')
    .option('--all', 'disable all webhooks; --json prints the ids of those that were active')
  withDatabase(disable, io, async () => {
    const { all = false } = disable.opts<{ all?: boolean }>()
    if (all === disable.args.length > 0) disable.error('error: give either the id of a webhook or --all')
    return (await actions()).disable
  })

  withDatabase(
    webhook
      .command('enable')
      .description('enable a webhook and forget its failures, as its owner can; its pending deliveries are sent')
      .argument('<id>', 'the id of the webhook'),
    io,
    async () => (await actions()).enable,
  )
}
