import type { Command } from 'commander'
import { isId } from '../../db/id.ts'
import { disableAllWebhooks, listAllWebhooks, webhookExists } from '../../db/queries/webhooks/operator.ts'
import { disableWebhook, enableWebhook } from '../../db/queries/webhooks/webhooks.ts'
import { requireFound, withDatabase } from './command.ts'
import { formatList, LIMIT_DEFAULT, type Listed, parseLimit, readLimited } from './table.ts'

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('URLs that get events')
  addList(webhook)
  addDisable(webhook)

  withDatabase(
    webhook
      .command('enable')
      .description('enable a webhook and forget its failures, as its owner can; its pending deliveries are sent')
      .argument('<id>', 'the id of the webhook'),
    async (db, _options, id = '') => {
      requireFound(isId(id) && (await webhookExists(db, id)), 'webhook')
      await enableWebhook(db, id)
      return { id, state: 'active' }
    },
  )
}

/** A URL may hold a secret in its path or query: the operator sees the host alone. */
const toRow = ({ id, url, disabledReason, ...row }: Awaited<ReturnType<typeof listAllWebhooks>>[number]) => ({
  ...{ id, host: new URL(url).host, state: disabledReason === null ? 'active' : 'disabled', disabledReason },
  ...row,
})

type Row = ReturnType<typeof toRow>

function addList(webhook: Command): void {
  withDatabase<{ failing?: boolean; limit: number }, Listed<Row>>(
    webhook
      .command('list')
      .description('list the webhooks of all users, newest first')
      .option('--failing', 'only those whose last attempt failed, or that were disabled because of it')
      .option('--limit <n>', 'the number of webhooks, at most', parseLimit, LIMIT_DEFAULT),
    (db, { failing: isFailing = false, limit }) =>
      readLimited(limit, async (limit) => (await listAllWebhooks(db, { isFailing, limit })).map(toRow)),
    (list) =>
      formatList(list, {
        id: ({ id }) => id,
        host: ({ host }) => host,
        state: ({ state, disabledReason }) => (disabledReason === null ? state : `${state}: ${disabledReason}`),
        'failing since': ({ failingSince }) => failingSince,
        failures: ({ failures }) => failures,
        owner: ({ userId, userName }) => `${userId} ${userName}`,
      }),
  )
}

function addDisable(webhook: Command): void {
  const disable = webhook
    .command('disable')
    .description('send nothing to a webhook until it is enabled, as its owner can; or to all, in a copy of a database')
    .argument('[id]', 'the id of the webhook')
    .option('--all', 'disable all webhooks; --json prints the ids of those that were active')

  withDatabase<{ all?: boolean }, { disabled: string[] }>(
    disable,
    async (db, { all = false }, id) => {
      if (all === (id !== undefined)) disable.error('error: give either the id of a webhook or --all')
      if (id === undefined) return { disabled: await disableAllWebhooks(db) }
      requireFound(isId(id) && (await webhookExists(db, id)), 'webhook')
      await disableWebhook(db, id)
      return { disabled: [id] }
    },
    ({ disabled }) => `disabled  ${disabled.length}`,
  )
}
